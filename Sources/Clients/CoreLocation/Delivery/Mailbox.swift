// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
import Synchronization

/// Calls that wait to run at one place, in order and one at a time.
///
/// Every call runs later than `post`, never from inside of it. If the place does not begin to run within its `patience`, the library tells
/// the developer, once in a process, and runs what waits at the place's `successor` until the place runs after all.
final class Mailbox: Sendable {
    typealias Work = WorkQueue.Work

    private struct State {
        var place: any DeliveryPlace
        /// The place that did not begin to run; nil while `place` is that one.
        var home: (any DeliveryPlace)?
        /// Counts changes of the place: a call that was scheduled at an earlier one must not run there any more.
        var placement = 0
        var works = WorkQueue()
        /// How many run; several if a callback turns its run loop.
        var running = 0
        var hasBegun = false
        var isWatched = false
        var isClosed = false
    }
    private let state: Mutex<State>
    private let log: DeliveryLog
    private let gauge = CoreLocationBackend.gauge
    // Objects that a delegate makes while it is called belong to its manager's daemon.
    private let daemon = CoreLocationBackend.daemonOfTask

    /// Nothing waits, at `place`.
    init(at place: any DeliveryPlace, log: DeliveryLog) {
        state = Mutex(State(place: place))
        self.log = log
    }

    /// Runs `work` at the place, behind all that was posted before. A closed mailbox drops it.
    func post(_ work: @escaping Work) {
        let isOver = state.withLock { state in
            guard !state.isClosed else { return false }
            goHome(&state)
            state.works.append(gauge?.counting(work) ?? work)
            schedule(state, 1)
            watch(&state)
            return state.place.isOver
        }
        // The place will never run a call again.
        if isOver { close() }
    }

    /// Drops what waits and takes nothing more.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.works = WorkQueue() }
            return state.works
        }
        // Outside of the lock: what is dropped may run a developer's deinit.
        withExtendedLifetime(dropped) {}
    }

    // Under the lock, so that what is scheduled has the order of what waits.
    private func schedule(_ state: borrowing State, _ count: Int) {
        let placement = state.placement
        for _ in 0..<count { state.place.schedule { [weak self] in self?.runNext(placement) } }
    }

    private func runNext(_ placement: Int) {
        let work = state.withLock { state -> Work? in
            guard state.placement == placement, !state.isClosed, let work = state.works.takeFirst() else { return nil }
            state.hasBegun = true
            state.running += 1
            return work
        }
        guard let work else { return }
        if let daemon { CoreLocationBackend.withDaemon(daemon, call: work) } else { work() }
        state.withLock { state in
            state.running -= 1
            goHome(&state)
        }
    }

    private func move(_ state: inout State, to place: any DeliveryPlace) {
        state.place = place
        state.placement += 1
        state.hasBegun = false
        state.isWatched = false
        schedule(state, state.works.count)
        watch(&state)
    }

    // MARK: Places that do not begin

    // Nothing runs at two places at a time.
    private func goHome(_ state: inout State) {
        guard state.running == 0, let home = state.home, home.isServing else { return }
        state.home = nil
        move(&state, to: home)
    }

    private func watch(_ state: inout State) {
        guard !state.hasBegun, !state.isWatched, !state.works.isEmpty, let patience = state.place.patience else {
            return
        }
        state.isWatched = true
        let placement = state.placement
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [weak self] in self?.lookAfter(placement) }
    }

    private func lookAfter(_ placement: Int) {
        let complaint = state.withLock { state -> String? in
            guard !state.isClosed, state.placement == placement, !state.hasBegun else { return nil }
            guard !state.place.isServing else {
                state.isWatched = false
                watch(&state)
                return nil
            }
            let place = state.place
            if let successor = place.successor {
                state.home = place
                move(&state, to: successor)
            }
            return place.complaint
        }
        if let complaint { log.sayOnce(complaint) }
    }
}
