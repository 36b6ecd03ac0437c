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

    /// By the clock of the system.
    package func schedule(
        after span: TimeSpan, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
    ) -> any SessionTimer {
        let timer = SystemTimer(DispatchWorkItem(block: body))
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: span.nanoseconds)), execute: timer.item)
        return timer
    }
}

/// A work item may be called off from any thread, though it does not say so.
private struct SystemTimer: SessionTimer, @unchecked Sendable {
    let item: DispatchWorkItem

    init(_ item: DispatchWorkItem) { self.item = item }

    func cancel() { item.cancel() }
}
