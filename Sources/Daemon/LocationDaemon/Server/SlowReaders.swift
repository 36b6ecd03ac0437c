// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Connections whose output waits for room in the socket, by number, and whether their peers read at all: a list in the order in which
/// they are to be looked at, so that to enter, to leave and to ask for the first cost the same however many there are.
struct SlowReaders {
    private struct Entry {
        /// Lines written when it was last looked, and when that was.
        var lines: UInt64
        var since: BootInstant
        var previous: Int?
        var next: Int?
    }

    private var entries: [Int: Entry] = [:]
    private var first: Int?
    private var last: Int?

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Since when the one that was looked at longest ago has been watched; nil: there is none.
    var oldestMark: BootInstant? { first.flatMap { entries[$0]?.since } }

    /// Since when a connection has been watched, or took its last line that was seen; nil: it takes what it is sent.
    func mark(of number: Int) -> BootInstant? { entries[number]?.since }

    /// Watches a connection, of which `lines` were written so far; one that is watched already stays where it is.
    mutating func insert(_ number: Int, lines: UInt64, at now: BootInstant) {
        guard entries[number] == nil else { return }
        entries[number] = Entry(lines: lines, since: now, previous: last, next: nil)
        if let last { entries[last]?.next = number } else { first = number }
        last = number
    }

    mutating func remove(_ number: Int) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        if let previous = entry.previous { entries[previous]?.next = entry.next } else { first = entry.next }
        if let next = entry.next { entries[next]?.previous = entry.previous } else { last = entry.previous }
    }

    /// Those of which no complete line was written for so long; the others are watched on from now. `lines`: written to each so far.
    mutating func stalled(for limit: TimeSpan, at now: BootInstant, lines: (Int) -> UInt64) -> [Int] {
        var stalled: [Int] = []
        var looked = 0
        let watched = entries.count
        while looked < watched, let number = first, let entry = entries[number], now - entry.since >= limit {
            looked += 1
            remove(number)
            let written = lines(number)
            insert(number, lines: written, at: now)
            if written == entry.lines { stalled.append(number) }
        }
        return stalled
    }
}
