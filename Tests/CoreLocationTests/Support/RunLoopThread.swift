// SPDX-License-Identifier: Apache-2.0
import Foundation
import LocationTestSupport
import Synchronization

/// A thread that runs its run loop as long as something on it keeps the loop alive, once it is told to.
final class RunLoopThread: @unchecked Sendable {
    private let begin = DispatchSemaphore(value: 0)
    private let prepared = DispatchSemaphore(value: 0)
    private let ended = Atomic<Bool>(false)
    private let loop = Mutex<RunLoop?>(nil)

    /// Starts a thread that does `prepare` and then waits for `run()`.
    init(_ prepare: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [begin, prepared, self] in
            loop.withLock { $0 = RunLoop.current }
            Thread.current.threadDictionary["runs its loop"] = true
            prepare()
            prepared.signal()
            begin.wait()
            RunLoop.current.run()
            ended.store(true, ordering: .sequentiallyConsistent)
        }
        prepared.wait()
    }

    /// Whether this is the calling thread.
    static var isCurrent: Bool { Thread.current.threadDictionary["runs its loop"] != nil }
    /// Whether its run loop had nothing left to wait for.
    var hasEnded: Bool { ended.load(ordering: .sequentiallyConsistent) }

    /// Lets the thread run its loop.
    func run() { begin.signal() }

    /// Whether it is in its run loop now.
    var isTurning: Bool { loop.withLock { $0?.currentMode != nil } }
}

/// What callbacks of any thread write down.
final class Notes<Note: Sendable>: Sendable {
    fileprivate let notes = Mutex<[Note]>([])

    /// All so far.
    var all: [Note] { notes.withLock { $0 } }

    /// Adds a note.
    func add(_ note: Note) { notes.withLock { $0.append(note) } }
}

extension Notes {
    /// Forgets all.
    func removeAll() {
        let old = notes.withLock { notes in
            defer { notes = [] }
            return notes
        }
        withExtendedLifetime(old) {}
    }
}
