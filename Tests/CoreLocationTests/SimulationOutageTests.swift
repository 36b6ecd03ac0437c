// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import CoreLocationSimulation
import LocationClient
import LocationModel
import LocationProtocol
import Testing

@Suite("A simulated daemon that goes away")
struct SimulationOutageTests {
    private let simulation = CLSimulation(authorization: .authorizedAlways)

    @Test("An app that lost its connection gets its locations again, each once", arguments: [false, true])
    func restart(losingManagers: Bool) async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        for metres in [0.0, 10] { await simulation.feed(east: metres) }
        await simulation.restartDaemon(losingManagers: losingManagers)
        await simulation.advance(by: 2)
        #expect(simulation.isReceiverOn)
        for metres in [20.0, 30] { await simulation.feed(east: metres) }
        #expect(app.metresEast == [0, 10, 20, 30])
    }

    @Test("A connection that is lost while the daemon goes on misses nothing")
    func disconnect() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        await simulation.disconnect()
        await simulation.advance(by: 5)
        await simulation.feed(east: 10)
        #expect(app.metresEast == [0, 10])
        #expect(app.events.contains { if case .disconnected = $0 { true } else { false } })
    }

    @Test("A daemon that stays away for ten seconds is told of, once")
    func unreachable() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        await simulation.stopDaemon()
        #expect(await simulation.feed(east: 10) == false)
        await simulation.advance(by: 8)
        #expect(app.unreachable == 0)
        await simulation.advance(by: 60)
        #expect(app.unreachable == 1)
        await simulation.startDaemon()
        await simulation.advance(by: 1)
        await simulation.feed(east: 20)
        #expect(app.metresEast == [0, 20])
    }

    @Test("What an app asks for while the daemon is away is done when it is back")
    func laterWish() async {
        await simulation.stopDaemon()
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.advance(by: 3)
        await simulation.startDaemon()
        await simulation.advance(by: 1)
        await simulation.feed(east: 0)
        #expect(app.metresEast == [0])
    }

    @Test("Regions outlive the daemon")
    func regions() async {
        let home = RegionShape.circle(center: Coordinate(latitude: 47, longitude: 11), radius: 100)
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startMonitoring(Region(identifier: "home", shape: home)))
        await simulation.feed(east: 1000)
        await simulation.stay(for: 60)
        await simulation.restartDaemon(losingManagers: true)
        await simulation.advance(by: 2)
        await simulation.feed(east: 0, after: 60)
        await simulation.stay(for: 60)
        #expect(app.crossings == ["enter home"])
    }

    @Test("Simulations at the same time know nothing of each other")
    func isolation() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 1...8 {
                group.addTask {
                    let simulation = CLSimulation(authorization: .authorizedAlways)
                    await simulation.run {
                        let app = SessionRecorder()
                        app.perform(.startUpdatingLocation(resumeAfter: nil))
                        for step in 1...20 { await simulation.feed(east: Double(number * step)) }
                        #expect(app.metresEast == (1...20).map { number * $0 })
                    }
                }
            }
        }
    }
}
