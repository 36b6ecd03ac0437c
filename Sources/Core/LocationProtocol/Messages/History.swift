// SPDX-License-Identifier: Apache-2.0

public import LocationModel

// Requests about the fixes and events that are kept.
extension Method {
    static let history = [historyLocations, historyEvents, ledger, forgetHistory]

    package static let historyLocations = Method(
        "history", "Tells kept locations, oldest first, a page at a time. Admins, and apps whose manifest has History.",
        optional("after", .sequence, "behind this sequence"), optional("from", .time, "of this time and later"),
        optional("to", .time, "before this time, which is after from"),
        optional("limit", .pageLimit, "at most so many; 1000 unless said"),
        optional("log", .flag, else: false, "while no history is kept: what the daemon's log still holds; admins only"),
        result: .named("history"), errors: [.notPermitted],
        call: { .history(HistoryQuery(after: $0, from: $1, to: $2, limit: $3, log: $4)) },
        values: { call in
            guard case .history(let query) = call else { return nil }
            return (query.after, query.from, query.to, query.limit, query.log)
        })

    package static let historyEvents = Method(
        "historyEvents", "Tells the events that the app was told and that are kept, oldest first, a page at a time.",
        optional("after", .sequence, "behind this record"), optional("from", .time, "of this time and later"),
        optional("to", .time, "before this time, which is after from"),
        optional("limit", .pageLimit, "at most so many; 100 unless said, and never more"),
        optional("app", .appName, "another app's, as apps names it; admins only"),
        result: .named("historyEvents"), errors: [.notPermitted, .notFound],
        call: { .historyEvents(HistoryQuery(after: $0, from: $1, to: $2, limit: $3), app: $4) },
        values: { call in
            guard case .historyEvents(let query, let app) = call else { return nil }
            return (query.after, query.from, query.to, query.limit, app)
        })

    package static let forgetHistory = Method(
        "forgetHistory", "Forgets kept locations and events, all unless said; admins only.",
        optional("from", .time, "those of this time and later"),
        optional("to", .time, "those before this time, which is after from"),
        result: .named("historyForgotten"), errors: [.notPermitted], sender: .administrator, effect: .decision,
        call: { .forgetHistory(from: $0, to: $1) },
        values: { if case .forgetHistory(let from, let to) = $0 { (from, to) } else { nil } })
}

/// A page of what is kept.
public struct HistoryQuery: Sendable, Hashable {
    /// Behind this sequence, of events behind this record; nil: from the beginning.
    public var after: UInt64?
    /// Of this time and later; nil: from the beginning.
    public var from: WallTime?
    /// Before this time; nil: to the end.
    public var to: WallTime?
    /// The most that the page may hold, 1 to 1000; nil: 1000. Of events a page never holds more than 100.
    public var limit: UInt64?
    /// While no history is kept: what the daemon's log still holds. Only for locations and administrators.
    public var log: Bool

    /// The page behind `after`, of what is kept from one time on and before another.
    public init(
        after: UInt64? = nil, from: WallTime? = nil, to: WallTime? = nil, limit: UInt64? = nil, log: Bool = false
    ) {
        self.log = log
        self.after = after
        self.from = from
        self.to = to
        self.limit = limit
    }
}

/// A page of kept locations: the result of `history`.
public struct HistoryPage: Sendable, Hashable {
    /// The locations, oldest first.
    public var locations: [Location]
    /// There is more: it follows with `after` this sequence. nil: there is no more now.
    public var next: UInt64?
    /// Locations before the first of these, behind `after` or the page before, were dropped, forgotten, or never kept.
    public var hasGap: Bool
    /// The sequence of the oldest kept location; nil: none is kept.
    public var oldest: UInt64?

    /// A page of these.
    public init(locations: [Location], next: UInt64? = nil, hasGap: Bool = false, oldest: UInt64? = nil) {
        self.locations = locations
        self.next = next
        self.hasGap = hasGap
        self.oldest = oldest
    }
}

extension HistoryPage: Decodable {
    private enum Member: String, CodingKey { case locations, next, gap, oldest }

