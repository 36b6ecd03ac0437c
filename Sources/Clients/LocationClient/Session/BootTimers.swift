// SPDX-License-Identifier: Apache-2.0
import CLinux
import Dispatch
import Glibc
import LocationModel
import Synchronization

/// Runs work at moments of the boot-time clock, for all sessions of the process: one descriptor, set only while something is
/// due. Dispatch's own timers stand still while the system sleeps, and work that is due meanwhile would come late by as much.
final class BootTimers: Sendable {
    static let shared = BootTimers()

    private struct Entry {
        let moment: BootInstant
        let queue: DispatchQueue
        let item: DispatchWorkItem
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var lastNumber: UInt64 = 0
        /// Nil: nothing needed it yet.
        var descriptor: Int32?
        var source: (any DispatchSourceRead)?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "CoreLocation.timers")

    /// Runs `body` once on `queue` at `moment`, or as soon as the system is awake after it.
    func schedule(
        at moment: BootInstant, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
    ) -> any SessionTimer {
        state.withLock { state in
            let item = DispatchWorkItem(block: body)
            state.lastNumber += 1
            let timer = BootTimer(number: state.lastNumber, item: item, timers: self)
            guard open(&state) else {
                // Without descriptors, late is better than never.
                let span = max((moment - LocationConnection.now).nanoseconds, 0)
                queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: span)), execute: item)
                return timer
            }
            state.entries[state.lastNumber] = Entry(moment: moment, queue: queue, item: item)
            set(state)
            return timer
        }
    }

    fileprivate func forget(_ number: UInt64) {
        state.withLock { state in
            if state.entries.removeValue(forKey: number) != nil { set(state) }
        }
    }

    private func open(_ state: inout State) -> Bool {
        if state.descriptor != nil { return true }
        let descriptor = clinux_boottime_timer()
        guard descriptor >= 0 else { return false }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.expire() }
        (state.descriptor, state.source) = (descriptor, source)
        source.activate()
        return true
    }

    private func set(_ state: borrowing State) {
        guard let descriptor = state.descriptor else { return }
        let next = state.entries.values.lazy.map(\.moment).min()
        // A moment before the clock began is past as well.
        _ = clinux_boottime_timer_set(descriptor, next.map { max($0.nanoseconds, 0) } ?? -1)
    }

    private func expire() {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return }
            var count: UInt64 = 0
            _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
            let now = LocationConnection.now
            let due = state.entries.filter { $0.value.moment <= now }.sorted { $0.value.moment < $1.value.moment }
            for (number, entry) in due {
                state.entries[number] = nil
                entry.queue.async(execute: entry.item)
            }
            set(state)
        }
    }
}

/// A work item may be called off from any thread, though it does not say so.
private struct BootTimer: SessionTimer, @unchecked Sendable {
    let number: UInt64
    let item: DispatchWorkItem
    let timers: BootTimers

    func cancel() {
        item.cancel()
        timers.forget(number)
    }
}
