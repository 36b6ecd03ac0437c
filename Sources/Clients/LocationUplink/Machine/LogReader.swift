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
    /// The first wait before a reading that failed is tried again, and the longest.
    static let backoff = TimeSpan.seconds(1)...TimeSpan.seconds(300)
    /// After so many failures in a row the log is read in place of a history that cannot be.
    static let failuresOfHistory = 3

    var phase = Phase.closed
    /// The newest location is asked for before the log is read.
    var wantsNewest = false
    /// The daemon was asked for the newest location, and has not answered.
    var asksNewest = false
    /// The history is off, or not for this app: the log is read instead.
    var hasNoHistory = false
    /// Failures in a row of the history, or of the log.
    var failures = 0
    /// The history is not asked before this, because it could not be read.
    var historyDue: BootInstant?
    /// The history has nothing before this, so the log is read up to it.
    var stopgap: UInt64?
    /// Since when the log is not read, because too much waits.
    var heldSince: BootInstant?
    /// Not before this.
    var notBefore: BootInstant?
    /// When the newest location was asked for.
    var newestAskedAt: BootInstant?

    /// Something could be read.
    mutating func succeeded() { (failures, notBefore, historyDue) = (0, nil, nil) }

    /// Nothing could: it is tried again, less and less often. Returns whether the log is to be read in place of the history.
    mutating func failed(at now: BootInstant) -> Bool {
        let wasHistory = phase == .history
        let doubled = LogReader.backoff.lowerBound.seconds * Double(1 << min(failures, 16))
        let next = now + .seconds(min(doubled, LogReader.backoff.upperBound.seconds))
        failures += 1
        guard wasHistory, failures >= LogReader.failuresOfHistory else {
            notBefore = next
            return false
        }
        historyDue = next
        return true
    }
}

/// When the state is written to the disk: not with each acknowledgement.
struct Saving: Sendable {
    /// Between two writings.
    static let interval = TimeSpan.seconds(5)

    /// The disk has not what is in memory.
    var isDirty = false
    /// It is to have it at once.
    var isUrgent = false
    /// It may not keep the state before it either: consent was withdrawn.
    var forgetsFormer = false
    /// When the last one was tried.
    private(set) var at: BootInstant?
    /// That one was not to keep the state before it.
    private var forgot = false

    /// When it is to be written; nil: never.
    var due: BootInstant? {
        guard isDirty else { return nil }
        guard !isUrgent, let at else { return .distantPast }
        return at + Saving.interval
    }

    /// It is tried now.
    mutating func begin(at now: BootInstant) { self = Saving(at: now, forgot: forgetsFormer) }

    /// The disk did not take it: it is tried again, and no sooner than another one.
    mutating func failed() {
        isDirty = true
        forgetsFormer = forgetsFormer || forgot
    }
}

extension BootInstant {
    static let distantPast = BootInstant(nanoseconds: 0)
}
