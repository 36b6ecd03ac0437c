// SPDX-License-Identifier: Apache-2.0

public import LocationModel

// Monitors and their conditions (CLMonitor).
extension Method {
    static let monitors = [openMonitor, closeMonitor, addCondition, removeCondition, monitorRecord]

    package static let openMonitor = Method(
        "openMonitor", "Takes the app's monitor of a name, made if there is none; one holder each.",
        required("name", .name, "the monitor's"), result: .named("monitor"),
        errors: [.notPermitted, .limitExceeded], coreLocation: "CLMonitor.init(_:)", effect: .durablePreparation,
        opens: .monitor,
        request: Request.openMonitor, values: { if case .openMonitor(let name) = $0 { name } else { nil } })

    package static let closeMonitor = Method(
        "closeMonitor", "Gives a monitor back; its conditions are watched on.",
        number("monitor", of: .monitor, "its number"), errors: [.notFound], coreLocation: "the end of a CLMonitor",
        closes: .monitor,
        request: Request.closeMonitor, values: { if case .closeMonitor(let monitor) = $0 { monitor } else { nil } })

    package static let addCondition = Method(
        "addCondition", "Watches a condition, in place of the monitor's one of the same identifier.",
        ConditionName.monitorMember, ConditionName.identifierMember,
        required("condition", .condition, "a circle, a polygon, or beacons"),
        optional(
            "assuming", .word(of: [.unknown, .satisfied, .unsatisfied]), else: .unknown,
            "how it stands until it is looked at; unknown unless said"),
        errors: [.notFound, .limitExceeded], coreLocation: "CLMonitor.add(_:identifier:assuming:)", effect: .durable,
        request: { .addCondition(ConditionParameters(monitor: $0, identifier: $1, condition: $2, assuming: $3)) },
        values: { request in
            guard case .addCondition(let added) = request else { return nil }
            return (added.monitor, added.identifier, added.condition, added.assuming)
        })

    package static let removeCondition = Method(
        "removeCondition", "Watches a condition no longer; without it does nothing.",
        ConditionName.monitorMember, ConditionName.identifierMember, errors: [.notFound],
        coreLocation: "CLMonitor.remove(_:)", effect: .durable,
        request: { .removeCondition(ConditionName(monitor: $0, identifier: $1)) },
        values: { if case .removeCondition(let name) = $0 { (name.monitor, name.identifier) } else { nil } })

    package static let monitorRecord = Method(
        "monitorRecord", "Tells a condition and its last acknowledged event; null without the condition.",
        ConditionName.monitorMember, ConditionName.identifierMember, result: .nullable(.named("record")),
        errors: [.notFound], coreLocation: "CLMonitor.record(for:)",
        call: { .monitorRecord(ConditionName(monitor: $0, identifier: $1)) },
        values: { if case .monitorRecord(let name) = $0 { (name.monitor, name.identifier) } else { nil } })
}

extension ConditionName {
    fileprivate static let monitorMember = number("monitor", of: .monitor, "the monitor's number")
    fileprivate static let identifierMember = required("identifier", .name, "the condition's")
}

/// The shape of a condition's area.
private enum ConditionType: String, CaseIterable, Sendable, WireWord {
    case circle, polygon, beacon
}

extension Rule<RegionShape> {
    /// The area of a condition, and the refinement of an event.
    static let condition: Rule = {
        let type = required("type", Rule<ConditionType>.word, "a circle, a polygon or a beacon")
        return Rule(
            .anyOf([
                .object(
                    [JSONSchema.Member("type", .words([ConditionType.circle.word]), required: true, "a circle")]
                        + RegionShape.circleMembers("its middle")),
                .object(
                    [JSONSchema.Member("type", .words([ConditionType.polygon.word]), required: true, "a polygon")]
                        + RegionShape.polygonMembers),
                .object(
                    [JSONSchema.Member("type", .words([ConditionType.beacon.word]), required: true, "beacons")]
                        + BeaconIdentity.descriptions),
            ]), named: "condition", allowed: "an object", absent: "an object with a type and an area or beacons",
            read: { given throws(RPCError) in
                let object = try given.object()
                try object.refuseOthers(than: ["type", "center", "radius", "vertices", "uuid", "major", "minor"])
                switch try type.read(object) {
                case .circle:
                    try refuse(["vertices", "uuid", "major", "minor"], in: object, "beside the type circle")
                    return try .circle(in: object)
                case .polygon:
                    try refuse(["center", "radius", "uuid", "major", "minor"], in: object, "beside the type polygon")
                    return try .polygon(in: object)
                case .beacon:
                    try refuse(["center", "radius", "vertices"], in: object, "beside the type beacon")
                    return .beacon(try BeaconIdentity.read(object))
                }
            },
            write: { $0.append(to: &$1) })
    }()

