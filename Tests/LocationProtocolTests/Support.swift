// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LocationModel
import LocationProtocol
import LocationTestSupport

/// The bytes of a line as the framer gives them.
func line(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

/// The text of bytes that were written.
func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

/// `value` as a sorted JSON text.
func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return text(try encoder.encode(value))
}

/// A prefix with its tail: a whole notification line.
func withTail(_ prefix: [UInt8], _ sequence: UInt64) -> [UInt8] {
    var line = prefix
    NotificationWriter.appendTail(sequence, to: &line)
    return line
}

/// The seed of this run.
let testSeed = SplitMix64.seedOfThisRun

/// A location with everything that a receiver can tell.
let fullLocation = Location(
    coordinate: Coordinate(latitude: 48.137154321, longitude: -11.5754), horizontalAccuracy: 4.25,
    timestamp: WallTime(milliseconds: 1_700_000_000_123), sequence: 1041, altitude: 519.5, ellipsoidalAltitude: 565.875,
    verticalAccuracy: 8, speed: 0, speedAccuracy: 0.5, course: 271.5, courseAccuracy: 12, isSimulatedBySoftware: true)

/// A location of which only the place is known.
let bareLocation = Location(
    coordinate: Coordinate(latitude: 0, longitude: 180), horizontalAccuracy: 0.0001,
    timestamp: WallTime(milliseconds: 0), sequence: 1, altitude: 12)

/// A UUID of beacons.
let beacons = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

/// Reads `json`.
func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
}

/// A circle with everything that a region can say.
let circle = Region(
    identifier: "home",
    shape: .circle(center: Coordinate(latitude: 48.1371543210987, longitude: -11.5), radius: 100.5),
    notifyOnEntry: false, notifyOnExit: true,
    hysteresis: RegionHysteresis(cushion: 25, dwell: .seconds(12.5)))
let circleArea = #""center":{"latitude":48.1371543210987,"longitude":-11.5},"radius":100.5"#
let circleJSON =
    #"{"identifier":"home",\#(circleArea),"notifyOnEntry":false,"notifyOnExit":true,"cushion":25,"dwell":12.5}"#
let circleShapeJSON = #"{"type":"circle",\#(circleArea)}"#

/// A triangle with the defaults.
let triangle = Region(
    identifier: "park",
    shape: .polygon(
        Polygon(unchecked: [
            Coordinate(latitude: 1, longitude: 2), Coordinate(latitude: 3.25, longitude: 4),
            Coordinate(latitude: -5, longitude: 6),
        ])))
let triangleJSON =
    #"{"identifier":"park","vertices":[[1,2],[3.25,4],[-5,6]],"notifyOnEntry":true,"notifyOnExit":true}"#

/// Beacons of one group.
let hall = Region(identifier: "hall", shape: .beacon(BeaconIdentity(uuid: beacons, major: 7)), notifyOnExit: false)
let hallArea = #""uuid":"\#(beacons)","major":7"#
let hallJSON = #"{"identifier":"hall",\#(hallArea),"notifyOnEntry":true,"notifyOnExit":false}"#
let hallShapeJSON = #"{"type":"beacon",\#(hallArea)}"#
let triangleShapeJSON = #"{"type":"polygon","vertices":[[1,2],[3.25,4],[-5,6]]}"#

extension JSONValue: Decodable {
    package init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: AnyMember.self) {
            var members: [String: JSONValue] = [:]
            for key in object.allKeys { members[key.stringValue] = try object.decode(JSONValue.self, forKey: key) }
            self = .object(members)
            return
        }
        if var array = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !array.isAtEnd { elements.append(try array.decode(JSONValue.self)) }
            self = .array(elements)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else {
            self = .number(try container.decode(Double.self))
        }
    }
}

/// Any member name at all.
private struct AnyMember: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
