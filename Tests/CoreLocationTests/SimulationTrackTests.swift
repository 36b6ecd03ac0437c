// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import CoreLocationSimulation
import Foundation
import LocationClient
import LocationModel
import LocationProtocol
import Testing

@Suite("Tracks in a simulation")
struct SimulationTrackTests {
    private let simulation = CLSimulation(startingAt: .testsBegin, authorization: .authorizedAlways)
    private let begin = Date.testsBegin

    /// Seconds after the simulation's beginning at which the app is told of locations that have `dates`.
    private func followed(_ dates: [Date]) async -> [Double] {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.follow(
            dates.enumerated().map { index, date in
                CLLocation(
                    coordinate: place(Double(index) / 1000), altitude: 0, horizontalAccuracy: 5, verticalAccuracy: -1,
                    timestamp: date)
            })
        return app.batches.joined().map { ($0.timestamp.date.timeIntervalSince(begin) * 1000).rounded() / 1000 }
    }

    @Test("Places that say no time come a second apart, whatever today's date is")
    func withoutDates() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.follow([
            CLLocation(latitude: 47, longitude: 10), CLLocation(latitude: 47.02, longitude: 10),
        ])
        #expect(app.batches.joined().map(\.coordinate.latitude) == [47, 47.02])
        #expect(simulation.date.timeIntervalSince(begin) == 2)
    }

    @Test(
        "A track of another time begins a second from now, and keeps its intervals", arguments: [-1e8, -5, 0, 1e6, 1e8])
    func otherTime(offset: Double) async {
        let first = begin.addingTimeInterval(offset)
        #expect(
            await followed([first, first.addingTimeInterval(2.5), first.addingTimeInterval(9)]) == [1, 3.5, 10])
    }

    @Test("A track that begins soon keeps its dates")
    func thisTime() async {
        #expect(
            await followed([begin.addingTimeInterval(30), begin.addingTimeInterval(31), begin.addingTimeInterval(35)])
                == [30, 31, 35])
    }

    @Test("No date is too odd, and no place is no track")
    func odd() async {
        #expect(await followed([]).isEmpty)
        #expect(await followed([.distantFuture]) == [1])
        #expect(await followed([Date(timeIntervalSince1970: 1e300)]).last == 2)
    }

    @Test("A simulation begins now, so that an app that checks the age of a location takes it")
    func age() async throws {
        let before = Date()
        let simulation = CLSimulation(authorization: .authorizedAlways)
        let after = Date()
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        let first = try #require(app.batches.last?.last?.timestamp.date)
        // A second later, rounded to milliseconds.
        #expect(first >= before.addingTimeInterval(0.999) && first <= after.addingTimeInterval(1.001))
    }

    @Test("A place that says no time comes a second later, however long the test took to make it")
    func justMade() async {
        let simulation = CLSimulation(startingAt: Date(timeIntervalSinceNow: -30), authorization: .authorizedAlways)
        let begin = simulation.date
        await simulation.follow([CLLocation(latitude: 47, longitude: 11.1)])
        #expect(simulation.date.timeIntervalSince(begin) == 1)
    }

    @Test("An hour later the checks of the article still take a location, and leave out one of before")
    func ageAnHourLater() async throws {
        let simulation = CLSimulation(authorization: .authorizedAlways)
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.advance(by: 3600)
        await simulation.feed(east: 0)
        let date = try #require(app.batches.last?.last?.timestamp.date)
        let location = CLLocation(
            coordinate: place(0), altitude: 0, horizontalAccuracy: 5, verticalAccuracy: -1, timestamp: date)
        #expect(abs(location.timestamp.timeIntervalSinceNow) >= 15)
        #expect(-location.timestamp.timeIntervalSinceNow < 15)
        let freshness = Freshness(now: { simulation.date })
        #expect(freshness.isFresh(location))
        await simulation.advance(by: 16)
        #expect(!freshness.isFresh(location))
        #expect(!Freshness().isFresh(location))
    }

    @Test("The lines of the documentation do what they say, and are these")
    func documented() async throws {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        // documented:
        let hut = CLLocationCoordinate2D(latitude: 47.42, longitude: 10.98)
        let summit = CLLocationCoordinate2D(latitude: 47.43, longitude: 10.99)
        await simulation.move(along: [hut, summit], speed: 1.2, every: 10)
        await simulation.follow([CLLocation(latitude: 47, longitude: 10), CLLocation(latitude: 47.02, longitude: 10)])
        await simulation.stay(for: 600, every: 5)
        await simulation.advance(by: 30)
        await simulation.feedHeading(magneticHeading: 87, trueHeading: 90, accuracy: 5)
        await simulation.authorize(.authorizedWhenInUse, accuracy: .reducedAccuracy)
        for prompt in simulation.pendingPrompts { await simulation.answer(.whileUsing, to: prompt) }
        // :documented
        #expect(app.batches.count > 100)
        #expect(simulation.accuracyAuthorization == .reducedAccuracy)

        let here = URL(filePath: #filePath)
        let source = try String(contentsOf: here, encoding: .utf8)
        let lines = try #require(
            source.split(separator: "// documented:\n").last?.split(separator: "// :documented").first
        )
        .split(separator: "\n").map { $0.trimmingPrefix("        ") }.filter { !$0.isEmpty }
        let article = here.deletingLastPathComponent().appending(
            path: "../../Sources/Clients/CoreLocation/CoreLocation.docc/TestingWithoutADaemon.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        #expect(lines.count == 9)
        #expect(text.contains(lines.joined(separator: "\n")))
    }
}

/// The article's.
private struct Freshness: Sendable {
    var now: @Sendable () -> Date = { Date() }
    func isFresh(_ location: CLLocation) -> Bool { abs(location.timestamp.timeIntervalSince(now())) < 15 }
}
