// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import CoreLocationSimulation
import LocationClient
import LocationModel
import LocationProtocol
import Testing

@Suite("Single errors in a simulation")
struct SimulationFailureTests {
    private let simulation = CLSimulation(authorization: .authorizedAlways)

    @Test("Updates fail with the code that is asked for, only where they run, and go on")
    func updates() async {
        let (app, idle) = await simulation.run { (SessionRecorder(), SessionRecorder()) }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        await simulation.failUpdates()
        await simulation.failUpdates(with: .network)
        #expect(app.errors == [.locationUnknown, LocationErrorCode(rawValue: 2)])
        #expect(idle.errors == [])
        await simulation.feed(east: 10)
        #expect(app.metresEast == [0, 10])
    }

    @Test("Heading fails only where somebody has headings")
    func heading() async {
        let (app, other) = await simulation.run { (SessionRecorder(), SessionRecorder()) }
        await simulation.feedHeading(trueHeading: 90)
        app.perform(.startUpdatingHeading)
        other.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.settle()
        await simulation.failHeading()
        #expect(app.errors == [.headingFailure])
        #expect(other.errors == [])
    }

    @Test("Monitoring of a region fails by its name, and the region stays")
    func monitoring() async {
        let app = await simulation.run { SessionRecorder() }
        let home = RegionShape.circle(center: Coordinate(latitude: 47, longitude: 11), radius: 100)
        app.perform(.startMonitoring(Region(identifier: "home", shape: home)))
        await simulation.settle()
        #expect(await simulation.failMonitoring(of: "home"))
        #expect(await !simulation.failMonitoring(of: "nowhere"))
        let failures = app.told.compactMap {
            if case .monitoringDidFail(let region, let error) = $0 {
                "\(region.identifier) \(error.code.rawValue)"
            } else {
                nil
            }
        }
        #expect(failures == ["home \(LocationErrorCode.regionMonitoringSetupDelayed.rawValue)"])
        await simulation.feed(east: 1000)
        await simulation.stay(for: 60)
        await simulation.feed(east: 0, after: 60)
        await simulation.stay(for: 60)
        #expect(app.crossings == ["enter home"])
    }

    @Test("Late answers come late, in their order, and all of them")
    func late() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        await simulation.delayAnswers(by: 3)
        await simulation.feed(east: 10)
        #expect(app.metresEast == [0])
        await simulation.advance(by: 2)
        #expect(app.metresEast == [0])
        await simulation.feed(east: 20)
        await simulation.delayAnswers(by: 0)
        await simulation.feed(east: 30)
        await simulation.advance(by: 3)
        #expect(app.metresEast == [0, 10, 20, 30])
    }
}
