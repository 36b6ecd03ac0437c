// SPDX-License-Identifier: Apache-2.0
import CLinux
import Dispatch
import Glibc
import LocationModel
import Synchronization

/// Holds the end of the program back, for two seconds at most, until the daemon has answered all requests with a lasting effect.
///
/// Sessions send from their queue, so that no caller waits, and a program may end before its last request is sent. `exit` calls
/// `wait` in whichever thread, perhaps one that a signal has interrupted while it held a lock: that thread writes to one
/// descriptor and polls another, which a signal handler may do, and the queue does the rest. What ends a program without `exit`
/// (`_exit`, `quick_exit`, a signal that nobody handles) is not held back.
final class ProgramExit: @unchecked Sendable {
    /// That of this process. All but `wait` is used on the sessions' queue.
    static let shared = ProgramExit()

    // A small machine that starts has little time for each program.
    private static let limit = DispatchTimeInterval.seconds(2)
    // Then the queue itself is stuck, for instance because a signal handler has interrupted what holds a lock.
    private static let patience = TimeSpan.seconds(5)

    private struct WeakCore { weak var core: SessionCore? }

    private var sessions: [ObjectIdentifier: WeakCore] = [:]
    // Sessions that the program has let go of, and whose last requests are not sent.
    private var leaving: [ObjectIdentifier: SessionCore] = [:]
    private var source: (any DispatchSourceRead)?
    private var isEnding = false
    private let process = getpid()
    // The exiting thread writes to the first one and waits for the second.
    private let begun = clinux_event()
    private let ended = clinux_event()

    private init() {
        guard begun >= 0, ended >= 0 else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: begun, queue: LocationSession.queue)
        source.setEventHandler { [unowned self] in begin() }
        source.activate()
        self.source = source
        atexit { ProgramExit.shared.wait() }
    }

    /// Sees to it from now on.
    static func arm() { _ = shared }

    /// A session has begun whose daemon outlives the program.
    func add(_ core: SessionCore) { sessions[ObjectIdentifier(core)] = WeakCore(core: core) }

    /// It has ended.
    func remove(_ core: SessionCore) {
        sessions[ObjectIdentifier(core)] = nil
        leaving[ObjectIdentifier(core)] = nil
        look()
    }

    /// Nobody but this object keeps `core` until its last requests are answered.
    func keep(_ core: SessionCore) { leaving[ObjectIdentifier(core)] = core }

    // MARK: On the queue

    private func begin() {
        source?.cancel()
        isEnding = true
        for session in sessions.values { session.core?.handle(.programEnds) }
        LocationSession.queue.asyncAfter(deadline: .now() + ProgramExit.limit) { [self] in finish() }
        look()
    }

    /// Lets the program end if nothing is worth waiting for any more.
    func look() {
        guard isEnding, unanswered.allSatisfy(\.isHopeless) else { return }
        finish()
    }

    private var unanswered: [UnansweredRequests] { sessions.values.compactMap { $0.core?.unanswered } }

    private func finish() {
        guard isEnding else { return }
        isEnding = false
        for requests in unanswered { requests.report() }
        var one: UInt64 = 1
        _ = write(ended, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: In the thread that ends the program

    private func wait() {
        // A child that was forked has no queue that runs.
        guard getpid() == process else { return }
        var one: UInt64 = 1
        guard write(begun, &one, MemoryLayout<UInt64>.size) > 0 else { return }
        let deadline = LocationConnection.now + ProgramExit.patience
        var descriptor = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
        while true {
            let left = (deadline - LocationConnection.now).nanoseconds / 1_000_000
            if left > 0 {
                let count = poll(&descriptor, 1, Int32(left))
                if count > 0 { return }
                if count < 0, errno == EINTR { continue }
            }
            return ProgramExit.say(
                "CoreLocation: the program ends, and it is not known whether locationd has all that was asked for\n")
        }
    }

    // Of a literal nothing is allocated.
    private static func say(_ line: StaticString) { _ = write(STDERR_FILENO, line.utf8Start, line.utf8CodeUnitCount) }
}

extension UnansweredRequests {
    /// Says on standard error what may be lost.
    func report() {
        let others = count == 1 ? "" : count == 2 ? " and another request" : " and \(count - 1) other requests"
        let why = reason.map { "\($0)" } ?? "it has been silent for two seconds"
        let line = Array(
            "CoreLocation: the program ends, and locationd has not answered \(last)\(others): \(why)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
