// SPDX-License-Identifier: Apache-2.0
import CoreLocationSimulation
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
            #expect(thrown?.localizedDescription.contains("32 CLServiceSessions") == true)
            session.invalidate()
        }
        #expect(said.contains { $0.contains("32 CLServiceSessions") && $0.contains("invalidate()") })
    }

    @Test("and monitors say it, too, of themselves and of conditions")
    func tooManyMonitors() async throws {
        daemon.refuse(.openMonitor, HeldSessionTests.full)
        let refused = try await lines { _ = await CLMonitor("many", of: shared) }
        #expect(refused.contains { $0.contains("32 CLMonitors") && !$0.contains("open once") })
        daemon.refuse(.openMonitor, RPCError(.unavailable, "cannot open the monitor: it is open"))
        let held = try await lines { _ = await CLMonitor("held", of: shared) }
        #expect(held.contains { $0.contains("open once at a time") })
        daemon.refuse(.openMonitor, nil)
        let limited = try await lines {
            let monitor = await CLMonitor("full", of: shared)
            let center = CLLocationCoordinate2D(latitude: 0, longitude: 0)
            await monitor.add(
                CLMonitor.CircularGeographicCondition(center: center, radius: 100), identifier: "twenty-first")
            try await eventually("the daemon is asked") {
                daemon.calls.contains { if case .addCondition = $0 { true } else { false } }
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
        #expect(limited.contains { $0.contains("twenty-first") && $0.contains("20 conditions") })
    }

    @Test("and so does the library of a stream that is refused")
    func tooManyStreams() async throws {
        daemon.refuse(.startLiveUpdates, HeldSessionTests.full)
        var iterator = CLLocationUpdate.Updates(configuration: .default, shared: shared).makeAsyncIterator()
        let thrown = await #expect(throws: LocationClientError.self) { try await iterator.next() }
        #expect(thrown?.localizedDescription.contains("32 streams of live updates") == true)
    }

    @Test("the library says once that something is made outside of the task that has a simulation")
    func outsideOfSimulation() async throws {
        let said = try await lines {
            await CLSimulation().run {
                for _ in 1...2 {
                    await Task.detached { _ = CoreLocationBackend.transport }.value
                }
                _ = CoreLocationBackend.transport
            }
            _ = CoreLocationBackend.transport
        }
        #expect(said.count { $0.contains("outside of the task") } == 1)
        #expect(said.first?.contains("install()") == true)
    }
}
