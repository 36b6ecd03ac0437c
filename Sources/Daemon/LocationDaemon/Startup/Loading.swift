// SPDX-License-Identifier: Apache-2.0
import CLinux
import CSystemd
import Glibc
import LocationModel
import LocationServices
import SystemSupport

/// The time of a start in which what is stored is read: systemd is told that it goes on, and whoever ends the daemon need not wait for
/// the end of it. Nothing was taken over from a former process yet, so that the next one finds all as it was.
final class Loading {
    private static let interval = TimeSpan.seconds(1)
    /// Microseconds that each message to systemd allows from then on.
    private static let allowance = 30_000_000

    private let journal: Journal
    private let runtimeDirectory: String?
    private var next: BootInstant

    init(_ journal: Journal, runtimeDirectory: String?) {
        self.journal = journal
        self.runtimeDirectory = runtimeDirectory
        next = bootClock() + Loading.interval
        extend()
    }

    /// Called again and again.
    func goOn() {
        endIfTold()
        let now = bootClock()
        guard now >= next else { return }
        next = now + Loading.interval
        extend()
    }

    private func extend() { sd_notify(0, "EXTEND_TIMEOUT_USEC=\(Loading.allowance)\nWATCHDOG=1") }

    /// The signals are blocked until the loop takes them.
    private func endIfTold() {
        var pending = sigset_t()
        guard sigpending(&pending) == 0, [SIGTERM, SIGINT].contains(where: { sigismember(&pending, $0) == 1 }) else {
            return
        }
        sd_notify(0, "STOPPING=1")
        journal.info("stopped while reading what is stored")
        if let runtimeDirectory { StartRecordFile(runtimeDirectory: runtimeDirectory).forget() }
        exit(0)
    }
}
