// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel

/// SIGINT and SIGTERM, made readable, so that a wait for something else ends with them. The second one ends the
/// process, whatever it does.
struct StopSignal {
    /// Readable once a signal came.
    let descriptor: Int32

    /// Takes the signals of this process from now on.
    init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            descriptor = -1
            return
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        stopSignalWriteEnd = ends[1]
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            let code = errno
            _ = write(stopSignalWriteEnd, "!", 1)
            errno = code
        }
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        sigaction(SIGINT, &action, nil)
        sigaction(SIGTERM, &action, nil)
    }

    /// Waits for a signal, at most `span`; whether one came.
    func wait(atMost span: TimeSpan) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Interrupted by the signal itself, or by another one: either way the pipe tells.
        poll(&waiting, 1, Int32(clamping: max(0, span.nanoseconds / 1_000_000)))
        waiting.revents = 0
        return poll(&waiting, 1, 0) > 0
    }
}

// A handler can reach nothing but globals; written once, before the handler is set.
nonisolated(unsafe) private var stopSignalWriteEnd: Int32 = -1
