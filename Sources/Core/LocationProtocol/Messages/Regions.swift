// SPDX-License-Identifier: Apache-2.0

public import LocationModel

// Requests about places that outlive connections: regions, visits, stored events.
extension Method {
    static let regions = [startMonitoring, stopMonitoring, requestState, monitoredRegions]
    static let visits = [startMonitoringVisits, stopMonitoringVisits]
    static let acknowledgement = [acknowledge]

    package static let startMonitoring = Method(
        "startMonitoring", "Watches a region of the app, in place of its region of the same identifier.",
        required("region", .region, "a circle, a polygon, or beacons"), result: .named("state"),
        errors: [.limitExceeded],
        coreLocation: "startMonitoring(for:)", effect: .durable, request: Request.startMonitoring,
        values: { if case .startMonitoring(let region) = $0 { region } else { nil } })

    package static let stopMonitoring = Method(
        "stopMonitoring", "Watches a region no longer; without it does nothing.",
        required("identifier", .name, "the region's"), coreLocation: "stopMonitoring(for:)", effect: .durable,
        request: Request.stopMonitoring,
        values: { if case .stopMonitoring(let identifier) = $0 { identifier } else { nil } })

    package static let requestState = Method(
        "requestState", "Asks where the device is with respect to a region: didDetermineState.",
        required("identifier", .name, "the region's"), result: .named("state"), errors: [.notFound],
        coreLocation: "requestState(for:)", request: Request.requestState,
        values: { if case .requestState(let identifier) = $0 { identifier } else { nil } })

    package static let monitoredRegions = Method(
        "monitoredRegions", "Tells the app's regions.", .monitoredRegions, result: .array(of: .named("region")),
        coreLocation: "monitoredRegions")

    package static let startMonitoringVisits = Method(
        "startMonitoringVisits", "Tells the app of arrivals and departures.", .startMonitoringVisits,
        result: .named("state"), errors: [.limitExceeded], coreLocation: "startMonitoringVisits()",
        effect: .durable)

    package static let stopMonitoringVisits = Method(
        "stopMonitoringVisits", "Tells the app of visits no longer.", .stopMonitoringVisits,
        coreLocation: "stopMonitoringVisits()", effect: .durable, undoes: .startMonitoringVisits)

    package static let acknowledge = Method(
        "acknowledge", "Says that an event has been dealt with; it does not come again. Idempotent.",
        required("event", .ordinal, "its number"), errors: [.notFound], effect: .lasting, request: Request.acknowledge,
        values: { if case .acknowledge(let event) = $0 { event } else { nil } })
}

/// The widest cushion and the longest dwell that a region may have.
package enum RegionLimits {
    /// Metres.
    package static let cushion = 0.0...100_000.0
    /// Seconds.
    package static let dwell = 0.0...86_400.0
}

extension Rule<Region> {
    private static let identifier = required(
        "identifier", .name, "its name, one region of a name in an app")
    private static let notifyOnEntry = optional(
        "notifyOnEntry", .flag, else: true, isWrittenAlways: true, "whether entering is told; true unless said")
    private static let notifyOnExit = optional(
        "notifyOnExit", .flag, else: true, isWrittenAlways: true, "whether leaving is told; true unless said")
    private static let cushion = optional(
        "cushion", .bounded(RegionLimits.cushion, unit: "metres"),
        "metres beyond the border before a crossing counts; as configured unless said")
    private static let dwell = optional(
        "dwell", .bounded(RegionLimits.dwell, unit: "seconds"),
        "seconds beyond the border before a crossing counts; as configured unless said")
    private static let notice = optional(
        "notice", .notice, "what its user's agent shows a person at a crossing, whatever the app is told")

    /// A region: a circle, a polygon, or the surroundings of beacons.
    static let region: Rule = {
        let common = [identifier.description, notifyOnEntry.description, notifyOnExit.description]
        let ofAreas = common + [cushion.description, dwell.description, notice.description]
        return Rule(
            .anyOf([
                .object(ofAreas + RegionShape.circleMembers("the middle of the circle")),
                .object(ofAreas + RegionShape.polygonMembers),
                .object(common + [notice.description] + BeaconIdentity.descriptions),
            ]), named: "region", allowed: "an object",
            absent: "an object with an identifier and \(RegionShape.allowed)",
            read: { given throws(RPCError) in
                let object = try given.object()
                try object.refuseOthers(than: [
                    "identifier", "center", "radius", "vertices", "uuid", "major", "minor", "notifyOnEntry",
                    "notifyOnExit", "cushion", "dwell", "notice",
                ])
                return Region(
                    identifier: try identifier.read(object), shape: try shape(object),
                    notifyOnEntry: try notifyOnEntry.read(object), notifyOnExit: try notifyOnExit.read(object),
                    hysteresis: RegionHysteresis(
                        cushion: try cushion.read(object),
                        dwell: try dwell.read(object).map { TimeSpan.seconds($0) }),
                    notice: try notice.read(object))
            },
            write: { region, writer in
                writer.beginObject()
                identifier.write(region.identifier, &writer)
                region.shape.appendMembers(to: &writer)
                notifyOnEntry.write(region.notifyOnEntry, &writer)
                notifyOnExit.write(region.notifyOnExit, &writer)
                cushion.write(region.hysteresis.cushion, &writer)
                dwell.write(region.hysteresis.dwell.map(\.seconds), &writer)
                notice.write(region.notice, &writer)
                writer.endObject()
            })
    }()

