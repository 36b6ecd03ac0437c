// SPDX-License-Identifier: Apache-2.0

import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("Locations on the wire")
struct LocationCodingTests {
    private func written(_ location: Location) -> String {
        var writer = JSONWriter()
        LocationCoding.append(location, to: &writer)
        return text(writer.bytes)
    }

    static let fullJSON =
        #"{"latitude":48.137154321,"longitude":-11.5754,"horizontalAccuracy":4.25,"altitude":519.5,"#
        + #""ellipsoidalAltitude":565.875,"verticalAccuracy":8,"speed":0,"speedAccuracy":0.5,"course":271.5,"#
        + #""courseAccuracy":12,"timestamp":"2023-11-14T22:13:20.123Z","sequence":1041,"#
        + #""sourceInformation":{"isSimulatedBySoftware":true,"isProducedByAccessory":false}}"#

    @Test("a full location has every member, both ways")
    func full() throws {
        #expect(written(fullLocation) == LocationCodingTests.fullJSON)
        #expect(try decode(WireLocation.self, LocationCodingTests.fullJSON).location == fullLocation)
    }

    @Test("what is unknown is absent, an altitude without accuracy too, and an accuracy is not rounded to 0")
    func bare() throws {
        let json =
            #"{"latitude":0,"longitude":180,"horizontalAccuracy":0.001,"timestamp":"1970-01-01T00:00:00.000Z","#
            + #""sequence":1,"sourceInformation":{"isSimulatedBySoftware":false,"isProducedByAccessory":false}}"#
        #expect(written(bareLocation) == json)
        let location = try decode(WireLocation.self, json).location
        #expect(location.altitude == nil && location.verticalAccuracy == nil && location.speed == nil)
    }

    @Test("a client reads a location with members it does not know and without those that may be absent")
    func lenient() throws {
        let json = #"{"latitude":1,"longitude":2,"horizontalAccuracy":3,"timestamp":"2024-01-01T00:00:00Z","floor":4}"#
        let location = try decode(WireLocation.self, json).location
        #expect(location.coordinate == Coordinate(latitude: 1, longitude: 2))
        #expect(location.sequence == 0 && !location.isSimulatedBySoftware)
    }

    @Test(
        "a location without what it always has is refused",
        arguments: [
            "{}", #"{"latitude":1,"longitude":2,"horizontalAccuracy":3}"#,
            #"{"latitude":1,"longitude":2,"horizontalAccuracy":3,"timestamp":"yesterday"}"#,
        ])
    func incomplete(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(WireLocation.self, json) }
    }

    @Test("numbers that are not finite are left out")
    func notFinite() {
        var location = fullLocation
        location.speed = .nan
        location.course = .infinity
        let json = written(location)
        #expect(!json.contains("\"speed\"") && !json.contains("\"course\"") && !json.contains("null"))
    }

    @Test("a course is never rounded up to 360")
    func course() throws {
        var location = fullLocation
        location.course = 359.99996
        #expect(written(location).contains("\"course\":0,"))
        #expect(try encoded(WireLocation(location)).contains("\"course\":0,"))
        location.course = 359.9994
        #expect(written(location).contains("\"course\":359.999,"))
    }

    @Test("the writer of the hot path and the encoder say the same of any location, within half a unit")
    func agreement() throws {
        var random = SplitMix64(seed: testSeed)
        for _ in 0..<300 {
            let location = LocationCodingTests.random(&random)
            let byWriter = try decode(WireLocation.self, written(location)).location
            let byEncoder = try decode(WireLocation.self, try encoded(WireLocation(location))).location
            #expect(byWriter == byEncoder, "seed \(testSeed)")
            #expect(abs(byWriter.coordinate.latitude - location.coordinate.latitude) < 0.51e-9)
            #expect(byWriter.horizontalAccuracy > 0)
            #expect(abs(byWriter.horizontalAccuracy - location.horizontalAccuracy) <= 0.001)
            #expect((byWriter.altitude == nil) == (location.altitude == nil || location.verticalAccuracy == nil))
            #expect((byWriter.speed == nil) == (location.speed == nil))
            #expect(byWriter.timestamp == location.timestamp && byWriter.sequence == location.sequence)
            #expect(written(location).utf8.count <= LocationCoding.maximumLength)
        }
    }

    static func random(_ random: inout SplitMix64) -> Location {
        func maybe(_ range: ClosedRange<Double>) -> Double? {
            Bool.random(using: &random) ? Double.random(in: range, using: &random) : nil
        }
        return Location(
            coordinate: Coordinate(
                latitude: Double.random(in: -90...90, using: &random),
                longitude: Double.random(in: -180...180, using: &random)),
            horizontalAccuracy: Double.random(in: 1e-9...5000, using: &random),
            timestamp: WallTime(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &random)),
            sequence: UInt64.random(in: 1..<1 << 53, using: &random), altitude: maybe(-500...9000),
            ellipsoidalAltitude: maybe(-500...9000), verticalAccuracy: maybe(1e-9...100), speed: maybe(0...100),
            speedAccuracy: maybe(0...10), course: maybe(0...359.9999), courseAccuracy: maybe(0...180),
            isSimulatedBySoftware: Bool.random(using: &random),
            kind: LocationKind.allCases.randomElement(using: &random) ?? .receiver)
    }
}
