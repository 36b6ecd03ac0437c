// SPDX-License-Identifier: Apache-2.0
internal import CRunLoop
internal import Dispatch
internal import Foundation
import Synchronization

/// A source of a thread's run loop that runs calls of other threads there; all managers of a thread share one.
///
/// As Core Location's own source it keeps the loop from ending, `run(mode:before:)` returns after serving it, and a loop that is run inside
/// of a callback serves it, too.
final class RunLoopSource: @unchecked Sendable {
    typealias Work = WorkQueue.Work

    private static let sources = Mutex<[ObjectIdentifier: WeakSource]>([:])

    private final class WeakSource: Sendable {
        weak let source: RunLoopSource?
        // May be compared under the lock; a strong reference there might become the last one.
        let identity: ObjectIdentifier

        init(_ source: RunLoopSource) {
            self.source = source
            identity = ObjectIdentifier(source)
        }
    }

    // Core Foundation locks run loops and sources; only the classes around them do not say so.
    private let loop: RunLoop
    // Nil: there was no memory for it, and the main queue does all.
    private let source: OpaquePointer?
    private let waiting: Waiting

    /// The source of the calling thread's run loop.
    static func ofCurrentThread() -> RunLoopSource {
        Thread.isMainThread ? ofMainThread() : known(.current) { RunLoopSource(elsewhere: nil) }
    }

    /// The source of the main thread's run loop. While the thread does not run that, the main queue runs the calls.
    static func ofMainThread() -> RunLoopSource { known(.main) { RunLoopSource(of: .main, elsewhere: .main) } }

    private static func known(_ loop: RunLoop, or make: () -> RunLoopSource) -> RunLoopSource {
        sources.withLock { sources in
            if let source = sources[ObjectIdentifier(loop)]?.source { return source }
            let source = make()
            sources[ObjectIdentifier(loop)] = WeakSource(source)
            return source
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
        RunLoopSource.sources.withLock { sources in
            if sources[key]?.identity == identity { sources[key] = nil }
        }
    }

    /// Whether the thread runs its run loop now.
    var isServing: Bool { loop.currentMode != nil }

    /// Runs `work` on the run loop, in the order of the calls, or on the queue that stands in; on the main queue if the thread has
    /// ended.
    func schedule(_ work: @escaping Work) {
        if waiting.add(work), let source { crunloop_signal(source, true) }
    }
}

/// Calls that wait for a run loop. Not part of the source, so that the run loop does not keep that alive.
private final class Waiting: Sendable {
    private struct State: Sendable {
        var works = WorkQueue()
        /// The run loop or the queue has been told of all calls that wait.
        var isSignalled = false
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
            guard !state.isSignalled else { return false }
            state.isSignalled = true
            return !goElsewhere(state)
        }
    }

    /// Only what waits now: a run loop has other things to do, too. One after the other, because a callback may turn the loop,
    /// and then the next must not stay behind.
    private func answer() {
        let count = state.withLock { state in
            state.isSignalled = false
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
            state.isSignalled = true
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
