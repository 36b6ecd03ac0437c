// SPDX-License-Identifier: Apache-2.0
import CSystemd
import Glibc
package import LocationServices

extension Journal {
    /// A log that knows from its environment whether systemd reads it; else it is stderr.
    package init(level: Level = .info) {
        let isJournal = getenv("JOURNAL_STREAM") != nil && getenv("INVOCATION_ID") != nil
        self.init(level: level) { level, message, event in
            if isJournal { send(level, message, event) } else { print(level, message) }
        }
    }
}

private func print(_ level: Journal.Level, _ message: String) {
    let line = "locationd: \(level == .info ? "" : "\(level): ")\(message)\n"
    _ = line.utf8CString.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count - 1) }
}

private func send(_ level: Journal.Level, _ message: String, _ event: JournalEvent?) {
    var fields = ["MESSAGE=\(message)", "PRIORITY=\(level.rawValue)", "SYSLOG_IDENTIFIER=locationd"]
    if let event {
        fields.append("MESSAGE_ID=\(event.messageID)")
        fields += event.fields.map { "\($0.name)=\($0.value)" }
    }
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
