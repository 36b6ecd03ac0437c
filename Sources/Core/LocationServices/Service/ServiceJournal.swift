// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The journal, in which no user's apps can write more than their share.
package struct ServiceJournal {
    /// For what no app can cause at will.
    package var unlimited: Journal
    private var allowance = JournalAllowance()
    var now = BootInstant(nanoseconds: 0)

    init(_ journal: Journal) { unlimited = journal }

    /// The least urgent level that is written.
    package var level: Journal.Level {
        get { unlimited.level }
        set { unlimited.level = newValue }
    }

    package func error(_ message: String, _ event: JournalEvent? = nil) { unlimited.error(message, event) }
    package func warning(_ message: String, _ event: JournalEvent? = nil) { unlimited.warning(message, event) }
    package func info(_ message: String, _ event: JournalEvent? = nil) { unlimited.info(message, event) }

    /// Says something that a user's app has caused, unless too much of that is said already.
    mutating func note(_ text: String, _ event: JournalEvent, about uid: UInt32) {
        if allowance.take(uid, at: now) { unlimited.info(text, event) }
    }

    /// Says how much was left out before the turn that begins.
    mutating func tellLeftOut() {
        guard let due = allowance.dueAt, due <= now else { return }
        for more in allowance.takeLeftOut(at: now) {
            let entries = more.count == 1 ? "1 more entry" : "\(more.count) more entries"
            unlimited.info("\(entries) about apps of uid:\(more.uid) were left out")
        }
    }
}
