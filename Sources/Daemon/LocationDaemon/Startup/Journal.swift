// SPDX-License-Identifier: Apache-2.0
import CSystemd
import Glibc

/// The daemon's log: systemd's journal when systemd started it, else stderr. Coordinates never appear above debug.
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
    private let isJournal: Bool

    /// A log that knows from its environment whether systemd reads it.
    package init(level: Level = .info) {
        self.level = level
        isJournal = getenv("JOURNAL_STREAM") != nil && getenv("INVOCATION_ID") != nil
    }

    /// Something does not work.
    package func error(_ message: String, _ event: JournalEvent? = nil) { write(.error, message, event) }
    /// Something may not work soon, or not for somebody.
    package func warning(_ message: String, _ event: JournalEvent? = nil) { write(.warning, message, event) }
    /// Something that an administrator may want to know later.
    package func info(_ message: String, _ event: JournalEvent? = nil) { write(.info, message, event) }
    /// For whoever looks for a fault; made only if it is written.
    package func debug(_ message: @autoclosure () -> String) {
        if level >= .debug { write(.debug, message(), nil) }
    }

    private func write(_ level: Level, _ message: String, _ event: JournalEvent?) {
        guard level <= self.level else { return }
        guard isJournal else {
            let line = "locationd: \(level == .info ? "" : "\(level): ")\(message)\n"
            _ = line.utf8CString.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count - 1) }
            return
        }
        var fields = ["MESSAGE=\(message)", "PRIORITY=\(level.rawValue)", "SYSLOG_IDENTIFIER=locationd"]
        if let event {
            fields.append("MESSAGE_ID=\(event.messageID)")
            fields += event.fields.map { "\($0.name)=\($0.value)" }
        }
        send(fields)
    }

    private func send(_ fields: [String]) {
        let bytes = fields.map { Array($0.utf8) }
        var vectors: [iovec] = []
        func add(_ index: Int) {
            guard index < bytes.count else {
                sd_journal_sendv(vectors, Int32(vectors.count))
                return
            }
            bytes[index].withUnsafeBytes { field in
                vectors.append(
                    iovec(iov_base: UnsafeMutableRawPointer(mutating: field.baseAddress), iov_len: field.count))
                add(index + 1)
            }
        }
        add(0)
    }
}
