// SPDX-License-Identifier: Apache-2.0

/// What is sent as it happens and not read from the log: transitions, visits, significant changes and single locations, oldest first.
///
/// The daemon keeps an event until it is acknowledged, so only some are held here; what was turned away comes again when the connection
/// to the daemon is made anew.
struct EventBox: Sendable {
    struct Entry: Sendable, Hashable {
        var message: Message
        /// The daemon's number of the event; nil: it is not kept there.
        var event: UInt64?
        /// The location that this is; nil: none of the log.
        var sequence: UInt64?
    }

    static let limit = 256

    private var entries: [Entry] = []
    /// Something was turned away.
    private(set) var hasOverflown = false

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
    /// What comes next, and is not sent.
    var first: Entry? { entries.first }

    /// False: there is no room, and the daemon has to tell it again.
    mutating func add(_ entry: Entry) -> Bool {
        if let event = entry.event, entries.contains(where: { $0.event == event }) { return true }
        guard entries.count < EventBox.limit else {
            // An entry that nobody keeps takes the place of the oldest of its kind.
            if entry.event == nil, let oldest = entries.firstIndex(where: { $0.event == nil }) {
                entries.remove(at: oldest)
                entries.append(entry)
                return true
            }
            hasOverflown = hasOverflown || entry.event != nil
            return false
        }
        entries.append(entry)
        return true
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

    /// The daemon tells again what was turned away.
    mutating func askedAgain() { hasOverflown = false }
}
