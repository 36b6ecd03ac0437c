// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationModel
import Testing

@Suite("A visit")
struct VisitTests {
    private let place = Coordinate(latitude: 1.5, longitude: 2.5)

    @Test("that goes on ends in the distant future, and one whose beginning nobody saw began in the distant past (V1)")
    func dates() {
        let arrived = WallTime(milliseconds: 1_700_000_000_500)
        let arrival = CLVisit(Visit(coordinate: place, horizontalAccuracy: 30, arrival: arrived, departure: nil))
        #expect(arrival.arrivalDate == Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect(arrival.departureDate == .distantFuture)
        let departure = CLVisit(Visit(coordinate: place, horizontalAccuracy: 30, arrival: nil, departure: arrived))
        #expect(departure.arrivalDate == .distantPast)
        #expect(departure.departureDate == Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect((departure.coordinate.latitude, departure.coordinate.longitude) == (1.5, 2.5))
        #expect(departure.horizontalAccuracy == 30)
    }

    @Test("of the daemon's comes back as it was, also out of an archive")
    func conversions() throws {
        let time = WallTime(milliseconds: 1_700_000_000_123)
        for (arrival, departure) in [(time, nil), (nil, time), (time, time), (nil, nil)] as [(WallTime?, WallTime?)] {
            let visit = Visit(coordinate: place, horizontalAccuracy: 30, arrival: arrival, departure: departure)
            #expect(CLVisit(visit).modelled == visit)
            let data = try NSKeyedArchiver.archivedData(withRootObject: CLVisit(visit), requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: CLVisit.self, from: data)
            #expect(read?.modelled == visit)
        }
    }
}

@Suite("A heading")
struct HeadingTests {
    @Test("of the daemon's has -1 where it knows nothing, and comes back as it was")
    func conversions() throws {
        let time = WallTime(milliseconds: 1_700_000_000_123)
        let none = CLHeading(Heading(timestamp: time))
        #expect((none.magneticHeading, none.trueHeading, none.headingAccuracy) == (-1, -1, -1))
        #expect((none.x, none.y, none.z) == (0, 0, 0))
        #expect(none.modelled == Heading(timestamp: time))
        let full = Heading(magneticHeading: 0, trueHeading: 3.25, headingAccuracy: 5, timestamp: time)
        let heading = CLHeading(full)
        #expect((heading.magneticHeading, heading.trueHeading, heading.headingAccuracy) == (0, 3.25, 5))
        #expect(heading.modelled == full)
        let data = try NSKeyedArchiver.archivedData(withRootObject: heading, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CLHeading.self, from: data)?.modelled == full)
    }
}

@Suite("A floor")
struct FloorTests {
    @Test("has a level, 0 at first, also out of an archive")
    func level() throws {
        #expect(CLFloor().level == 0)
        let data = try NSKeyedArchiver.archivedData(withRootObject: CLFloor(), requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CLFloor.self, from: data)?.level == 0)
    }
}
