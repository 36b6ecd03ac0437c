// SPDX-License-Identifier: Apache-2.0
import Foundation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import CoreLocation

// What is said on standard error belongs to the whole process: one suite listens, one test at a time.
extension HeldSessionTests {
    private static let full = RPCError(.limitExceeded, "cannot open another one: the connection has as many as it may")

    @Test("say how many there may be, and what to do, when there are too many")
    func tooManySessions() async throws {
        daemon.refuse(.startBackgroundActivitySession, HeldSessionTests.full)
        let said = try await lines {
            let session = CLBackgroundActivitySession(of: shared)
            let thrown = await #expect(throws: LocationClientError.self) {
                for try await _ in session.diagnostics {}
            }
            #expect(thrown?.localizedDescription.contains("invalidate() the CLServiceSessions") == true)
            session.invalidate()
        }
        #expect(said.contains { $0.contains("connection has as many as it may; invalidate() the CLServiceSessions") })
    }

    @Test("say it once for all that are refused alike")
    func manyTooMany() async throws {
        daemon.refuse(.startServiceSession, HeldSessionTests.full)
        let said = try await lines {
            for _ in 1...5 {
                let session = CLServiceSession(.none, purposeKey: nil, of: shared)
                await #expect(throws: LocationClientError.self) { for try await _ in session.diagnostics {} }
            }
        }
        #expect(said.count { $0.contains("CLServiceSession has no effect") && $0.contains("as many as it may") } == 1)
    }

    @Test("and monitors say it, too, of themselves and of conditions")
    func tooManyMonitors() async throws {
        daemon.refuse(.openMonitor, HeldSessionTests.full)
        let refused = try await lines { _ = await CLMonitor("many", of: shared) }
        #expect(refused.contains { $0.contains("fewer CLMonitors") && !$0.contains("open once") })
        daemon.refuse(.openMonitor, RPCError(.unavailable, "cannot open the monitor: it is open"))
        let held = try await lines { _ = await CLMonitor("held", of: shared) }
        // The limit of somebody else is no reason to have fewer monitors.
        daemon.refuse(.openMonitor, RPCError(.limitExceeded, "cannot keep anything of another app: the user has 64"))
        let crowded = try await lines { _ = await CLMonitor("crowded", of: shared) }
        #expect(crowded.contains { $0.contains("the user has 64") && !$0.contains("fewer CLMonitors") })
        #expect(held.contains { $0.contains("open once at a time") })
        daemon.refuse(.openMonitor, nil)
        let limited = try await lines {
            let monitor = await CLMonitor("full", of: shared)
            let center = CLLocationCoordinate2D(latitude: 0, longitude: 0)
            await monitor.add(
                CLMonitor.CircularGeographicCondition(center: center, radius: 100), identifier: "twenty-first")
            try await eventually("the daemon is asked") {
                daemon.calls.contains { if case .asked(.addCondition) = $0 { true } else { false } }
            }
            daemon.event(
                daemon.lastNumber, "twenty-first",
                ConditionEvent(
                    state: .unmonitored, date: WallTime(milliseconds: 0), refinement: nil,
                    flags: .conditionLimitExceeded), number: 1)
            for try await event in await monitor.events {
                #expect(event.conditionLimitExceeded)
                break
            }
        }
        #expect(limited.contains { $0.contains("twenty-first") && $0.contains("may have 7 conditions") })
    }

    @Test("and streams, monitors and sessions say once that nobody has decided yet, and that nobody is told a reason")
    func undecided() async throws {
        let said = try await lines {
            let session = CLServiceSession(.always, purposeKey: nil, of: shared)
            let first = await CLMonitor("first", of: shared)
            daemon.authorize(.notDetermined)
            let stream = shared.stream(.default)
            let second = await CLMonitor("second", of: shared)
            let idle = CLServiceSession(.none, purposeKey: nil, of: shared)
            try await eventually("the stream has begun") { daemon.calls.contains(.asked(.startLiveUpdates(.default))) }
            withExtendedLifetime((session, first, stream, second, idle)) {}
        }
        for name in ["CLServiceSession", "CLMonitor", "CLLocationUpdate.liveUpdates"] {
            #expect(
                said.count {
                    $0.hasPrefix("\(name) waits for somebody to allow it")
                        && $0.contains("locctl authorize 'uid:0' always")
                } == 1, "\(name) in \(said)")
        }
        #expect(said.count { $0.contains("sees no reason") && $0.contains("UsageDescription into") } == 1, "\(said)")
    }

    @Test("and say nothing of that where it is decided")
    func decided() async throws {
        let said = try await lines {
            let monitor = await CLMonitor("first", of: shared)
            let stream = shared.stream(.default)
            try await eventually("the stream has begun") { daemon.calls.contains(.asked(.startLiveUpdates(.default))) }
            withExtendedLifetime((monitor, stream)) {}
        }
        #expect(!said.contains { $0.contains("waits for somebody") || $0.contains("sees no reason") }, "\(said)")
    }

    @Test("and so does the library of a stream that is refused")
    func tooManyStreams() async throws {
        daemon.refuse(.startLiveUpdates, HeldSessionTests.full)
        var iterator = CLLocationUpdate.Updates(configuration: .default, shared: shared).makeAsyncIterator()
        let thrown = await #expect(throws: LocationClientError.self) { try await iterator.next() }
        #expect(thrown?.localizedDescription.contains("use fewer configurations") == true)
    }

    @Test("and that the daemon takes no connection, for whoever holds only streams and sessions")
    func tooManyConnections() async throws {
        let reason = "cannot take another connection: user 4321 has 64"
        daemon.refuseConnections(RPCError(.tooManyConnections, reason))
        let said = Lines()
        try await lines(into: said) {
            let session = CLServiceSession(.none, purposeKey: nil, of: shared)
            try await eventually("it is said") { said.all.contains { $0.contains(reason) } }
            session.invalidate()
        }
        #expect(said.all.count { $0.contains(reason) } == 1)
    }

    @Test("of the same thing the managers of a program say it once, and of different things each")
    func managersOfProcess() async throws {
        let (regions, turns) = ("cannot watch more regions than \(UUID())", "cannot turn in \(UUID())")
        daemon.refuse(.startMonitoring, RPCError(.limitExceeded, regions))
        daemon.refuse(.startUpdatingHeading, RPCError(.limitExceeded, turns))
        let said = try await lines {
            try await CoreLocationBackend.withDaemon(CoreLocationBackend.Daemon(daemon)) {
                let managers = (1...100).map { _ in CLLocationManager() }
                for manager in managers {
                    manager.startMonitoring(for: CLRegion.make(of: .named("home")))
                    manager.startUpdatingHeading()
                }
                try await eventually("all are refused") {
                    daemon.calls.count { $0.method == .startUpdatingHeading } == 100
                }
                await LocationSessionQueue.settled()
                for manager in managers {
                    await withCheckedContinuation { continuation in
                        manager.core.mailbox.post { continuation.resume() }
                    }
                }
            }
        }
        for part in [regions, turns] {
            #expect(said.count { $0.contains(part) } == 1, "\(part)")
        }
    }

    @Test("the library says once per simulation that something outside of its task talks to the real daemon")
    func outsideOfSimulation() async throws {
        let said = Lines()
        let simulations = TaskSimulations { said.add($0) }
        let real = CoreLocationBackend.Daemon(nil, amid: simulations)
        // The connection is made and let go at once.
        @Sendable func talk() { _ = real.shared.connection() }
        for round in 1...2 {
            let simulation = CoreLocationBackend.Daemon(daemon, amid: simulations)
            for time in 1...2 {
                await CoreLocationBackend.withDaemon(simulation) {
                    _ = CLLocationUpdate.Updates(configuration: .default, shared: real.shared).makeAsyncIterator()
                    _ = CoreLocationBackend.makeSession(of: HeldSessionTests.application) { _ in }
                    #expect(said.all.count == (time == 1 ? round - 1 : round))
                    await Task.detached { talk() }.value
                    talk()
                }
                #expect(said.all.count == round)
            }
        }
        talk()
        #expect(said.all.count == 2)
        #expect(
            said.all.first?.contains("outside of the task") == true && said.all.first?.contains("install()") == true)
    }

    private static let application = SessionApplication(name: "tests", usageDescriptions: UsageDescriptions())
}
