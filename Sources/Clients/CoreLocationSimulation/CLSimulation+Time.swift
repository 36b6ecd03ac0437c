// SPDX-License-Identifier: Apache-2.0
import CoreLocation
public import Foundation
import LocationClient
import LocationEngine
import LocationModel
import LocationServices
import Synchronization

// The simulated clock, and how the app keeps step with it.
extension CLSimulation {
    // More often than any app answers one thing with another, so that one that never ends is noticed.
    private static let mostRounds = 10_000

    /// Returns when the app and the daemon have nothing more to do at this moment: when all that the app asked for is
    /// carried out, and all that it is told has reached its delegates and its tasks on the main actor. Tasks elsewhere
    /// may still be on their way.
    public func settle() async {
        for _ in 0..<CLSimulation.mostRounds {
            let before = activity
            for _ in 0..<2 {
                await sessionsAreIdle()
                await gauge.settle()
                // Tasks of the main actor that have got an element of a sequence come before this.
                await MainActor.run {}
            }
            if activity == before { return }
        }
        transport.daemon.withLock { $0.note(.daemon, "the app answers every answer with a question; gave up waiting") }
    }

    private var activity: UInt64 { transport.daemon.withLock { $0.activity } }

    /// All that waits on the queue of the sessions is done.
    private func sessionsAreIdle() async {
        await withCheckedContinuation { continuation in
            LocationSession.queue.async { continuation.resume() }
        }
    }

    /// Lets time pass without a location: timeouts end, deferrals finish, the device rests, the fix is lost.
    ///
    /// - Parameter seconds: Not negative.
    public func advance(by seconds: TimeInterval) async {
        precondition(seconds >= 0, "cannot advance by \(seconds) s: time goes forward")
        await settle()
        await advance(to: transport.daemon.withLock { $0.clock.now } + .seconds(seconds))
    }

    /// Serves what is due on the way, one moment after the other; the app may answer each.
    func advance(to end: BootInstant) async {
        while transport.daemon.withLock({ $0.pass(towards: end) }) { await settle() }
        await settle()
    }
}

extension SimulatedDaemon {
    /// Moves on to the next moment at which something happens, at most to `end`. Returns whether that is before `end`.
    func pass(towards end: BootInstant) -> Bool {
        let wake = isRunning ? service.engine.nextWake?.earliest : nil
        guard let next = [wake, clock.nextDue].compactMap({ $0 }).min(), next <= end else {
            clock.pass(to: end)
            return false
        }
        clock.pass(to: next)
        if let wake, wake <= next { handle(.woke) }
        return true
    }
}