    /// Reads the result of `history`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        self.init(
            locations: try container.decode([WireLocation].self, forKey: .locations).map(\.location),
            next: try container.decodeIfPresent(UInt64.self, forKey: .next),
            hasGap: try container.decodeIfPresent(Bool.self, forKey: .gap) ?? false,
            oldest: try container.decodeIfPresent(UInt64.self, forKey: .oldest))
    }
}

extension HistoryPage {
    static let schema = JSONSchema.object([
        Described(
            "locations", .array(of: .named("location")), required: true, "the locations, oldest first; may be none"),
        Described("next", .count, "ask again with after: this; absent: there is no more now"),
        Described(
            "gap", .boolean,
            "locations between after and the first of these were dropped, forgotten or never kept; absent: none that is known of"
        ),
        Described("oldest", .ordinal, "the sequence of the oldest kept location; absent: none is kept"),
    ])
}

/// The result of `history` as the daemon writes it: a page of locations as long as one line may be.
package struct HistoryPageWriter: Sendable, WrittenResult {
    /// How many locations the page holds.
    package private(set) var count = 0
    private var locations = JSONWriter()
    private let limit: Int
    private var tail = HistoryPage(locations: [])

    /// More than what stands around the locations takes.
    static let frame = 512

    /// A page of at most `limit` locations.
    package init(limit: UInt64?) { self.limit = Int(min(limit ?? Rule.longestPage, Rule.longestPage)) }

    /// Appends a location; false, and nothing is appended, if the page is full.
    package mutating func append(_ location: Location) -> Bool {
        guard count < limit,
            locations.bytes.count + LocationCoding.maximumLength + HistoryPageWriter.frame
                <= NotificationWriter.maximumLineLength
        else { return false }
        LocationCoding.append(location, to: &locations)
        count += 1
        return true
    }

    /// Sets the members of the page that stand beside the locations.
    package mutating func finish(next: UInt64?, hasGap: Bool, oldest: UInt64?) {
        tail = HistoryPage(locations: [], next: next, hasGap: hasGap, oldest: oldest)
    }

    package func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("locations")
        writer.beginArray()
        if count > 0 { writer.raw(locations.bytes) }
        writer.endArray()
        if let next = tail.next { writer.member("next", next) }
        if tail.hasGap {
            writer.name("gap")
            writer.bool(true)
        }
        if let oldest = tail.oldest { writer.member("oldest", oldest) }
        writer.endObject()
    }
}

/// A kept event of an app: an element of the result of `historyEvents`.
public struct KeptEvent: Sendable, Hashable {
    /// Its number in the history, which grows.
    public var record: UInt64
    /// The event as the app was told.
    public var event: StoredEvent

    /// The event of the number `record`.
    public init(record: UInt64, event: StoredEvent) {
        self.record = record
        self.event = event
    }
}

extension KeptEvent: Decodable {
    private enum Member: String, CodingKey { case record }

    /// Reads an element of the result of `historyEvents`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        self.init(
            record: try container.decode(UInt64.self, forKey: .record), event: try StoredEvent(from: decoder))
    }
}

/// A page of kept events: the result of `historyEvents`.
public struct HistoryEventsPage: Sendable, Hashable, Decodable {
    /// The events, oldest first.
    public var events: [KeptEvent]
    /// There is more: it follows with `after` this record. nil: there is no more now.
    public var next: UInt64?

    /// A page of these.
    public init(events: [KeptEvent], next: UInt64? = nil) {
        self.events = events
        self.next = next
    }
}

extension HistoryEventsPage {
    static let schema = JSONSchema.object([
        Described(
            "events",
            .array(
                of: .object(
                    [Described("record", .ordinal, required: true, "its number in the history, which grows")]
                        + StoredEvent.members)), required: true, "the events, oldest first; may be none"),
        Described("next", .count, "ask again with after: this; absent: there is no more now"),
    ])
}

