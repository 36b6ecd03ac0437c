// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import CoreLocationSimulation
import LocationClient
import LocationModel
import LocationProtocol
import Testing

@Suite("Regions, visits and monitors in a simulation")
struct SimulationPlacesTests {
    private let simulation = CLSimulation(authorization: .authorizedAlways)
    private let home = RegionShape.circle(center: Coordinate(latitude: 47, longitude: 11), radius: 100)

    @Test("A region is entered and left after the time that makes a crossing one")
    func region() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startMonitoring(Region(identifier: "home", shape: home)))
        await simulation.feed(east: 1000)
        await simulation.stay(for: 60)
        #expect(app.crossings == [])
        await simulation.feed(east: 0, after: 60)
        await simulation.stay(for: 60)
        #expect(app.crossings == ["enter home"])
        await simulation.feed(east: 1000, after: 60)
        await simulation.stay(for: 60)
        #expect(app.crossings == ["enter home", "exit home"])
    }

    @Test("A touch of the border is no crossing")
    func touch() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startMonitoring(Region(identifier: "home", shape: home)))
        await simulation.feed(east: 200)
        await simulation.stay(for: 60)
        await simulation.feed(east: 97)
        await simulation.feed(east: 120)
        await simulation.stay(for: 60)
        #expect(app.crossings == [])
    }

    @Test("A stay becomes a visit, with an arrival and a departure")
    func visit() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startMonitoringVisits)
        await simulation.move(along: [place(-0.02), place(0)], speed: 10)
        await simulation.stay(for: 1200, every: 5)
        #expect(app.visits.map { $0.departure == nil } == [true])
        await simulation.move(along: [place(0), place(0.02)], speed: 10)
        #expect(app.visits.map { $0.departure == nil } == [true, false])
        #expect(
            app.visits.first.map { $0.coordinate.distance(to: Coordinate(latitude: 47, longitude: 11)) < 30 } == true)
    }

    @Test("A monitor tells that its condition is satisfied")
    func monitor() async {
        let app = await simulation.run { SessionRecorder() }
        let monitor = app.session.newHandle()
        app.perform(SessionCommand(.openMonitor(name: "errands"), opening: monitor))
        app.perform(
            .addCondition(
                ConditionParameters(
                    monitor: monitor.number, identifier: "home", condition: home, assuming: .unsatisfied)))
        await simulation.feed(east: 1000)
        await simulation.stay(for: 60)
        await simulation.feed(east: 0, after: 60)
        await simulation.stay(for: 60)
        #expect(app.monitorEvents.map(\.identifier) == ["home"])
        #expect(app.monitorEvents.first?.content.state == .satisfied)
        #expect(app.monitorEvents.first?.monitor == monitor.number)
    }

    @Test("Two managers of an app are told of the same region, one of another app is not")
    func sharedApp() async {
        let (one, two, other) = await simulation.run {
            (SessionRecorder(), SessionRecorder(), SessionRecorder("other"))
        }
        for app in [one, two, other] { app.perform(.setPresence(.background)) }
        one.perform(.startMonitoring(Region(identifier: "home", shape: home)))
        await simulation.feed(east: 1000)
        await simulation.stay(for: 60)
        await simulation.feed(east: 0, after: 60)
        await simulation.stay(for: 60)
        #expect(one.crossings == ["enter home"])
        #expect(two.crossings == ["enter home"])
        #expect(other.crossings == [])
    }
}
