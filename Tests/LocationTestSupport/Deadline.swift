// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
package import LocationModel

/// The moment at which a test stops waiting.
package struct Deadline: Sendable {
    /// The moment, since boot.
    package let instant: BootInstant

    /// The moment `seconds` from now.
    package static func within(_ seconds: Double) -> Deadline {
        Deadline(instant: BootInstant(nanoseconds: clinux_boottime_nanoseconds()) + .seconds(seconds))
    }

    /// Whether it is over.
    package var hasPassed: Bool { left <= .zero }

    /// Milliseconds left, rounded up, for poll(2); 0 when it is over.
    package var milliseconds: Int32 { Int32(clamping: max(0, (left.nanoseconds + 999_999) / 1_000_000)) }

    private var left: TimeSpan { instant - BootInstant(nanoseconds: clinux_boottime_nanoseconds()) }

    /// Waits until one of `events` (`POLLIN`, `POLLOUT`) or an end happened on `fd`; false when the deadline passed first.
    package func wait(for events: Int32, on fd: Int32) -> Bool {
        while true {
            var waiting = pollfd(fd: fd, events: Int16(events), revents: 0)
            let count = poll(&waiting, 1, milliseconds)
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }
}

/// How long tests wait by default for what is bound to happen, seconds: long, for a machine under load.
package let patience = 20.0

/// Waits for a fact that nothing announces; `what` completes "cannot see …".
package func waitUntil(
    _ what: @autoclosure () -> String, within seconds: Double = patience, _ condition: () throws -> Bool
) throws {
    let deadline = Deadline.within(seconds)
    while try !condition() {
        guard !deadline.hasPassed else { throw TestFailure("cannot see that \(what()) within \(seconds) s") }
        poll(nil, 0, 2)
    }
}

/// Waits for a fact as `waitUntil` does, but without holding a thread: for asynchronous tests.
package func eventually(
    _ what: String, within seconds: Double = patience, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = Deadline.within(seconds)
    while try await !condition() {
        guard !deadline.hasPassed else { throw TestFailure("cannot see that \(what) within \(seconds) s") }
        try await Task.sleep(nanoseconds: 2_000_000)
    }
}
