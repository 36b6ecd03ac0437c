// SPDX-License-Identifier: Apache-2.0

public import LocationModel

// Notices: what a region has a person shown, and the agents that show it (Protocol 7.11).
extension Method {
    static let notices = [takeNotices, acknowledgeNotice]

    package static let takeNotices = Method(
        "takeNotices", "Makes this connection one that shows its user's notices: noticeRaised, those that wait, too.",
        .takeNotices, errors: [.notPermitted], sender: .agent)

    package static let acknowledgeNotice = Method(
        "acknowledgeNotice", "Says that a notice was shown; it does not come again. Idempotent.",
        required("identity", .appName, "whose notice, as noticeRaised said"),
        optional("label", .label, "as noticeRaised said"), required("event", .ordinal, "its number"),
        errors: [.notPermitted, .notFound], sender: .agent, effect: .lasting,
        request: { .acknowledgeNotice(NoticeName(identity: $0, label: $1, event: $2)) },
        values: { request -> (String, String?, UInt64)? in
            guard case .acknowledgeNotice(let name) = request else { return nil }
            return (name.identity, name.label, name.event)
        })
}

/// A notice that a person is to be shown: the payload of `noticeRaised`.
public struct RaisedNotice: Sendable, Hashable {
    /// The identity of the app that it is of; nil only in a list of that app's events.
    public var identity: String?
    /// The app's own word for itself; nil: none.
    public var label: String?
    /// The number to acknowledge; nil: it is not stored, and need not be.
    public var event: UInt64?
    /// When the region was crossed; nil as `identity`.
    public var date: WallTime?
    /// The region's identifier.
    public var region: String
    /// `inside`: it was entered; `outside`: it was left.
    public var state: RegionState
    /// Its first line.
    public var title: String
    /// The text below it; may be empty.
    public var text: String
    /// It was raised when nobody was there to show it.
    public var isMissed: Bool

    /// The notice of an event; without `identity` and `date` where both are known.
    package init(
        _ notice: RegionNotice, region: String, _ state: RegionState, event: UInt64?, identity: String? = nil,
        label: String? = nil, date: WallTime? = nil, isMissed: Bool = false
    ) {
        (self.identity, self.label, self.event, self.date) = (identity, label, event, date)
        (self.region, self.state, title, text) = (region, state, notice.title, notice.text)
        self.isMissed = isMissed
    }

    /// Which one it is; nil: it need not be acknowledged.
    public var name: NoticeName? {
        guard let identity, let event else { return nil }
        return NoticeName(identity: identity, label: label, event: event)
    }
}

extension RegionNotice.Crossing: WireWord, Codable {}

extension Rule<RegionNotice> {
    static let notice = Rule.object(
        required("title", .title, "the first line"),
        optional("text", .usageText, else: "", "what stands below"),
        optional("on", .word, else: .entry, "the crossings that it is for; entry unless said"),
        optional("repeats", .flag, else: true, "at each such crossing, or only at the first; true unless said"),
        absent: "an object with a title", make: { RegionNotice(title: $0, text: $1, on: $2, repeats: $3) },
        values: { ($0.title, $0.text, $0.crossing, $0.repeats) })
}

/// Whether `text` may be the first line of a notice.
package func isNoticeTitle(_ text: String) -> Bool {
    isName(text) && text.unicodeScalars.allSatisfy(isPlain) && text.unicodeScalars.contains(where: isVisible)
}

extension Rule<String> {
    fileprivate static let title = text(
        .label,
        allowed: "a string of 1 to 128 bytes with something visible in it, without control or bidirectional characters",
        isNoticeTitle)
}

/// A region's notice inside a message, as decoders read it.
struct WireNotice: Decodable {
    var notice: RegionNotice

    private enum Member: String, CodingKey { case title, text, on, repeats }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        notice = RegionNotice(
            title: try container.decode(String.self, forKey: .title),
            text: try container.decodeIfPresent(String.self, forKey: .text) ?? "",
            on: try container.decodeIfPresent(RegionNotice.Crossing.self, forKey: .on) ?? .entry,
            repeats: try container.decodeIfPresent(Bool.self, forKey: .repeats) ?? true)
    }
}

extension Notification {
    static let noticeRaisedForm = NotificationForm(
        "noticeRaised", "To agents that show notices: a region was crossed, and a person is to be told.",
        toldIfAny("identity", .text, required: true, "who the daemon found the app to be"),
        toldIfAny("label", .text, "what the app calls itself; only its word"),
        toldIfAny("date", .time, required: true, "when the region was crossed"), told("region", .text, "the region's"),
        told("state", Shape<RegionState>.word, "inside: it was entered; outside: it was left"),
        told("title", .text, "the first line"), toldIfAny("text", .text, "what stands below; absent: nothing"),
        toldIfTrue("missed", "only when true: nobody was there to show it when it was raised"),
        toldIfAny("event", .count, "the event to acknowledge; absent: it is not stored"),
        make: { identity, label, date, region, state, title, text, isMissed, event in
            .noticeRaised(
                RaisedNotice(
                    RegionNotice(title: title, text: text ?? ""), region: region, state, event: event,
                    identity: identity, label: label, date: date, isMissed: isMissed))
        })
}

extension RaisedNotice {
    /// Appends the members of the notification's `params` but `seq`.
    func appendParams(to writer: inout JSONWriter) {
        Notification.noticeRaisedForm.appendParams(
            identity, label, date, region, state, title, text.isEmpty ? nil : text, isMissed, event, to: &writer)
    }
}

extension NotificationWriter {
    /// `noticeRaised`.
    package static func noticeRaised(_ notice: RaisedNotice) -> [UInt8] {
        var writer = JSONWriter()
        begin(Notification.noticeRaisedForm.name, &writer)
        notice.appendParams(to: &writer)
        writer.name("seq")
        return writer.bytes
    }
}
