// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// How far the reading of what is late has come.
struct LogReader: Sendable {
    enum Phase: Sendable, Hashable {
        case closed
        /// The history was asked for a page.
        case history
        /// The log is being read.
        case log
    }

    /// A reader that was not read for so long is closed, before the daemon does so.
    static let patience = TimeSpan.seconds(20)
    /// The wait before a reading that failed is tried again.
    static let retry = TimeSpan.seconds(1)

    var phase = Phase.closed
    /// The newest location is asked for before the log is read.
    var wantsNewest = false
    /// The daemon was asked for the newest location, and has not answered.
    var asksNewest = false
    /// The history is off, or not for this app: the log is read instead.
    var hasNoHistory = false
    /// Since when the log is not read, because too much waits.
    var heldSince: BootInstant?
    /// Not before this.
    var notBefore: BootInstant?
    /// When the newest location was asked for.
    var newestAskedAt: BootInstant?
}

/// When the state is written to the disk: not with each acknowledgement.
struct Saving: Sendable {
    /// Between two writings.
    static let interval = TimeSpan.seconds(5)

    /// The disk has not what is in memory.
    var isDirty = false
    /// It is to have it at once.
    var isUrgent = false
    /// When the last one was.
    var at: BootInstant?

    /// When it is to be written; nil: never.
    var due: BootInstant? {
        guard isDirty else { return nil }
        guard !isUrgent, let at else { return .distantPast }
        return at + Saving.interval
    }
}

extension BootInstant {
    static let distantPast = BootInstant(nanoseconds: 0)
}