/// The result of `historyEvents` as the daemon writes it: a page of events as long as one line may be, but of one at the least.
package struct HistoryEventsWriter: Sendable, WrittenResult {
    private var events = JSONWriter()
    /// The record behind which more follow; nil: none do.
    package var next: UInt64?

    /// A page without events.
    package init() {}

    /// Appends an event; false, and nothing is appended, if the page is full.
    package mutating func append(_ event: AppEvent, label: String?, record: UInt64) -> Bool {
        let before = events.bytes.count
        StoredEvents.append(event, label, record: record, to: &events)
        guard before > 0, events.bytes.count + HistoryPageWriter.frame > NotificationWriter.maximumLineLength else {
            return true
        }
        events.bytes.removeLast(events.bytes.count - before)
        return false
    }

    package func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("events")
        writer.beginArray()
        if !events.bytes.isEmpty { writer.raw(events.bytes) }
        writer.endArray()
        if let next { writer.member("next", next) }
        writer.endObject()
    }
}

/// The result of `forgetHistory`.
public struct HistoryForgotten: Sendable, Hashable, Codable {
    /// Locations that are gone.
    public var locations: UInt64
    /// Events that are gone.
    public var events: UInt64
    /// There is more to forget: to ask again goes on. nil: all is gone.
    public var more: Bool?

    /// So much is gone.
    public init(locations: UInt64, events: UInt64, more: Bool? = nil) {
        self.locations = locations
        self.events = events
        self.more = more
    }
}

extension HistoryForgotten {
    static let schema = JSONSchema.object([
        Described("locations", .count, required: true, "how many are gone"),
        Described("events", .count, required: true, "how many are gone"),
        Described("more", .boolean, "there is more to forget: ask again with the same params; absent: all is gone"),
    ])
}

/// The history in `status`.
public struct HistoryStatus: Sendable, Hashable, Codable {
    /// Days that are kept.
    public var keepDays: Int
    /// Fixes that are on the disk.
    public var fixes: UInt64 = 0
    /// Events that are.
    public var events: UInt64 = 0
    /// When the oldest fix was taken; nil: none is kept.
    public var oldest: WallTime?
    /// When the newest was.
    public var newest: WallTime?
    /// Bytes of the file.
    public var bytes: UInt64 = 0
    /// Fixes that wait in the log to be written.
    public var waiting: UInt64 = 0
    /// Fixes that were lost since the daemon started, because nothing could be written until the log was full.
    public var lost: UInt64 = 0
    /// Events that were lost since the daemon started, because nothing could be written; nil: none.
    public var lostEvents: UInt64?
    /// Why nothing is kept now; nil: it is.
    public var problem: String?
    /// Damage that the daemon has found since it started, and what became of it; nil: it found none.
    public var damage: String?

    /// A history of so many days.
    public init(keepDays: Int) { self.keepDays = keepDays }
}

extension HistoryStatus {
    static let schema = JSONSchema.object([
        Described("keepDays", .ordinal, required: true, "days that are kept"),
        Described("fixes", .count, required: true, "fixes on the disk"),
        Described("events", .count, required: true, "events on the disk"),
        Described("oldest", .time, "when the oldest fix was taken"),
        Described("newest", .time, "when the newest was"),
        Described("bytes", .count, required: true, "bytes of the file"),
        Described("waiting", .count, required: true, "fixes in the log that are still to be written"),
        Described(
            "lost", .count, required: true, "fixes lost since the start, because nothing could be written for too long"),
        Described(
            "lostEvents", .count, "events lost since the start, because nothing could be written; absent: none"),
        Described("problem", .string(), "why nothing is kept now"),
        Described(
            "damage", .string(),
            "what was found damaged since the start, and what became of it: the file that was set aside, and what was saved"
        ),
    ])
}

extension Rule<UInt64> {
    /// Entries that a page may hold.
    package static let longestPage: UInt64 = 1000
    static let pageLimit = Rule(
        .integer(minimum: 1, maximum: Int(longestPage)), allowed: "a whole number, 1 to \(longestPage)",
        value: { given in given.integer(UInt64.self).flatMap { (1...longestPage).contains($0) ? $0 : nil } },
        write: { $1.integer($0) })
}

extension Rule<WallTime> {
    static let time = Rule(
        .givenTime, allowed: "a time such as 2026-11-21T18:30:00.000Z",
        value: { given in given.anyString.flatMap { $0.utf8.count <= 64 ? WallTime(rfc3339: $0) : nil } },
        write: { $1.time($0) })
}