    private static func refuse(
        _ members: [StaticString], in object: GivenObject, _ reason: String
    ) throws(RPCError) {
        for member in members where object.member(member) != nil {
            throw object.refusal(
                member, allowed: "center and radius with circle, vertices with polygon, uuid with beacon",
                given: "it \(reason)")
        }
    }
}

extension RegionShape {
    /// Appends the `condition` object, which is the refinement of an event, too.
    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("type")
        switch self {
        case .circle: writer.string(ConditionType.circle.word)
        case .polygon: writer.string(ConditionType.polygon.word)
        case .beacon: writer.string(ConditionType.beacon.word)
        }
        appendMembers(to: &writer)
        writer.endObject()
    }
}

/// The result of `openMonitor`.
public struct MonitorResult: Sendable, Hashable, Codable {
    /// The number of the monitor on this connection.
    public var monitor: UInt64
    /// The conditions that it has.
    public var identifiers: [String]

    /// The monitor `monitor`.
    public init(monitor: UInt64, identifiers: [String]) {
        self.monitor = monitor
        self.identifiers = identifiers
    }
}

extension MonitorResult {
    static let schema = JSONSchema.object([
        Described("monitor", .ordinal, required: true, "its number on this connection"),
        Described("identifiers", .array(of: .name), required: true, "the conditions that it has"),
    ])
}

/// A monitor's condition and what was last acknowledged of it (CLMonitor.Record).
public struct MonitorRecord: Sendable, Hashable {
    /// The area.
    public var condition: RegionShape
    /// The event that was acknowledged last; before the first the state that was assumed, since it was.
    public var lastEvent: ConditionEvent

    /// The record of `condition`.
    public init(condition: RegionShape, lastEvent: ConditionEvent) {
        self.condition = condition
        self.lastEvent = lastEvent
    }
}

/// The result of `monitorRecord`: null for a condition that there is not.
public struct MonitorRecordResult: Sendable, Hashable {
    /// The record.
    public var record: MonitorRecord?

    /// The result `record`.
    public init(_ record: MonitorRecord?) { self.record = record }
}

extension MonitorRecordResult: WrittenResult, Decodable {
    private enum Member: String, CodingKey { case condition, lastEvent }

    package func append(to writer: inout JSONWriter) {
        guard let record else { return writer.null() }
        writer.beginObject()
        writer.name("condition")
        record.condition.append(to: &writer)
        writer.name("lastEvent")
        writer.beginObject()
        Told<ConditionEvent>.conditionEvent.write(record.lastEvent, &writer)
        writer.endObject()
        writer.endObject()
    }

    /// Reads a record or null.
    public init(from decoder: any Decoder) throws {
        guard try !decoder.singleValueContainer().decodeNil() else {
            record = nil
            return
        }
        let container = try decoder.container(keyedBy: Member.self)
        record = MonitorRecord(
            condition: try container.decode(WireShape.self, forKey: .condition).shape,
            lastEvent: try container.decode(WireConditionEvent.self, forKey: .lastEvent).event)
    }
}

/// A condition's event inside a message, as decoders read it.
private struct WireConditionEvent: Decodable {
    var event: ConditionEvent
    init(from decoder: any Decoder) throws {
        event = try Told<ConditionEvent>.conditionEvent.read(try decoder.container(keyedBy: MemberKey.self))
    }
}

extension MonitorRecord {
    static let schema = JSONSchema.object([
        Described("condition", .named("condition"), required: true, "the area"),
        Described(
            "lastEvent", .object(Told<ConditionEvent>.conditionEvent.descriptions), required: true,
            "the event that was acknowledged last; before the first the state that was assumed, since it was"),
    ])
}
