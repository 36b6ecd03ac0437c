// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationGeoClue

@Suite("A street or a neighborhood in place of the exact place")
struct CoarsePlaceTests {
    private static func location(_ latitude: Double, _ longitude: Double) -> Location {
        Location(
            coordinate: Coordinate(latitude: latitude, longitude: longitude), horizontalAccuracy: 4.5,
            timestamp: WallTime(milliseconds: 1_795_000_000_000), sequence: 7, altitude: 31, verticalAccuracy: 8,
            speed: 3,
            course: 90)
    }

    @Test(
        "is the middle of a square, with a radius that holds the true place, everywhere on earth",
        arguments: [(AccuracyLevel.street, 200.0), (.neighborhood, 2000.0)])
    func everywhere(level: AccuracyLevel, side: Double) {
        var random = SplitMix64()
        var places = [(90.0, 0.0), (-90, 180), (0, 180), (0, -180), (89.9999, 120), (-89.9995, -60)]
        for _ in 0..<500 { places.append((random.uniform(-90...90), random.uniform(-180...180))) }
        for (latitude, longitude) in places {
            let exact = CoarsePlaceTests.location(latitude, longitude)
            let told = level.coarsened(exact)
            let distance = told.coordinate.distance(to: exact.coordinate)
            #expect(distance + exact.horizontalAccuracy <= told.horizontalAccuracy + 0.001, "\(latitude) \(longitude)")
            #expect(told.horizontalAccuracy >= side * 0.75)
            #expect((-90...90).contains(told.coordinate.latitude) && (-180...180).contains(told.coordinate.longitude))
        }
    }

    @Test("is the same for all places of a square: on a way of one kilometre there are few")
    func fewPlaces() {
        let ways = (0..<1000).map { CoarsePlaceTests.location(52.5 + Double($0) * 0.000009, 13.4) }
        #expect((5...7).contains(Set(ways.map { AccuracyLevel.street.coarsened($0).coordinate }).count))
        #expect((1...2).contains(Set(ways.map { AccuracyLevel.neighborhood.coarsened($0).coordinate }).count))
    }

    @Test("tells neither height nor movement, and keeps the number and the time")
    func nothingElse() {
        let exact = CoarsePlaceTests.location(52.5, 13.4)
        let told = AccuracyLevel.street.coarsened(exact)
        #expect(told.altitude == nil && told.verticalAccuracy == nil && told.speed == nil && told.course == nil)
        #expect(told.sequence == exact.sequence && told.timestamp == exact.timestamp)
    }

    @Test("other levels are told what the daemon says", arguments: [AccuracyLevel.none, .country, .city, .exact])
    func others(level: AccuracyLevel) {
        let exact = CoarsePlaceTests.location(52.5, 13.4)
        #expect(level.coarsened(exact) == exact)
    }
}
