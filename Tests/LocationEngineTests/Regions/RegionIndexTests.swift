// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

@Suite("Many regions")
struct RegionIndexTests {
    /// Where a random world lies, and how large it is.
    struct World: Sendable, CustomTestStringConvertible {
        var name: String
        var center: Coordinate
        var metres: Double
        /// More slots than are looked through one by one.
        var isLarge = false
        var testDescription: String { name }
    }

    static let worlds = [
        World(name: "a town", center: .origin, metres: 3_000),
        World(name: "a town, in a large table", center: .origin, metres: 3_000, isLarge: true),
        World(
            name: "the antimeridian", center: Coordinate(latitude: -17, longitude: 180), metres: 4_000),
        World(
            name: "the antimeridian, in a large table", center: Coordinate(latitude: 65, longitude: -179.99),
            metres: 3_000, isLarge: true),
        World(name: "a pole", center: Coordinate(latitude: 89.98, longitude: 30), metres: 4_000),
        World(
            name: "a pole, in a large table", center: Coordinate(latitude: -89.95, longitude: 0), metres: 3_000,
            isLarge: true),
    ]

    @Test("the monitor says what looking at every border with every fix says", .tellsSeed, arguments: worlds)
    func naive(world: World) {
        var random = SplitMix64()
        var monitor = emptyMonitor(world)
        var naive = NaiveRegions()
        for _ in 0..<RegionIndexTests.regions {
            let shape = shape(in: world, &random)
            let hysteresis = hysteresis(&random)
            let state = [RegionState.unknown, .unknown, .outside, .inside].randomElement(using: &random) ?? .unknown
            let handle = monitor.add(shape, hysteresis: hysteresis, state: state)
            naive.add(handle, shape, hysteresis, state)
        }
        var walk = RandomWalk(center: world.center, metres: world.metres)
        var count = 0
        for step in 0..<500 {
            let (location, now) = walk.step(&random)
            var crossings: [RegionCrossing] = []
            monitor.process(location, at: now, RegionSettings(), into: &crossings)
            let expected = naive.process(location, at: now, RegionSettings())
            count += expected.count
            guard crossings.sorted() == expected else {
                Issue.record("step \(step): \(crossings.sorted()) instead of \(expected)")
                return
            }
        }
        for entry in naive.entries { #expect(monitor.state(of: entry.handle) == entry.state) }
        #expect(count > RegionIndexTests.regions / 2)
    }

    @Test("regions come and go, and those that are there are judged as if they alone were", .tellsSeed)
    func comingAndGoing() {
        var random = SplitMix64()
        var monitor = RegionMonitor()
        var naive = NaiveRegions()
        let world = RegionIndexTests.worlds[0]
        var walk = RandomWalk(center: world.center, metres: world.metres)
        var old: [RegionHandle] = []
        for step in 0..<400 {
            for _ in 0..<3 {
                if random.chance(0.55) {
                    let shape = shape(in: world, &random)
                    let handle = monitor.add(shape, state: .unknown)
                    naive.add(handle, shape, RegionHysteresis(), .unknown)
                } else if let index = naive.entries.indices.randomElement(using: &random) {
                    let entry = naive.entries.remove(at: index)
                    if random.chance(0.5) {
                        monitor.remove(entry.handle)
                        old.append(entry.handle)
                    } else {
                        monitor.setWatched(entry.handle, false)
                        #expect(monitor.state(of: entry.handle) == .unknown)
                        if random.chance(0.5) {
                            monitor.setWatched(entry.handle, true)
                            naive.add(entry.handle, entry.shape, entry.hysteresis, .unknown)
                        }
                    }
                }
            }
            let (location, now) = walk.step(&random)
            var crossings: [RegionCrossing] = []
            monitor.process(location, at: now, RegionSettings(), into: &crossings)
            let expected = naive.process(location, at: now, RegionSettings())
            #expect(monitor.watchedCount == naive.entries.count)
            guard crossings.sorted() == expected else {
                Issue.record("step \(step): \(crossings.sorted()) instead of \(expected)")
                return
            }
        }
        #expect(old.count > 50)
        for handle in old { #expect(monitor.state(of: handle) == .unknown) }
    }

    @Test("the nearest border is never nearer than the monitor says", .tellsSeed)
    func nearestBorder() {
        var random = SplitMix64()
        for world in RegionIndexTests.worlds.prefix(4) {
            var monitor = emptyMonitor(world)
            #expect(monitor.distanceToNearestBorder == nil)
            let shapes = (0..<RegionIndexTests.regions).map { _ in shape(in: world, &random) }
            for shape in shapes { _ = monitor.add(shape) }
            var walk = RandomWalk(center: world.center, metres: world.metres, noise: 0)
            for _ in 0..<60 {
                let (location, now) = walk.step(&random)
                var crossings: [RegionCrossing] = []
                monitor.process(location, at: now, RegionSettings(), into: &crossings)
                guard location.horizontalAccuracy <= RegionSettings().maximumAccuracy else { continue }
                let nearest = shapes.map { abs($0.signedDistance(to: location.coordinate)) }.min() ?? 0
                let said = monitor.distanceToNearestBorder ?? .infinity
                #expect(said <= nearest + 0.01)
            }
        }
    }

    private static let regions = 120

    private func emptyMonitor(_ world: World) -> RegionMonitor {
        var monitor = RegionMonitor()
        let handles = (0..<(world.isLarge ? 4_200 : 0)).map { _ in
            monitor.add(.circle(center: world.center, radius: 100))
        }
        for handle in handles { monitor.remove(handle) }
        return monitor
    }

    private func hysteresis(_ random: inout SplitMix64) -> RegionHysteresis {
        RegionHysteresis(
            cushion: random.chance(0.1) ? [0, 5, 20].randomElement(using: &random) : nil,
            dwell: random.chance(0.1) ? TimeSpan.seconds(random.chance(0.5) ? 0 : 60) : nil)
    }

    private func shape(in world: World, _ random: inout SplitMix64) -> RegionShape {
        let place = world.center.moved(by: random.uniform(0...world.metres), course: random.uniform(0...360))
        let radius =
            random.chance(0.02)
            ? random.uniform(1_000...500_000) : random.chance(0.2) ? random.uniform(1...30) : random.uniform(30...400)
        guard random.chance(0.1), abs(world.center.latitude) < 80 else {
            return .circle(center: place, radius: radius)
        }
        let size = min(radius, 5_000)
        let corners = stride(from: 0.0, to: 360, by: 72).map { course in
            place.moved(by: size * random.uniform(0.3...1), course: course)
        }
        guard let polygon = try? Polygon(vertices: corners) else { return .circle(center: place, radius: radius) }
        return .polygon(polygon)
    }
}

/// A device that rests, walks, drives, sleeps and is carried off by chance.
struct RandomWalk {
    private let center: Coordinate
    private let metres: Double
    private let noise: Double
    private var place: Coordinate
    private var course = 0.0
    private var speed = 0.0
    private var seconds = 0.0

    init(center: Coordinate, metres: Double, noise: Double = 1) {
        self.center = center
        self.metres = metres
        self.noise = noise
        place = center
    }

    mutating func step(_ random: inout SplitMix64) -> (Location, BootInstant) {
        let gap = random.chance(0.03) ? random.uniform(30...900) : random.chance(0.1) ? random.uniform(2...20) : 1
        seconds += gap
        if random.chance(0.03) { speed = [0, 1.4, 6, 20, 35].randomElement(using: &random) ?? 0 }
        if random.chance(0.05) { course = random.uniform(0...360) }
        if random.chance(0.01) || place.distance(to: center) > metres * 1.5 {
            place = center.moved(by: random.uniform(0...metres), course: random.uniform(0...360))
        }
        if random.chance(0.003) {
            place = Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180))
        }
        place = place.moved(by: speed * gap, course: course)
        let accuracy = random.chance(0.01) ? 1_000 : random.uniform(3...60)
        let error = noise * accuracy / 1.51
        let seen = place.moved(by: abs(random.gaussian()) * error, course: random.uniform(0...360))
        let location = Location(
            coordinate: seen, horizontalAccuracy: accuracy,
            timestamp: WallTime(milliseconds: 1_700_000_000_000 + Int64(seconds * 1000)))
        return (location, BootInstant(nanoseconds: Int64(seconds * 1e9)))
    }
}
