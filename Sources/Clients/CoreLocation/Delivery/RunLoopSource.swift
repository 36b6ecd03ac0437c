// SPDX-License-Identifier: Apache-2.0
internal import CRunLoop
internal import Dispatch
internal import Foundation
import Synchronization

/// Makes the run loop of a thread do what another thread wants, and keeps the loop from ending for want of sources; one for
/// all managers of a thread.
///
/// It is a source of the run loop, as Core Location's own: `run(mode:before:)` returns after it was served, and a loop that is
/// turned inside of a callback serves it, too.
final class RunLoopBell: @unchecked Sendable {
    typealias Work = WorkQueue.Work

    private static let bells = Mutex<[ObjectIdentifier: WeakBell]>([:])

    private final class WeakBell: Sendable {
        weak let bell: RunLoopBell?
        // What may be asked under the lock: a strong reference there might become the last one.
        let identity: ObjectIdentifier

        init(_ bell: RunLoopBell) {
            self.bell = bell
            identity = ObjectIdentifier(bell)
        }
    }

    // Core Foundation locks run loops and sources; only the classes around them do not say so.
    private let loop: RunLoop
    // Nil: there was no memory for it, and the main queue does all.
    private let source: OpaquePointer?
    private let waiting: Waiting

    /// The bell of the calling thread.
    static func ofCurrentThread() -> RunLoopBell {
        Thread.isMainThread ? ofMainThread() : known(.current) { RunLoopBell(elsewhere: nil) }
    }

    /// The bell of the main thread, for which the main queue works whenever it does not turn its run loop.
    static func ofMainThread() -> RunLoopBell { known(.main) { RunLoopBell(of: .main, elsewhere: .main) } }

    private static func known(_ loop: RunLoop, or make: () -> RunLoopBell) -> RunLoopBell {
        bells.withLock { bells in
            if let bell = bells[ObjectIdentifier(loop)]?.bell { return bell }
            let bell = make()
            bells[ObjectIdentifier(loop)] = WeakBell(bell)
            return bell
        }
    }

    /// Of the calling thread, for which `elsewhere` works whenever it does not turn its run loop.
    convenience init(elsewhere: DispatchQueue?) { self.init(of: .current, elsewhere: elsewhere) }

    private init(of loop: RunLoop, elsewhere: DispatchQueue?) {
        self.loop = loop
        waiting = Waiting(elsewhere: elsewhere)
        source = crunloop_open(waiting.owner, loop === RunLoop.main)
        if source == nil { waiting.close() }
    }

    deinit {
        waiting.close()
        if let source { crunloop_close(source) }
        let (key, identity) = (ObjectIdentifier(loop), ObjectIdentifier(self))
        RunLoopBell.bells.withLock { bells in
            if bells[key]?.identity == identity { bells[key] = nil }
        }
    }

    /// Whether the thread runs its run loop now.
    var isServing: Bool { loop.currentMode != nil }

    /// Runs `work` on the run loop, in the order of the calls, or on the queue that stands in; on the main queue if the thread has
    /// ended.
    func ring(for work: @escaping Work) {
        if waiting.add(work), let source { crunloop_signal(source, true) }
    }
}

/// What waits for a run loop. Apart from the bell, so that the run loop does not keep that alive.
private final class Waiting: Sendable {
    private struct State: Sendable {
        var works = WorkQueue()
        /// Somebody has been told of all that waits.
        var isRung = false
        /// How many times the thread is in its run loop, one inside of the other, as far as that was seen.
        var depth = 0
        var isOver = false
    }
    private let state = Mutex(State())
    private let elsewhere: DispatchQueue?

    init(elsewhere: DispatchQueue?) { self.elsewhere = elsewhere }

    /// Whether the run loop has to be told.
    func add(_ work: @escaping WorkQueue.Work) -> Bool {
        state.withLock { state in
            state.works.append(work)
            guard !state.isRung else { return false }
            state.isRung = true
            return !goElsewhere(state)
        }
    }

    /// Only what waits now: a run loop has other things to do, too. One after the other, because a callback may turn the loop,
    /// and then the next must not stay behind.
    private func answer() {
        let count = state.withLock { state in
            state.isRung = false
            return state.works.count
        }
        for _ in 0..<count {
            guard let work = state.withLock({ $0.works.takeFirst() }) else { return }
            work()
        }
    }

    private func turn(_ isEntered: Bool) -> Bool {
        state.withLock { state in
            state.depth = max(0, state.depth + (isEntered ? 1 : -1))
            guard !state.works.isEmpty else { return false }
            state.isRung = true
            return !goElsewhere(state)
        }
    }

    /// Nobody wants anything any more.
    func close() {
        let dropped = state.withLock { state in
            state.isOver = true
            defer { state.works = WorkQueue() }
            return state.works
        }
        withExtendedLifetime(dropped) {}
    }

    private func end() {
        let isNews = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver && !state.works.isEmpty
        }
        // Not from here: at the end of one of its threads Dispatch has put away what it keeps for it.
        if isNews { FreshThread.run { DispatchQueue.main.async { self.answer() } } }
    }

    // Under the lock: a loop that is left just now would tell nobody of what comes.
    private func goElsewhere(_ state: borrowing State) -> Bool {
        guard let queue = state.isOver ? .main : state.depth > 0 ? nil : elsewhere else { return false }
        queue.async { self.answer() }
        return true
    }

    /// How the run loop calls it.
    var owner: crunloop_owner {
        crunloop_owner(
            info: Unmanaged.passUnretained(self).toOpaque(),
            retain: { info in info.map { UnsafeRawPointer(Unmanaged<Waiting>.fromOpaque($0).retain().toOpaque()) } },
            release: { info in info.map { Unmanaged<Waiting>.fromOpaque($0).release() } },
            perform: { Waiting.at($0)?.answer() },
            turn: { Waiting.at($0)?.turn($1) ?? false },
            gone: { Waiting.at($0)?.end() })
    }

    private static func at(_ info: UnsafeMutableRawPointer?) -> Waiting? {
        info.map { Unmanaged<Waiting>.fromOpaque($0).takeUnretainedValue() }
    }
}
