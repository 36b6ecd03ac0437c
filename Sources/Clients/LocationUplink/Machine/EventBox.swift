// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Messages that are sent as things happen and not read from the log: transitions, visits, significant changes, locations; oldest first.
///
/// The daemon keeps an event until it is acknowledged, so only some are held here; an event that was turned away comes again when the
/// connection to the daemon is made anew. Entries that the daemon does not keep are kept with the state on the disk.
package struct EventBox: Sendable {
    struct Entry: Sendable, Hashable {
        var message: Message
        /// The daemon's number of the event; nil: it is not kept there.
        var event: UInt64?
        /// The location that this is; nil: none of the log.
        var sequence: UInt64?
        /// How exactly it tells where the device was.
        var accuracy = AccuracyAuthorization.full
    }

    /// Entries that the daemon keeps, too.
    static let limit = 256
    /// Entries that nobody else keeps: of significant changes, which come every five minutes at the most, those of three days.
    package static let ownLimit = 1024
    /// Bytes of their payloads, so that a file with all of them is one that is read again.
    static let ownBytes = 384 << 10

    private(set) var entries: [Entry] = []
    /// Something was turned away.
    private(set) var hasOverflown = false
    /// So many had to go that nobody else keeps.
    private(set) var lost: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
    /// Entries that nobody else keeps.
    var ownCount: Int { entries.count { $0.event == nil } }
    /// Something tells exactly where the device was.
    var hasExact: Bool { entries.contains { $0.accuracy == .full } }
    /// Something is for the broker to retain, and was perhaps sent already.
    var hasRetained: Bool { entries.contains(where: \.message.isRetained) }

    /// False: there is no room, and the daemon has to tell it again.
    mutating func add(_ entry: Entry) -> Bool {
        if let event = entry.event, entries.contains(where: { $0.event == event }) { return true }
        if entry.event == nil {
            makeRoom(for: entry)
        } else if entries.count(where: { $0.event != nil }) >= EventBox.limit {
            hasOverflown = true
            return false
        }
        entries.append(entry)
        return true
    }

    private mutating func makeRoom(for entry: Entry) {
        let own = entries.filter { $0.event == nil }
        var (count, bytes) = (own.count, own.reduce(entry.message.payload.count) { $0 + $1.message.payload.count })
        while count >= EventBox.ownLimit || bytes > EventBox.ownBytes,
            let oldest = entries.firstIndex(where: { $0.event == nil })
        {
            bytes -= entries.remove(at: oldest).message.payload.count
            count -= 1
            lost += 1
        }
    }

    /// The newest location here; 0: there is none.
    var newest: UInt64 { entries.reduce(0) { max($0, $1.sequence ?? 0) } }

    mutating func removeFirst() -> Entry? { entries.isEmpty ? nil : entries.removeFirst() }

    /// These were sent and not acknowledged.
    mutating func putBack(_ unsent: [Entry]) { entries.insert(contentsOf: unsent, at: 0) }

    mutating func removeAll() {
        entries.removeAll()
        hasOverflown = false
    }

    /// Returns how many were lost since it was asked last.
    mutating func takeLost() -> UInt64 {
        defer { lost = 0 }
        return lost
    }

    /// The daemon tells again what was turned away.
    mutating func askedAgain() { hasOverflown = false }
}
