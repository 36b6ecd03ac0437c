// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel

/// People's decisions, as a second file keeps them beside the database: a database that is lost must not take a refusal along, since
/// then whatever is configured would be in force.
package struct Decisions: Sendable, Equatable {
    /// Whether location services are on for everyone; nil: that line cannot be read.
    package var areServicesEnabled: Bool?
    /// In the order in which they were first made, without the dates of last use.
    package var consents: [StoredConsent]
    /// Every line is as it was written. Else these are those that are, and there were more.
    package var isWhole = true

    /// These decisions.
    package init(areServicesEnabled: Bool? = true, consents: [StoredConsent] = []) {
        self.areServicesEnabled = areServicesEnabled
        self.consents = consents
        for index in self.consents.indices { self.consents[index].lastUse = nil }
    }
}

// A line for each decision, fields separated by tabs, each line with its own checksum, so that damage costs its own line only; the last
// line counts them.
extension Decisions {
    private static let title = "locationd decisions 1"

    /// The decisions in the file at `path`; nil: there is none. Throws if there is one that cannot be read.
    package init?(path: String) throws(StoreError) {
        guard let bytes = try Decisions.contents(of: path) else { return nil }
        self.init(areServicesEnabled: nil)
        isWhole = false
        var (lines, isDamaged) = (0, false)
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            lines += 1
            guard let fields = Decisions.fields(of: line) else {
                isDamaged = true
                continue
            }
            switch fields.first {
            case Decisions.title where lines == 1: break
            case "services" where fields.count == 2: areServicesEnabled = fields[1] != "off"
            case "decision":
                if let consent = StoredConsent(fields) { consents.append(consent) } else { isDamaged = true }
            case "end" where fields.count == 2: isWhole = !isDamaged && fields[1] == "\(lines)" && lines > 2
            default: isDamaged = true
            }
        }
    }

    /// Puts the file at `path` in place of an earlier one; it is on the disk before this returns.
    package func write(to path: String) throws(StoreError) {
        try replaceFile(path, with: encoded)
    }

    /// Removes the file at `path`, if there is one.
    package static func remove(_ path: String) throws(StoreError) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw StoreError(cannot: "remove \(path)")
    }

    /// The file's contents.
    var encoded: [UInt8] {
        var lines = [[Decisions.title], ["services", areServicesEnabled == false ? "off" : "on"]]
        lines += consents.map(\.fields)
        if isWhole { lines.append(["end", "\(lines.count + 1)"]) }
        return lines.flatMap { fields -> [UInt8] in
            let text = Array(fields.map(Decisions.escaped).joined(separator: "\t").utf8)
            return text + Array("\t\(String(LocationStore.checksum(of: text), radix: 16))\n".utf8)
        }
    }

    /// The fields of a line; nil: it is not what was written.
    private static func fields(of line: ArraySlice<UInt8>) -> [String]? {
        guard let tab = line.lastIndex(of: UInt8(ascii: "\t")) else { return nil }
        let sum = UInt64(String(decoding: line[(tab + 1)...], as: UTF8.self), radix: 16)
        guard sum == LocationStore.checksum(of: Array(line[..<tab])) else { return nil }
        let fields = line[..<tab].split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        return fields.map { unescaped($0) }
    }

    // Names are the system's, and may have anything in them.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte < 0x20 || byte == UInt8(ascii: "%") || byte == 0x7F {
                let digits = String(byte, radix: 16)
                bytes += Array("%\(digits.utf8.count < 2 ? "0" : "")\(digits)".utf8)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unescaped(_ field: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func contents(of path: String) throws(StoreError) -> [UInt8]? {
        guard let file = try openRegularFile(path, O_RDONLY) else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, bytes.isEmpty { throw StoreError(cannot: "read \(path)") }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }
}

extension StoredConsent {
    fileprivate var fields: [String] {
        [
            "decision", "\(uid)", name ?? "", "\(choice)", "\(accuracy)", hasAskedAlways ? "1" : "0",
            "\(decidedAt.milliseconds)", decidedBy, user ?? "",
        ]
    }

    fileprivate init?(_ fields: [String]) {
        // Version 0.1.0 noted no name of the user.
        guard fields.count == 9 || fields.count == 8, let uid = UInt32(fields[1]), let choice = Int(fields[3]),
            let accuracy = Int(fields[4]), let decidedAt = Int64(fields[6])
        else { return nil }
        self.init(
            uid: uid, user: fields.count < 9 || fields[8].isEmpty ? nil : fields[8],
            name: fields[2].isEmpty ? nil : fields[2], choice: choice, accuracy: accuracy,
            hasAskedAlways: fields[5] == "1", decidedBy: fields[7], decidedAt: WallTime(milliseconds: decidedAt))
    }
}
