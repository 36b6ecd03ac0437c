// SPDX-License-Identifier: Apache-2.0

/// The log of a service: systemd's journal, stderr, or what else `write` is. Coordinates never appear above debug.
package struct Journal: Sendable {
    /// How much a message matters, with syslog's numbers.
    package enum Level: Int, Sendable, CaseIterable, Comparable {
        case error = 3
        case warning = 4
        case info = 6
        case debug = 7

        /// The more important level first.
        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// Messages that matter less are not written.
    package var level: Level
    private let write: @Sendable (Level, String, JournalEvent?) -> Void

    /// A log that hands what is written to `write`.
    package init(level: Level, write: @escaping @Sendable (Level, String, JournalEvent?) -> Void) {
        self.level = level
        self.write = write
    }

    /// Something does not work.
    package func error(_ message: String, _ event: JournalEvent? = nil) { put(.error, message, event) }
    /// Something may not work soon, or not for somebody.
    package func warning(_ message: String, _ event: JournalEvent? = nil) { put(.warning, message, event) }
    /// Something that an administrator may want to know later.
    package func info(_ message: String, _ event: JournalEvent? = nil) { put(.info, message, event) }
    /// For whoever looks for a fault; made only if it is written.
    package func debug(_ message: @autoclosure () -> String) {
        if level >= .debug { write(.debug, message(), nil) }
    }

    private func put(_ level: Level, _ message: String, _ event: JournalEvent?) {
        if level <= self.level { write(level, message, event) }
    }
}
