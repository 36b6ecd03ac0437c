// SPDX-License-Identifier: Apache-2.0

public import LocationModel

// The request about when the receiver was on, and what apps were told.
extension Method {
    package static let ledger = Method(
        "ledger",
        "Tells when the receiver was on and for whom, and how much apps were told; to those who are no admins what is their app's own.",
        optional("from", .time, "from the stretch on in which this time lies"),
        optional("to", .time, "stretches that begin before this time"), result: .named("ledger"),
        call: { .ledger(from: $0, to: $1) },
        values: { if case .ledger(let from, let to) = $0 { (from, to) } else { nil } })
}

/// A page of the ledger: the result of `ledger`.
public struct LedgerPage: Sendable, Hashable, Decodable {
    /// The amounts of one app, or of the device, in five minutes.
    public struct Entry: Sendable, Hashable, Codable {
        /// When the five minutes begin.
        public var start: WallTime
        /// As `apps` names it; nil: the device itself, or other apps together.
        public var app: String?
        /// Further apps together, where there were too many; nil: it is one app's, or the device's.
        public var others: Bool?
        /// Seconds that the receiver was on, for an app: while it needed the receiver.
        public var receiver: Double?
        /// Locations that it was told; nil: none.
        public var locations: UInt64?
        /// Elements of live updates; nil: none.
        public var liveUpdates: UInt64?
        /// Crossings, visits and other events; nil: none.
        public var events: UInt64?

        /// Whether it is the device's own.
        public var isDevice: Bool { app == nil && others != true }

        /// An entry as the wire has it. `app`: the name of the app of a holder.
        package init(_ entry: LedgerEntry, app: String?) {
            start = entry.start
            self.app = app
            others = entry.holder == .others ? true : nil
            let amounts = entry.amounts
            receiver = amounts.receiver > .zero ? amounts.receiver.seconds : nil
            locations = amounts.locations > 0 ? amounts.locations : nil
            liveUpdates = amounts.liveUpdates > 0 ? amounts.liveUpdates : nil
            events = amounts.events > 0 ? amounts.events : nil
        }
    }

    /// The entries by their start, those of one start beside each other.
    public var entries: [Entry]
    /// There is more: it follows with `from` this time. nil: there is no more now.
    public var next: WallTime?

    /// A page of these.
    public init(entries: [Entry], next: WallTime? = nil) {
        self.entries = entries
        self.next = next
    }
}

extension LedgerPage {
    static let schema = JSONSchema.object([
        Described(
            "entries",
            .array(
                of: .object([
                    Described("start", .time, required: true, "when the five minutes begin that it is about"),
                    Described("app", .string(), "as apps names it; absent: the device itself, or others"),
                    Described("others", .boolean, "further apps together, where there were too many; absent: not so"),
                    Described(
                        "receiver", .amount,
                        "seconds that the receiver was on, for an app: while it needed the receiver"),
                    Described("locations", .count, "locations that it was told; absent: none"),
                    Described("liveUpdates", .count, "elements of live updates; absent: none"),
                    Described("events", .count, "crossings, visits and other events; absent: none"),
                ])), required: true, "by start; may be none"),
        Described("next", .time, "ask again with from: this; absent: there is no more now"),
    ])
}

/// The result of `ledger` as the daemon writes it: whole stretches, as many as one line may hold, but one at the least.
package struct LedgerPageWriter: Sendable, WrittenResult {
    private var entries = JSONWriter()
    private var stretchEnd = 0
    private var start: WallTime?
    /// When the first stretch begins that the page has no room for; nil: it has all.
    package var next: WallTime?

    /// A page without entries.
    package init() {}

    /// Appends an entry, which begins no earlier than those before; false: the page is full, and ends with the stretch before.
    package mutating func append(_ entry: LedgerPage.Entry) -> Bool {
        if entry.start != start {
            (start, stretchEnd) = (entry.start, entries.bytes.count)
        }
        append(members: entry)
        guard stretchEnd > 0, entries.bytes.count + HistoryPageWriter.frame > NotificationWriter.maximumLineLength
        else {
            return true
        }
        entries.bytes.removeLast(entries.bytes.count - stretchEnd)
        next = entry.start
        return false
    }

    private mutating func append(members entry: LedgerPage.Entry) {
        entries.beginObject()
        entries.name("start")
        entries.time(entry.start)
        if let app = entry.app {
            entries.member("app", app)
        }
        if entry.others == true {
            entries.name("others")
            entries.bool(true)
        }
        if let receiver = entry.receiver {
            entries.name("receiver")
            entries.number(receiver)
        }
        if let locations = entry.locations { entries.member("locations", locations) }
        if let liveUpdates = entry.liveUpdates { entries.member("liveUpdates", liveUpdates) }
        if let events = entry.events { entries.member("events", events) }
        entries.endObject()
    }

    package func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("entries")
        writer.beginArray()
        if !entries.bytes.isEmpty { writer.raw(entries.bytes) }
        writer.endArray()
        if let next {
            writer.name("next")
            writer.time(next)
        }
        writer.endObject()
    }
}
