// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

@Suite("The reduced view")
struct ReducedViewTests {
    private static func location(_ place: Coordinate, accuracy: Double = 5) -> Location {
        Location(
            coordinate: place, horizontalAccuracy: accuracy, timestamp: WallTime(milliseconds: 1_800_000_059_999),
            sequence: 7, altitude: 500, ellipsoidalAltitude: 550, verticalAccuracy: 3, speed: 4, speedAccuracy: 1,
            course: 90, courseAccuracy: 5)
    }

    @Test("the circle of 1 to 20 km always holds the true place (A7)", .tellsSeed)
    func holdsTruePlace() {
        var random = SplitMix64()
        var places = (0..<20_000).map { _ in
            Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180))
        }
        for latitude in [-90.0, -89.99, -45, -0.05, -1e-12, 0, 0.05, 0.15, 45, 89.9999, 90] {
            for longitude in [-180.0, -179.99999, -0.1, 0, 0.15, 60, 179.99999, 180] {
                places.append(Coordinate(latitude: latitude, longitude: longitude))
            }
        }
        for place in places {
            let view = Self.location(place).reducedView
            #expect(view.coordinate.isValid)
            #expect((1_000...20_000).contains(view.horizontalAccuracy))
            let distance = view.coordinate.distance(to: place)
            if distance > view.horizontalAccuracy { Issue.record("\(place) is \(distance) m from \(view)") }
        }
    }

    @Test("the same cell gives the same coordinate, and the view of the view is the view (A7)", .tellsSeed)
    func sameCell() {
        var random = SplitMix64()
        for _ in 0..<2_000 {
            let place = Coordinate(latitude: random.uniform(-89...89), longitude: random.uniform(-179...179))
            let view = Self.location(place).reducedView
            #expect(Self.location(view.coordinate).reducedView.coordinate == view.coordinate)
            let near = Coordinate(
                latitude: (place.latitude + view.coordinate.latitude) / 2,
                longitude: (place.longitude + view.coordinate.longitude) / 2)
            #expect(Self.location(near).reducedView.coordinate == view.coordinate)
        }
    }

    @Test("it tells place, accuracy, minute and sequence and nothing else")
    func nothingElse() {
        let view = Self.location(.origin).reducedView
        #expect(
            view
                == Location(
                    coordinate: view.coordinate, horizontalAccuracy: view.horizontalAccuracy,
                    timestamp: WallTime(milliseconds: 1_800_000_000_000), sequence: 7))
    }

    @Test("standard updates get one view in 15 minutes, the first with the first fix")
    func period() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(2000)
        #expect(bench.sequences(client) == [1, 901, 1801])
        #expect(bench.violations == [])
    }

    @Test("a view that the log no longer holds is not delivered")
    func overwritten() {
        var bench = EngineBench(.with(\.logCapacity, 10), authorization: .reduced)
        let (client, asking) = (bench.open(), bench.open())
        bench.travel(11)
        bench.ask(asking, .requestLocation)
        bench.ask(client, .start)
        bench.ask(client, .startSignificant)
        bench.travel(1)
        bench.advance(by: 12)
        #expect(bench.lines(asking).last == "fail 0 request request 1")
        #expect(bench.lines(client).filter { $0.hasSuffix("reduced") } == [])
        #expect(bench.violations == [])
    }

    @Test("all reduced clients share the view, and a full one may wish for it")
    func shared() {
        var bench = EngineBench(authorization: .reduced)
        bench.authorize(.always, app: 1)
        let (reduced, wishing, full) = (bench.open(), bench.open(app: 1), bench.open(app: 1))
        bench.ask(wishing, .properties(accuracy: .reduced))
        bench.ask(reduced, .start)
        bench.travel(100)
        bench.ask(wishing, .start)
        bench.ask(full, .start)
        #expect(bench.lines(wishing).last == "standard 1 cached reduced")
        bench.travel(850)
        #expect(bench.sequences(reduced) == [1, 901])
        #expect(bench.sequences(wishing) == [901])
        #expect(bench.sequences(full) == Array(101...950))
        #expect(bench.violations == [])
    }

    @Test("who falls from the exact place to the view has the one in force at once, and the filter counts anew")
    func fallsToView() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(filter: 100))
        bench.ask(client, .start)
        bench.ask(client, .startLiveUpdates(.default))
        bench.travel(400)
        _ = bench.lines(client)
        bench.authorize(.reduced)
        #expect(
            bench.lines(client) == [
                "authorization authorizedAlways reduced", "standard 1 cached reduced", "update 1 at 1 accuracyLimited",
            ])
        bench.travel(600)
        #expect(bench.lines(client) == ["standard 901 reduced", "update 1 at 901 accuracyLimited"])
        #expect(bench.violations == [])
    }

    @Test("who begins to wish for the view has the one in force at once")
    func wishesForView() {
        var (bench, client) = EngineBench.running(fixes: 400)
        bench.ask(client, .startLiveUpdates(.default))
        _ = bench.lines(client)
        bench.ask(client, .properties(accuracy: .reduced))
        #expect(
            bench.lines(client) == ["reply", "standard 1 cached reduced", "update 1 at 1 accuracyLimited"])
        bench.ask(client, .properties(filter: 10, accuracy: .reduced))
        #expect(bench.lines(client) == ["reply"])
        #expect(bench.violations == [])
    }

    @Test("who starts while a view is in force has it at once, however long ago the receiver was on")
    func startsUnderView() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.open()
        bench.travel(2)
        bench.advance(by: 600)
        bench.ask(client, .start)
        #expect(bench.lines(client).last == "standard 1 cached reduced")
        #expect(bench.violations == [])
    }

    @Test("who is back to no more than the view has the one in force at once, and no view twice")
    func fellToViewWhileAway() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(400)
        bench.detach(client)
        bench.authorize(.reduced)
        _ = bench.lines(client)
        bench.attach(client)
        #expect(bench.lines(client) == ["authorization authorizedAlways reduced initial", "standard 1 cached reduced"])
        bench.travel(510)
        #expect(bench.lines(client) == ["standard 901 reduced"])
        bench.detach(client)
        bench.attach(client)
        #expect(bench.lines(client) == ["authorization authorizedAlways reduced initial"])
        #expect(bench.violations == [])
    }
}
