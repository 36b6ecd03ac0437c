// SPDX-License-Identifier: Apache-2.0
internal import Foundation
import Synchronization

/// Makes the run loop of a thread do something that another thread wants, and keeps the loop from ending for want of
/// sources; one for all managers of a thread.
///
/// It is a timer that never comes due until somebody rings: that costs nothing, and to move its date wakes the loop at once.
final class RunLoopBell: @unchecked Sendable {
    private static let bells = Mutex<[ObjectIdentifier: WeakBell]>([:])
    private struct WeakBell: Sendable { weak var bell: RunLoopBell? }

    // Core Foundation locks run loops and timers; only the classes around them do not say so.
    private let loop: RunLoop
    private let thread: Thread
    private let timer: Timer
    private let waiting: Waiting

    // Apart, so that the timer does not keep the bell alive.
    private final class Waiting: Sendable {
        let works = Mutex<[@Sendable () -> Void]>([])
        let isOver = Atomic<Bool>(false)
    }

    /// The bell of the calling thread.
    static func ofCurrentThread() -> RunLoopBell {
        let loop = RunLoop.current
        if let bell = bells.withLock({ $0[ObjectIdentifier(loop)]?.bell }) { return bell }
        // Nobody else can make the bell of this thread meanwhile.
        let bell = RunLoopBell(loop)
        bells.withLock { $0[ObjectIdentifier(loop)] = WeakBell(bell: bell) }
        return bell
    }

    /// How many run loops have a bell.
    static var count: Int { bells.withLock { $0.values.count { $0.bell != nil } } }

    private init(_ loop: RunLoop) {
        self.loop = loop
        thread = .current
        let waiting = Waiting()
        self.waiting = waiting
        // The interval is of no use but to keep the timer valid when it has fired.
        timer = Timer(fire: .distantFuture, interval: 1e8, repeats: true) { RunLoopBell.answer(waiting, $0) }
        loop.add(timer, forMode: .common)
    }

    deinit {
        if isServing {
            // A loop that sleeps would not notice that it has lost its last timer.
            waiting.isOver.store(true, ordering: .releasing)
            timer.fireDate = Date()
        } else {
            RunLoopBell.end(timer)
        }
        let key = ObjectIdentifier(loop)
        RunLoopBell.bells.withLock { bells in
            if bells[key]?.bell == nil { bells[key] = nil }
        }
    }

    /// Whether the thread runs its run loop now.
    var isServing: Bool { loop.currentMode != nil }
    /// Whether the thread has ended; a thread that Foundation did not start is never known to have.
    var isOver: Bool { thread.isFinished }

    /// Runs `work` on the run loop, in the order of the calls.
    func ring(for work: @escaping @Sendable () -> Void) {
        let isFirst = waiting.works.withLock { works in
            works.append(work)
            return works.count == 1
        }
        if isFirst { timer.fireDate = Date() }
    }

    // Only what waits now: a loop has other things to do, too.
    private static func answer(_ waiting: Waiting, _ timer: Timer) {
        for work in waiting.works.withLock({ works in
            defer { works.removeAll() }
            return works
        }) { work() }
        if waiting.isOver.load(ordering: .acquiring) { end(timer) }
    }

    // MARK: The end of a timer

    // Foundation for Linux retains every Timer once and never lets go of it, which another version may not do.
    private static let foundationKeepsTimers: Bool = {
        weak var ended: Timer?
        do {
            let timer = Timer(fire: .distantFuture, interval: 1e8, repeats: true) { _ in }
            timer.invalidate()
            ended = timer
        }
        guard let kept = ended else { return false }
        Unmanaged.passUnretained(kept).release()
        return true
    }()

    /// Has to be called once for a timer.
    private static func end(_ timer: Timer) {
        timer.invalidate()
        if foundationKeepsTimers { Unmanaged.passUnretained(timer).release() }
    }
}
