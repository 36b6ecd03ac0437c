// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import Testing

@Suite("Places that somebody says")
struct ProvidedPlacesTests {
    private let start = BootInstant(nanoseconds: 1_000_000_000_000)
    private let date = WallTime(milliseconds: 1_750_000_000_000)
    private var places = ProvidedPlaces(patience: .seconds(10))

    private func offer(
        _ origin: ProvidedPlaces.Origin, accuracy: Double = 30, after seconds: Double = 0, for lifetime: Double? = nil
    ) -> ProvidedPlaces.Offer {
        let since = start + .seconds(seconds)
        return ProvidedPlaces.Offer(
            origin, name: "\(origin)",
            OfferedLocation(
                coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: accuracy, kind: .wifi),
            since: since, until: lifetime.map { since + .seconds($0) })
    }

    /// The accuracy of what is told `seconds` after the start; -1: it ends; nil: nothing is told.
    private mutating func told(after seconds: Double) -> Double? {
        switch places.take(at: start + .seconds(seconds), date) {
        case .tell(let fix): fix.location.horizontalAccuracy
        case .end: -1
        case nil: nil
        }
    }

    @Test mutating func `are told once, when somebody wants to know, and again to who asks`() throws {
        try places.offer(offer(.person))
        #expect(told(after: 0) == nil)
        places.setWanted(true)
        #expect(told(after: 1) == 30)
        #expect(told(after: 2) == nil)
        places.noteAsked(at: start + .seconds(1))
        #expect(told(after: 2) == nil)
        places.noteAsked(at: start + .seconds(3))
        #expect(told(after: 3) == 30)
    }

    @Test mutating func `are told again at most once a second, and then without being asked twice`() throws {
        try places.offer(offer(.person))
        places.setWanted(true)
        #expect(told(after: 0) == 30)
        for tenth in 1..<10 {
            let seconds = Double(tenth) / 10
            places.noteAsked(at: start + .seconds(seconds))
            #expect(told(after: seconds) == nil)
        }
        #expect(places.nextWake?.latest == start + .seconds(1))
        #expect(told(after: 1) == 30)
        #expect(places.nextWake?.earliest == start + .seconds(3601))
    }

    @Test mutating func `are chosen by their accuracy, and the next one counts when the best one ends`() throws {
        places.setWanted(true)
        try places.offer(offer(.client(1), accuracy: 500, for: 100))
        #expect(told(after: 0) == 500)
        try places.offer(offer(.client(2), accuracy: 20, after: 1, for: 10))
        #expect(told(after: 1) == 20)
        #expect(places.nextWake?.earliest == start + .seconds(11))
        #expect(told(after: 11) == 500)
        places.withdraw(.client(1))
        #expect(told(after: 12) == -1)
        #expect(told(after: 13) == nil)
    }

    @Test mutating func `wait until a receiver has had no fix for a while, and longer if they say less than it did`()
        throws
    {
        places.setWanted(true)
        places.noteFix(accuracy: 5, at: start)
        try places.offer(offer(.client(1), accuracy: 30, after: 1, for: 600))
        #expect(told(after: 9) == nil)
        #expect(places.nextWake?.earliest == start + .seconds(10))
        #expect(told(after: 10) == 30)
        places.noteFix(accuracy: 5, at: start + .seconds(11))
        #expect(places.current == nil)
        places.withdraw(.client(1))
        try places.offer(offer(.client(1), accuracy: 5_005, after: 12, for: 600))
        // At 50 m/s a fix of 5 m is as rough after 100 s.
        #expect(told(after: 110) == nil)
        #expect(told(after: 111) == 5_005)
    }

    @Test mutating func `by a person's word wait an hour for a receiver that had a fix`() throws {
        places.setWanted(true)
        places.noteFix(accuracy: 5, at: start)
        try places.offer(offer(.person))
        #expect(told(after: 3599) == nil)
        #expect(told(after: 3600) == 30)
        // One without an end is told again, so that nobody counts it as lost.
        #expect(places.nextWake?.earliest == start + .seconds(7200))
        #expect(told(after: 7200) == 30)
    }

    @Test mutating func `wake nobody without demand, and end what was told all the same`() throws {
        try places.offer(offer(.client(1), for: 60))
        places.setWanted(true)
        #expect(told(after: 0) == 30)
        #expect(places.current != nil)
        places.setWanted(false)
        #expect(places.nextWake == nil && places.current == nil)
        #expect(told(after: 1) == nil)
        places.withdraw(.client(1))
        #expect(told(after: 2) == -1)
    }

    @Test mutating func `come at most ten times a second from one client`() throws {
        try places.offer(offer(.client(1), for: 60))
        #expect(throws: RPCError.self) { try places.offer(offer(.client(1), after: 0.05, for: 60)) }
        try places.offer(offer(.client(2), after: 0.05, for: 60))
        try places.offer(offer(.client(1), after: 0.1, for: 60))
        #expect(places.offers.count == 2)
    }
}

@Suite("GeoClue's file of a place")
struct GeolocationTextTests {
    @Test func `has four numbers on lines of their own, and comments`() throws {
        let place = try GeolocationText.place(
            in: "# a lighthouse\n\n 53.7883 # latitude\n8.1050\t# longitude\r\n12.5\n  20# metres\n")
        #expect(place?.coordinate == Coordinate(latitude: 53.7883, longitude: 8.105))
        #expect(place?.altitude == 12.5)
        #expect(place?.horizontalAccuracy == 20)
        #expect(place?.kind == .manual)
    }

    @Test func `says nothing while it is empty`() throws {
        #expect(try GeolocationText.place(in: "# nothing yet\n\n") == nil)
    }

    @Test(
        arguments: [
            ("91\n8\n12\n20\n", "line 1 has no latitude"), ("53\n8\n12\n", "it has no accuracy"),
            ("53\n8\nhigh\n20\n", "line 3 has no altitude"), ("53\n8\n12\nnan\n", "line 4 has no accuracy"),
            ("53\n8\n12\n20\n7\n", "line 5 is one too many"), ("53, 8\n", "line 1 has no latitude"),
        ])
    func `is refused with the line that is wrong`(text: String, beginning: String) throws {
        let fault = #expect(throws: GeolocationText.Fault.self) { try GeolocationText.place(in: text) }
        #expect(fault?.reason.hasPrefix(beginning) == true)
    }
}
