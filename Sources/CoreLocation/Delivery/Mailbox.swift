// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
import Synchronization

/// What is to be called at one place, in order and one at a time.
///
/// Every call runs later than `post`, never from inside of it. A place that never begins to run loses nothing: after its
/// patience the developer is told once, and what waits goes to its successor for good.
final class Mailbox: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var place: any DeliveryPlace
        /// Counts the moves: what was scheduled at an earlier place must not run there any more.
        var era = 0
        var works: [Work] = []
        /// The first of `works` that has not run.
        var next = 0
        var hasBegun = false
        var isWatched = false
        var isClosed = false

        mutating func takeNext() -> Work? {
            guard next < works.count else { return nil }
            let work = works[next]
            // Let go of at once, but for a place in the array.
            works[next] = {}
            next += 1
            if next == works.count {
                works.removeAll(keepingCapacity: works.capacity <= 64)
                next = 0
            } else if next == 1024 {
                works.removeFirst(next)
                next = 0
            }
            return work
        }
    }
    private let state: Mutex<State>
    private let log: DeliveryLog
    private let gauge = CoreLocationBackend.gauge
    // What a delegate makes when it is called belongs where its manager does.
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
            if state.place.isOver, let successor = state.place.successor { move(&state, to: successor) }
            state.works.append(gauge?.counting(work) ?? work)
            schedule(state, 1)
            watch(&state)
            return state.place.isOver && state.place.successor == nil
        }
        // Nobody will ever take it.
        if isOver { close() }
    }

    /// Drops what waits and takes nothing more.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { (state.works, state.next) = ([], 0) }
            return state.works
        }
        // Outside of the lock: what is dropped may run a developer's deinit.
        withExtendedLifetime(dropped) {}
    }

    // Under the lock, so that what is scheduled has the order of what waits.
    private func schedule(_ state: borrowing State, _ count: Int) {
        let era = state.era
        for _ in 0..<count { state.place.schedule { [weak self] in self?.runNext(era) } }
    }

    private func runNext(_ era: Int) {
        let work = state.withLock { state -> Work? in
            guard state.era == era, !state.isClosed else { return nil }
            state.hasBegun = true
            return state.takeNext()
        }
        guard let work else { return }
        if let daemon { CoreLocationBackend.withDaemon(daemon, call: work) } else { work() }
    }

    private func move(_ state: inout State, to place: any DeliveryPlace) {
        state.place = place
        state.era += 1
        state.hasBegun = false
        schedule(state, state.works.count - state.next)
    }

    // MARK: Places that do not begin

    private func watch(_ state: inout State) {
        guard !state.hasBegun, !state.isWatched, let patience = state.place.patience else { return }
        state.isWatched = true
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [weak self] in self?.lookAfter() }
    }

    private func lookAfter() {
        let complaint = state.withLock { state -> String? in
            guard !state.isClosed, !state.hasBegun else { return nil }
            guard !state.place.isServing else {
                state.isWatched = false
                watch(&state)
                return nil
            }
            let complaint = state.place.complaint
            guard let successor = state.place.successor else { return complaint }
            move(&state, to: successor)
            state.isWatched = false
            watch(&state)
            return complaint
        }
        if let complaint { log.say(complaint) }
    }
}
