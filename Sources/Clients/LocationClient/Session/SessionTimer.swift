// SPDX-License-Identifier: Apache-2.0
package import Dispatch
package import LocationModel

/// Something that will happen once, unless it is called off.
package protocol SessionTimer: Sendable {
    /// Calls it off. On the timer's queue: it does not happen after.
    func cancel()
}

extension SessionTransport {
    /// The system's.
    package var now: BootInstant { LocationConnection.now }

    /// By the clock of the system that goes on while it sleeps.
    package func schedule(
        after span: TimeSpan, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
    ) -> any SessionTimer {
        BootTimers.shared.schedule(at: now + span, on: queue, body)
    }
}
