// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import CoreLocationSimulation
import Dispatch
import Foundation
import LocationClient
import LocationModel
import LocationProtocol
import Synchronization
import Testing

/// Starts the service anew with each location, as to get a fresh one.
private final class Restarter: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    private static let queue = DispatchQueue(label: "restarter")
    private let seen = Mutex<[Int]>([])
    private var manager: CLLocationManager?

    var metresEast: [Int] { seen.withLock { $0 } }

    func begin() {
        let manager = CLLocationManager(deliveringOn: Restarter.queue)
        self.manager = manager
        manager.delegate = self
        manager.startUpdatingLocation()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        let metres = locations.map { $0.distance(from: CLLocation(latitude: 47, longitude: 11)) }
        seen.withLock { $0 += metres.map { Int($0.rounded()) } }
        manager.stopUpdatingLocation()
        // What would never end has to end in a test.
        if seen.withLock({ $0.count }) < 50 { manager.startUpdatingLocation() }
    }
}

@Suite("Updates in a simulation")
struct SimulationUpdatesTests {
    private let simulation = CLSimulation(authorization: .authorizedWhenInUse)

    @Test("A location has arrived when feed returns")
    func arrival() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        #expect(app.metresEast == [0])
        await simulation.feed(east: 10)
        #expect(app.metresEast == [0, 10])
    }

    @Test("A location that has speed and course has their accuracies, too, and one that has neither has none")
    func motionAccuracy() async throws {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(latitude: 47, longitude: 11, speed: 13, course: 209)
        await simulation.feed(latitude: 47.0001, longitude: 11)
        await simulation.move(along: [place(0.001), place(0.002)], speed: 20)
        let told = Array(app.batches.joined())
        let first = try #require(told.first)
        #expect(first.speedAccuracy ?? 0 > 0 && first.courseAccuracy ?? 0 > 0)
        #expect(told.count > 3 && told[1].speedAccuracy == nil && told[1].courseAccuracy == nil)
        #expect(told.dropFirst(2).allSatisfy { $0.speedAccuracy ?? 0 > 0 })
    }

    @Test("A delegate that starts the service anew with each location is told of each once, in no circle")
    func restarts() async {
        let app = Restarter()
        await simulation.run { app.begin() }
        for metres in [0.0, 10, 20] {
            await simulation.feed(east: metres)
            await simulation.settle()
        }
        #expect(app.metresEast == [0, 10, 20])
        let requests = simulation.log.count { $0.kind == .request }
        #expect(requests < 12, "\(simulation.log)")
    }

    @Test("Nobody is told of a location that nothing asks for")
    func receiverOff() async {
        let app = await simulation.run { SessionRecorder() }
        await simulation.settle()
        #expect(!simulation.isReceiverOn)
        #expect(await simulation.feed(east: 0) == false)
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        #expect(await simulation.feed(east: 10))
        app.perform(.stopUpdatingLocation)
        #expect(await simulation.feed(east: 20) == false)
        #expect(app.metresEast == [10])
    }

    @Test("The distance filter keeps back what is too near")
    func distanceFilter() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.setProperties(PropertiesPatch(distanceFilter: 45)), .startUpdatingLocation(resumeAfter: nil))
        for metres in stride(from: 0.0, through: 120, by: 10) { await simulation.feed(east: metres) }
        #expect(app.metresEast == [0, 50, 100])
    }

    @Test("A deferral holds locations back until the distance is travelled, and ends behind them")
    func deferral() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        app.perform(.allowDeferredLocationUpdates(DeferralParameters(untilTraveled: 100, timeout: nil)))
        for metres in stride(from: 10.0, through: 90, by: 10) { await simulation.feed(east: metres) }
        #expect(app.metresEast == [0])
        for metres in [100.0, 110] { await simulation.feed(east: metres) }
        #expect(app.batches.map(\.count).max() ?? 0 >= 10, "\(app.batches.map(\.count))")
        let finishes = app.told.compactMap {
            if case .didFinishDeferredUpdates(let number, let error) = $0 { (number, error) } else { nil }
        }
        #expect(finishes.map(\.0) == [1])
        #expect(finishes.first?.1 == nil)
    }

    @Test("A deferral ends by its timeout though no location comes")
    func deferralTimeout() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        app.perform(.allowDeferredLocationUpdates(DeferralParameters(untilTraveled: nil, timeout: 20)))
        for second in 1...15 { await simulation.feed(east: Double(second)) }
        #expect(app.metresEast == [0])
        await simulation.advance(by: 5.5)
        #expect(app.metresEast == Array(0...15))
    }

    @Test("requestLocation fails when its time is up, and not before")
    func requestTimeout() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.requestLocation(timeout: nil))
        await simulation.advance(by: 9.5)
        #expect(app.errors == [])
        await simulation.advance(by: 1)
        #expect(app.errors == [.locationUnknown])
        #expect(!simulation.isReceiverOn)
    }

    @Test("A loss of the fix is told once, after ten seconds")
    func loss() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        await simulation.loseReceiver()
        for metres in 1...8 { await simulation.feed(east: Double(metres)) }
        #expect(app.errors == [])
        await simulation.advance(by: 60)
        #expect(app.errors == [.locationUnknown])
        await simulation.restoreReceiver()
        await simulation.feed(east: 100)
        #expect(app.metresEast == [0, 100])
    }

    @Test("Updates pause at rest and go on when the device moves")
    func pause() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.setProperties(PropertiesPatch(activityType: .fitness)), .startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        await simulation.stay(for: 400)
        #expect(app.pauses == ["pause stationary"])
        let before = app.metresEast.count
        #expect(before < 400)
        await simulation.move(along: [place(0), place(0.01)], speed: 3)
        #expect(app.pauses == ["pause stationary", "resume moved"])
        #expect(app.metresEast.count > before)
    }

    @Test("Live updates say that the device is stationary, and go on when it moves")
    func live() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(SessionCommand(.startLiveUpdates(.fitness), opening: app.session.newHandle()))
        await simulation.feed(east: 0)
        await simulation.stay(for: 400)
        #expect(app.liveUpdates.last?.isStationary == true)
        await simulation.move(along: [place(0), place(0.01)], speed: 3)
        #expect(app.liveUpdates.last?.isStationary == false)
        #expect(app.liveUpdates.count(where: \.isStationary) == 1)
    }

    @Test("Significant changes come where the device has moved far")
    func significantChange() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startMonitoringSignificantLocationChanges)
        await simulation.feed(east: 0)
        await simulation.feed(east: 300, after: 400)
        await simulation.feed(east: 700, after: 400)
        #expect(app.metresEast == [0, 700])
    }
}