    private static func shape(_ object: GivenObject) throws(RPCError) -> RegionShape {
        if object.member("uuid") != nil {
            // A beacon is heard or not: it has no border to be beyond.
            try RegionShape.refuse(["center", "radius", "vertices", "cushion", "dwell"], in: object, beside: "uuid")
            return .beacon(try BeaconIdentity.read(object))
        }
        try RegionShape.refuse(["major", "minor"], in: object, beside: nil)
        guard object.member("vertices") != nil else { return try .circle(in: object) }
        try RegionShape.refuse(["center", "radius"], in: object, beside: "vertices")
        return try .polygon(in: object)
    }
}

// The areas of regions and of conditions. Coordinates are written so that they read back as the very same numbers: a region
// is compared with what was given.
extension RegionShape {
    fileprivate static let allowed = "either center and radius, or vertices, or uuid"

    fileprivate static func refuse(
        _ members: [StaticString], in object: GivenObject, beside other: String?
    ) throws(RPCError) {
        for member in members where object.member(member) != nil {
            throw object.refusal(member, allowed: allowed, given: other.map { "it beside \($0)" } ?? "it without uuid")
        }
    }

    private static let center = required("center", .coordinate, "its middle")
    private static let radius = required("radius", .radius, "metres")
    private static let vertices = required(
        "vertices", .vertices, "3 to 1000 [latitude, longitude], closes itself")

    static func circleMembers(_ center: String) -> [JSONSchema.Member] {
        [
            JSONSchema.Member("center", RegionShape.center.description.schema, required: true, center),
            radius.description,
        ]
    }

    static var polygonMembers: [JSONSchema.Member] { [vertices.description] }

    static func circle(in object: GivenObject) throws(RPCError) -> RegionShape {
        .circle(center: try center.read(object), radius: try radius.read(object))
    }

    static func polygon(in object: GivenObject) throws(RPCError) -> RegionShape {
        .polygon(try vertices.read(object))
    }

    func appendMembers(to writer: inout JSONWriter) {
        switch self {
        case .circle(let center, let radius):
            RegionShape.center.write(center, &writer)
            RegionShape.radius.write(radius, &writer)
        case .polygon(let polygon): RegionShape.vertices.write(polygon, &writer)
        case .beacon(let beacons): beacons.appendMembers(to: &writer)
        }
    }
}

extension Rule<Coordinate> {
    fileprivate static let coordinate = Rule.object(
        required("latitude", .degrees(90), "degrees north, WGS 84"),
        required("longitude", .degrees(180), "degrees east, WGS 84"),
        absent: "an object with latitude and longitude", make: { Coordinate(latitude: $0, longitude: $1) },
        values: { ($0.latitude, $0.longitude) })
}

extension Rule<Double> {
    static func degrees(_ limit: Double) -> Rule {
        number(
            .number(minimum: -limit, maximum: limit),
            allowed: "a number of degrees, -\(Int(limit)) to \(Int(limit))"
        ) { abs($0) <= limit }
    }

    // How large a region may be is Core Location's to say, by an error that the delegate gets.
    fileprivate static let radius = number(.number(exclusiveMinimum: 0), allowed: "a number of metres, more than 0") {
        $0 > 0
    }
}

