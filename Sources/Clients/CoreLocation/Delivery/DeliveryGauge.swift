// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// Counts calls on their way to the program, so that a simulation can wait until the program is done with what it was sent.
package final class DeliveryGauge: Sendable {
    private struct State {
        /// Numbers from `oldest` on, false: still on its way. The first is not done.
        var done: [Bool] = []
        var oldest: UInt64 = 1
        var waiting: [(through: UInt64, ticket: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
        var lastTicket: UInt64 = 0

        var last: UInt64 { oldest + UInt64(done.count) - 1 }

        mutating func finish(_ number: UInt64) -> [CheckedContinuation<Void, Never>] {
            guard number >= oldest else { return [] }
            done[Int(number - oldest)] = true
            guard number == oldest else { return [] }
            let finished = done.firstIndex(of: false) ?? done.count
            done.removeFirst(finished)
            oldest += UInt64(finished)
            return takeServed()
        }

        /// Takes out waiters whose calls are done.
        mutating func takeServed() -> [CheckedContinuation<Void, Never>] {
            defer { waiting.removeAll { $0.through < oldest } }
            return waiting.filter { $0.through < oldest }.map(\.continuation)
        }

        /// Waits no longer for the calls of `ticket`: a loop took an element and never asked for another one.
        mutating func giveUp(on ticket: UInt64) -> [CheckedContinuation<Void, Never>] {
            guard let waiter = waiting.first(where: { $0.ticket == ticket }) else { return [] }
            done.removeFirst(Int(waiter.through - oldest) + 1)
            oldest = waiter.through + 1
            return takeServed()
        }
    }

    private let state = Mutex(State())
    // A loop of the program may itself wait for what comes later, so the wait for the loop has an end.
    private static let patience = DispatchTimeInterval.seconds(2)

    /// Nothing is on its way.
    package init() {}

    /// `work`, counted until it has run or will never run.
    func counting(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let passage = passage()
        return { withExtendedLifetime(passage, work) }
    }

    /// Something that is on its way as long as the result lives.
    func passage() -> Passage {
        Passage(
            state.withLock { state in
                state.done.append(false)
                return state.last
            }, self)
    }

    /// On its way as long as it lives.
    final class Passage: Sendable {
        private let number: UInt64
        private let gauge: DeliveryGauge

        fileprivate init(_ number: UInt64, _ gauge: DeliveryGauge) {
            self.number = number
            self.gauge = gauge
        }

        deinit {
            for continuation in gauge.state.withLock({ $0.finish(number) }) { continuation.resume() }
        }
    }

    /// Returns when all that was on its way at the call has been dealt with, or after two seconds.
    package func settle() async {
        await withCheckedContinuation { continuation in
            let ticket = state.withLock { state -> UInt64? in
                guard state.last >= state.oldest else { return nil }
                state.lastTicket += 1
                state.waiting.append((state.last, state.lastTicket, continuation))
                return state.lastTicket
            }
            guard let ticket else { return continuation.resume() }
            DispatchQueue.global().asyncAfter(deadline: .now() + DeliveryGauge.patience) { [self] in
                for continuation in state.withLock({ $0.giveUp(on: ticket) }) { continuation.resume() }
            }
        }
    }
}
