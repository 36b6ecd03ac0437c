// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The events of a monitor for any number of iterations: each gets every event that nobody had taken when it began.
final class MonitorEvents: Sendable {
    /// An event, and the number under which the daemon waits to hear that it was taken.
    struct Pending: Sendable {
        let event: CLMonitor.Event
        /// Nil: the daemon does not wait for it.
        let number: UInt64?
        fileprivate var order: UInt64 = 0

        init(event: CLMonitor.Event, number: UInt64?) {
            self.event = event
            self.number = number
        }
    }

    private struct Reader {
        weak var queue: ElementQueue<Pending>?
    }

    private struct State {
        // Of these no iteration has taken one.
        var untaken: [Pending] = []
        var readers: [Reader] = []
        var lastOrder: UInt64 = 0
    }

    /// How many events may wait for the program: as many as the daemon keeps for an app.
    private static let capacity = 1000

    private let state = Mutex(State())

    // The newest event of a condition is the only one that counts; the daemon itself has one at a time.
    private static func insert(_ waiting: inout [Pending], _ pending: Pending) {
        waiting.removeAll { $0.event.identifier == pending.event.identifier }
        if waiting.count == capacity { waiting.removeFirst() }
        waiting.append(pending)
    }

    /// Tells all iterations, and those that begin before one has taken it.
    func push(_ pending: Pending) {
        // Under the lock, so that no event overtakes another.
        state.withLock { state in
            var pending = pending
            state.lastOrder += 1
            pending.order = state.lastOrder
            MonitorEvents.insert(&state.untaken, pending)
            for reader in state.readers { reader.queue?.push(pending) }
        }
    }

    /// A queue for another iteration.
    func read() -> ElementQueue<Pending> {
        state.withLock { state in
            let queue = ElementQueue(insert: MonitorEvents.insert)
            for pending in state.untaken { queue.push(pending) }
            state.readers.removeAll { $0.queue == nil }
            state.readers.append(Reader(queue: queue))
            return queue
        }
    }

    /// Whether this is the first iteration that takes `pending`.
    func take(_ pending: Pending) -> Bool {
        state.withLock { state in
            guard let index = state.untaken.firstIndex(where: { $0.order == pending.order }) else { return false }
            state.untaken.remove(at: index)
            return true
        }
    }

    /// Forgets what no iteration has taken of a condition.
    func forget(_ identifier: String) {
        state.withLock { state in
            state.untaken.removeAll { $0.event.identifier == identifier }
            for reader in state.readers { reader.queue?.removeAll { $0.event.identifier == identifier } }
        }
    }
}