extension Rule<Polygon> {
    fileprivate static let vertices: Rule = {
        let allowed =
            "an array of 3 to 1000 [latitude, longitude], a polygon that does not cross itself and has no pole inside"
        return Rule(
            // Latitudes and longitudes in one: an array of draft 7 with a schema per place says no more to a reader.
            .array(of: .array(of: .number(minimum: -180, maximum: 180))), allowed: allowed,
            read: { given throws(RPCError) in
                guard let pairs = given.numberLists else { throw given.refusal(allowed: allowed) }
                var coordinates: [Coordinate] = []
                coordinates.reserveCapacity(pairs.count)
                for (index, pair) in pairs.enumerated() {
                    guard pair.count == 2 else {
                        throw given.refusal(
                            allowed: allowed, given: "\(pair.count) numbers as the vertex \(index)")
                    }
                    let coordinate = Coordinate(latitude: pair[0], longitude: pair[1])
                    guard coordinate.isValid else {
                        throw given.refusal(
                            allowed: "latitudes of -90 to 90 and longitudes of -180 to 180",
                            given: "[\(pair[0]), \(pair[1])] as the vertex \(index)")
                    }
                    coordinates.append(coordinate)
                }
                do throws(PolygonError) {
                    return try Polygon(vertices: coordinates)
                } catch {
                    var reason = error.reason
                    if case .vertexCount(let count) = error, count < coordinates.count {
                        reason += ", and the last one repeats the first"
                    }
                    throw given.refusal(because: reason)
                }
            },
            write: { polygon, writer in
                writer.beginArray()
                for vertex in polygon.vertices {
                    writer.beginArray()
                    writer.number(vertex.latitude)
                    writer.number(vertex.longitude)
                    writer.endArray()
                }
                writer.endArray()
            })
    }()
}

/// The result of `monitoredRegions`: the app's regions, in the order of their identifiers or as the daemon keeps them.
public struct MonitoredRegions: Sendable, Hashable {
    /// The regions.
    public var regions: [Region]

    /// The result `regions`.
    public init(_ regions: [Region]) { self.regions = regions }
}

extension MonitoredRegions: WrittenResult, Decodable {
    package func append(to writer: inout JSONWriter) {
        writer.beginArray()
        for region in regions { region.append(to: &writer) }
        writer.endArray()
    }

    /// Reads an array of regions.
    public init(from decoder: any Decoder) throws {
        regions = try decoder.singleValueContainer().decode([WireRegion].self).map(\.region)
    }
}

extension Region {
    /// Appends the `region` object.
    func append(to writer: inout JSONWriter) { Rule<Region>.region.write(self, &writer) }
}

private enum ShapeMember: String, CodingKey {
    case identifier, center, radius, vertices, uuid, major, minor, notifyOnEntry, notifyOnExit, cushion, dwell, notice
}

private enum CoordinateMember: String, CodingKey { case latitude, longitude }

extension RegionShape {
    // Of a region or of a condition, which have these members alike.
    fileprivate init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ShapeMember.self)
        if let pairs = try container.decodeIfPresent([[Double]].self, forKey: .vertices) {
            // The daemon has checked the polygon; only what cannot be read is refused here.
            guard pairs.allSatisfy({ $0.count == 2 }) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .vertices, in: container, debugDescription: "a vertex is not [latitude, longitude]")
            }
            self = .polygon(
                Polygon(unchecked: pairs.map { Coordinate(latitude: $0[0], longitude: $0[1]) }))
            return
        }
        if let uuid = try container.decodeIfPresent(String.self, forKey: .uuid) {
            self = .beacon(
                BeaconIdentity(
                    uuid: uuid, major: try container.decodeIfPresent(UInt16.self, forKey: .major),
                    minor: try container.decodeIfPresent(UInt16.self, forKey: .minor)))
            return
        }
        let center = try container.nestedContainer(keyedBy: CoordinateMember.self, forKey: .center)
        self = .circle(
            center: Coordinate(
                latitude: try center.decode(Double.self, forKey: .latitude),
                longitude: try center.decode(Double.self, forKey: .longitude)),
            radius: try container.decode(Double.self, forKey: .radius))
    }
}

/// A region inside a message, as decoders read it.
struct WireRegion: Decodable {
    var region: Region

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ShapeMember.self)
        region = Region(
            identifier: try container.decode(String.self, forKey: .identifier),
            shape: try RegionShape(from: decoder),
            notifyOnEntry: try container.decodeIfPresent(Bool.self, forKey: .notifyOnEntry) ?? true,
            notifyOnExit: try container.decodeIfPresent(Bool.self, forKey: .notifyOnExit) ?? true,
            hysteresis: RegionHysteresis(
                cushion: try container.decodeIfPresent(Double.self, forKey: .cushion),
                dwell: try container.decodeIfPresent(Double.self, forKey: .dwell).map { TimeSpan.seconds($0) }),
            notice: try container.decodeIfPresent(WireNotice.self, forKey: .notice)?.notice)
    }
}

/// The area of a condition inside a message, as decoders read it.
struct WireShape: Decodable {
    var shape: RegionShape
    init(from decoder: any Decoder) throws { shape = try RegionShape(from: decoder) }
}
