// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LocationClient
import LocationModel
import Synchronization

/// Time that passes only when a test says so, and what is to happen in it.
struct SimulatedClock {
    private struct Pending {
        let due: BootInstant
        let timer: SimulatedTimer
        let queue: DispatchQueue
        let body: @Sendable () -> Void
    }

    // Later than zero, so that ages have room.
    private static let start = BootInstant(nanoseconds: 1_000_000_000_000)

    private let startDate: WallTime
    private(set) var now = SimulatedClock.start
    /// In the order in which they were made.
    private var pending: [Pending] = []

    init(startingAt date: WallTime) { startDate = date }

    var wallTime: WallTime {
        WallTime(milliseconds: startDate.milliseconds + (now - SimulatedClock.start).nanoseconds / 1_000_000)
    }

    /// When the date is, or was, `time`.
    func moment(of time: WallTime) -> BootInstant {
        SimulatedClock.start + .milliseconds(time.milliseconds - startDate.milliseconds)
    }

    mutating func schedule(
        after span: TimeSpan, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
    ) -> SimulatedTimer {
        let timer = SimulatedTimer()
        pending.append(Pending(due: now + max(span, .zero), timer: timer, queue: queue, body: body))
        return timer
    }

    /// When the next thing is to happen.
    var nextDue: BootInstant? { pending.lazy.filter { !$0.timer.isCancelled }.map(\.due).min() }

    /// Moves on, never back, and lets happen what is due, in the order of time.
    mutating func pass(to moment: BootInstant) {
        now = max(now, moment)
        // Work that was called off goes to its queue, too: the last holder of a session should not let go of it here.
        let due = pending.filter { $0.due <= now || $0.timer.isCancelled }.enumerated()
            .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element)
        pending.removeAll { $0.due <= now || $0.timer.isCancelled }
        for item in due {
            item.queue.async {
                if !item.timer.isCancelled { item.body() }
            }
        }
    }
}

/// Something that a simulated clock will let happen.
final class SimulatedTimer: SessionTimer {
    private let cancelled = Atomic(false)

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}
