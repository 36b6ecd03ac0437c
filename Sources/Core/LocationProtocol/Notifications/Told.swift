// SPDX-License-Identifier: Apache-2.0

import LocationModel

/// How a value of a notification is read and written, and what a table says of it.
struct Shape<Value: Sendable>: Sendable {
    let schema: JSONSchema
    let read: @Sendable (KeyedDecodingContainer<MemberKey>, MemberKey) throws -> Value
    let write: @Sendable (Value, inout JSONWriter) -> Void
}

/// A name of a member.
struct MemberKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// A member of a notification, or several that stand together: name, shape, and a sentence.
struct Told<Value: Sendable>: Sendable {
    let descriptions: [JSONSchema.Member]
    let read: @Sendable (KeyedDecodingContainer<MemberKey>) throws -> Value
    let write: @Sendable (Value, inout JSONWriter) -> Void
}

/// A member that is always there.
func told<Value>(_ name: StaticString, _ shape: Shape<Value>, _ summary: String) -> Told<Value> {
    let key = MemberKey(stringValue: "\(name)")
    return Told(
        descriptions: [JSONSchema.Member("\(name)", shape.schema, required: true, summary)],
        read: { try shape.read($0, key) },
        write: { value, writer in
            writer.name(name)
            shape.write(value, &writer)
        })
}

/// A member that the daemon always writes, and whose absence or null a client reads as `standard`.
func told<Value>(
    _ name: StaticString, _ shape: Shape<Value>, else standard: Value, _ summary: String
) -> Told<Value> {
    let told = told(name, shape, summary)
    let key = MemberKey(stringValue: "\(name)")
    return Told(
        descriptions: told.descriptions,
        read: { try $0.has(key) ? try shape.read($0, key) : standard }, write: told.write)
}

/// A member that is always there, and null for nil.
func toldOrNull<Value>(_ name: StaticString, _ shape: Shape<Value>, _ summary: String) -> Told<Value?> {
    let key = MemberKey(stringValue: "\(name)")
    return Told(
        descriptions: [JSONSchema.Member("\(name)", .nullable(shape.schema), required: true, summary)],
        read: { try $0.has(key) ? try shape.read($0, key) : nil },
        write: { value, writer in
            writer.name(name)
            if let value { shape.write(value, &writer) } else { writer.null() }
        })
}

/// A member that is there unless it is nil. `required`: that is so in each notification of this name, but not in all that is made of its
/// members.
func toldIfAny<Value>(
    _ name: StaticString, _ shape: Shape<Value>, required: Bool = false, _ summary: String
) -> Told<Value?> {
    let key = MemberKey(stringValue: "\(name)")
    return Told(
        descriptions: [JSONSchema.Member("\(name)", shape.schema, required: required, summary)],
        read: { try $0.has(key) ? try shape.read($0, key) : nil },
        write: { value, writer in
            guard let value else { return }
            writer.name(name)
            shape.write(value, &writer)
        })
}

/// A member that is there, and true, only if so.
func toldIfTrue(_ name: StaticString, _ summary: String) -> Told<Bool> {
    let flag = toldIfAny(name, .flag, summary)
    return Told(
        descriptions: flag.descriptions, read: { try flag.read($0) ?? false },
        write: { value, writer in flag.write(value ? true : nil, &writer) })
}

extension KeyedDecodingContainer<MemberKey> {
    fileprivate func has(_ key: MemberKey) throws -> Bool { try contains(key) && !decodeNil(forKey: key) }
}

extension Shape where Value: Decodable {
    /// A value that decoders know.
    static func value(
        _ schema: JSONSchema, _ write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) -> Shape {
        Shape(schema: schema, read: { try $0.decode(Value.self, forKey: $1) }, write: write)
    }
}

extension Shape {
    /// A value that decoders know as another.
    static func value<Read: Decodable & Sendable>(
        _ schema: JSONSchema, _ read: @escaping @Sendable (Read) -> Value,
        _ write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) -> Shape {
        Shape(schema: schema, read: { read(try $0.decode(Read.self, forKey: $1)) }, write: write)
    }
}

extension Shape where Value: WireWord & Decodable {
    /// One of the words of the type.
    static var word: Shape { value(.words(Value.words)) { $1.string($0.word) } }
}

extension Shape<Bool> {
    static let flag = value(.boolean) { $1.bool($0) }
}

extension Shape<UInt64> {
    static let count = value(.count) { $1.integer($0) }
    static let ordinal = value(.ordinal) { $1.integer($0) }
}

extension Shape<UInt32> {
    static let user = value(.count) { $1.integer(UInt64($0)) }
}

extension Shape<String> {
    static let text = value(.string()) { $1.string($0) }
}

extension Shape<WallTime> {
    static let time = value(.time) { $1.time($0) }
}

extension Shape<LocationError> {
    static let error = value(.named("error")) { $0.append(to: &$1) }
}

extension Shape<Location> {
    static let location = value(.named("location"), { (read: WireLocation) in read.location }) {
        LocationCoding.append($0, to: &$1)
    }
}

extension Shape<[Location]> {
    static let locations = value(
        .array(of: .named("location")), { (read: [WireLocation]) in read.map(\.location) }
    ) { locations, writer in
        writer.beginArray()
        for location in locations { LocationCoding.append(location, to: &writer) }
        writer.endArray()
    }
}

extension Shape<Region> {
    static let region = value(.named("region"), { (read: WireRegion) in read.region }) { $0.append(to: &$1) }
}

extension Shape<RegionShape> {
    static let condition = value(.named("condition"), { (read: WireShape) in read.shape }) { $0.append(to: &$1) }
}

extension Shape<Visit> {
    static let visit = value(.named("visit"), { (read: WireVisit) in read.visit }) { $0.append(to: &$1) }
}

extension Shape<Heading> {
    static let heading = value(.named("heading"), { (read: WireHeading) in read.heading }) { $0.append(to: &$1) }
}

extension Told<DiagnosticFlags> {
    /// These flags, each a member that is there only if it is set.
    static func flags(_ flags: DiagnosticFlags) -> Told {
        Told(
            descriptions: flags.names.map {
                JSONSchema.Member($0, .boolean, "only when true: " + DiagnosticFlags.explanation(of: $0))
            },
            read: { try DiagnosticFlags($0) }, write: { $0.append(to: &$1) })
    }
}

extension Told<ConditionEvent> {
    /// How a condition stands, which stands beside other members.
    static let conditionEvent: Told = {
        let state = told("state", Shape<ConditionState>.word, "how it stands")
        let date = told("date", .time, "since when")
        let refinement = toldIfAny(
            "refinement", .condition, "the condition that was found, while it is satisfied")
        let flags = Told<DiagnosticFlags>.flags(.ofMonitorEvents)
        return Told(
            descriptions: state.descriptions + date.descriptions + refinement.descriptions + flags.descriptions,
            read: {
                ConditionEvent(
                    state: try state.read($0), date: try date.read($0), refinement: try refinement.read($0),
                    flags: try flags.read($0))
            },
            write: { event, writer in
                state.write(event.state, &writer)
                date.write(event.date, &writer)
                refinement.write(event.refinement, &writer)
                flags.write(event.flags, &writer)
            })
    }()
}
