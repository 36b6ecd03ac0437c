// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel

/// When each epoch was first seen by somebody, by the epoch's date.
final class Arrivals: @unchecked Sendable {
    private var first: [Int64: Int64] = [:]

    /// Reads lines of `fd` until its end; of those with `kind`, the date stands behind `key`.
    func collect(_ fd: Int32, key: String, only kind: String) {
        forEachLine(of: fd) { line, now in
            guard line.contains(kind), let start = line.endOfFirst(key),
                let date = WallTime(rfc3339: String(line[start...].prefix(24)))
            else { return }
            note(date.milliseconds, now)
        }
    }

    /// Reads lines of `fd` until its end that hold a date and an arrival, as CoreLocationProbe writes them.
    func collect(fromProbe fd: Int32) {
        forEachLine(of: fd) { line, _ in
            let words = line.split(separator: " ").compactMap { Int64($0) }
            if words.count == 2 { note(words[0], words[1]) }
        }
    }

    /// How much later than `other` each epoch came that both have seen, nanoseconds, sorted.
    func delays(behind other: Arrivals) -> [Int64] {
        first.compactMap { date, arrival in other.first[date].map { arrival - $0 } }.sorted()
    }

    private func note(_ date: Int64, _ arrival: Int64) {
        if first[date] == nil { first[date] = arrival }
    }
}

/// Calls `body` with each line of `fd`, and when it was read, once all has come: who measures takes no time from who is measured.
func forEachLine(of fd: Int32, _ body: (String, Int64) -> Void) {
    var (chunks, buffer) = ([(bytes: [UInt8], at: Int64)](), [UInt8](repeating: 0, count: 65_536))
    while true {
        let count = read(fd, &buffer, buffer.count)
        let now = nanoseconds()
        guard count > 0 else { break }
        chunks.append((Array(buffer[0..<count]), now))
    }
    var pending: [UInt8] = []
    for chunk in chunks {
        pending += chunk.bytes
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: pending[0..<end], as: UTF8.self)
            pending.removeSubrange(0...end)
            body(line, chunk.at)
        }
    }
}

extension String {
    /// The end of the first occurrence of `key`.
    fileprivate func endOfFirst(_ key: String) -> String.Index? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(key) { return self.index(index, offsetBy: key.count) }
            index = self.index(after: index)
        }
        return nil
    }
}
