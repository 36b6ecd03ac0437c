// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTracks

import func Glibc.atan2

/// A way of moving: metres per second, and the halts on the way.
struct TravelMode: Sendable {
    var pace: Double
    /// Seconds of a halt, and metres between two; nil: none.
    var halts: (seconds: ClosedRange<Double>, every: ClosedRange<Double>)?
    /// No sky all the way.
    var isUnderground = false
    /// Errors are those of a vehicle.
    var isVehicle = true

    static func walk(_ pace: Double) -> TravelMode { TravelMode(pace: pace, isVehicle: false) }
    static let bicycle = TravelMode(pace: 4.5, halts: (5...40, 300...900))
    static let bus = TravelMode(pace: 9, halts: (10...60, 250...700))
    static let town = TravelMode(pace: 12, halts: (5...60, 300...1_200))
    static let road = TravelMode(pace: 23, halts: (5...40, 3_000...9_000))
    static let metro = TravelMode(pace: 14, halts: (20...40, 700...1_500), isUnderground: true)
}

/// A part of a person's day.
enum PersonalLeg: Sendable {
    /// Seconds at the place.
    case stay(Double, Roof.Kind)
    /// Seconds of slow walks within so many metres of the place, under the sky.
    case stroll(Double, Double)
    case travel(to: Coordinate, TravelMode)
}

/// The days of different people.
struct PersonalPlan {
    let home: Coordinate
    private(set) var legs: [PersonalLeg] = []
    private(set) var place: Coordinate
    private var noise: NoiseGenerator
    private let housing: Roof.Kind

    /// How many kinds of people there are.
    static let kinds = 12

    init(kind: Int, home: Coordinate, seed: UInt64) {
        noise = NoiseGenerator(seed: seed)
        self.home = home
        place = home
        housing = noise.chance(0.6) ? .windows : .deep
        stay(20...70, housing)
        switch kind % PersonalPlan.kinds {
        case 0: byBusToTheOffice()
        case 1: byCarToTheOffice()
        case 2: courier()
        case 3: student()
        case 4: parent()
        case 5: shopper()
        case 6: trucker()
        case 7: tourist()
        case 8: homeWorker()
        case 9: byMetro()
        case 10: pensioner()
        default: craftsman()
        }
        travel(to: home, place.distance(to: home) > 1_500 ? .town : walk)
        stay(60...150, housing)
    }

    private var walk: TravelMode { .walk(1.3) }

    private mutating func somewhere(_ metres: ClosedRange<Double>) -> Coordinate {
        place.moved(by: noise.uniform(metres), course: noise.uniform(0...360))
    }

    private mutating func stay(_ minutes: ClosedRange<Double>, _ roof: Roof.Kind) {
        legs.append(.stay(noise.uniform(minutes) * 60, roof))
    }

    private mutating func stroll(_ minutes: ClosedRange<Double>) {
        legs.append(.stroll(noise.uniform(minutes) * 60, noise.uniform(30...70)))
    }

    private mutating func travel(to target: Coordinate, _ mode: TravelMode) {
        // Nobody leaves a place at the speed of the open road.
        if mode.pace > 20, place.distance(to: target) > 3_000 {
            let exit = place.interpolated(to: target, noise.uniform(500...1_000) / place.distance(to: target))
            travel(to: exit, .town)
        }
        var mode = mode
        mode.pace *= noise.uniform(0.8...1.15)
        // Ways bend.
        let length = place.distance(to: target)
        let parts = max(Int(length / 400), 1)
        let way = LocalFrame(latitude: place.latitude).offset(from: place, to: target)
        let course = atan2(way.east, way.north) * 180 / .pi
        for part in 1..<parts {
            let aside = noise.gaussian() * min(length * 0.08, 120)
            let corner = place.interpolated(to: target, Double(part) / Double(parts))
            legs.append(.travel(to: corner.moved(by: aside, course: course + 90), mode))
        }
        legs.append(.travel(to: target, mode))
        place = target
    }

    private mutating func go(_ metres: ClosedRange<Double>, _ mode: TravelMode) {
        travel(to: somewhere(metres), mode)
    }

    private mutating func byBusToTheOffice() {
        let office = somewhere(4_000...9_000)
        go(200...450, walk)
        stay(1...4, .open)
        travel(to: office.moved(by: 250, course: noise.uniform(0...360)), .bus)
        travel(to: office, walk)
        stay(120...220, .deep)
        go(250...450, walk)
        stay(25...50, .windows)
        travel(to: office, walk)
        stay(120...220, .deep)
        travel(to: home.moved(by: 600, course: noise.uniform(0...360)), .bus)
        go(60...150, walk)
        stay(10...25, .deep)
    }

    private mutating func byCarToTheOffice() {
        let office = somewhere(8_000...25_000)
        travel(to: office, noise.chance(0.5) ? .road : .town)
        stay(200...300, noise.chance(0.5) ? .deep : .windows)
        go(900...2_500, .town)
        stay(20...40, .deep)
        travel(to: office, .town)
        stay(120...200, .deep)
        go(2_000...4_000, .town)
        stay(16...35, .deep)
    }

    private mutating func courier() {
        for _ in 0..<Int(noise.uniform(14...22)) {
            go(500...3_500, .town)
            stay(noise.chance(0.3) ? 15...25 : 1.5...12, noise.chance(0.5) ? .open : .windows)
        }
    }

    private mutating func student() {
        for _ in 0..<3 {
            go(1_200...3_000, .bicycle)
            stay(45...95, noise.chance(0.5) ? .deep : .windows)
        }
        go(500...1_200, .bicycle)
        stroll(20...45)
        go(700...1_500, walk)
        stay(40...90, .deep)
    }

    private mutating func parent() {
        let school = somewhere(900...2_500)
        for _ in 0..<2 {
            travel(to: school, .town)
            stay(3...9, .open)
            go(1_500...4_000, .town)
            stay(18...45, noise.chance(0.5) ? .deep : .windows)
            travel(to: home, .town)
            stay(40...90, housing)
        }
        go(300...700, walk)
        stroll(25...60)
    }

    private mutating func shopper() {
        go(3_000...7_000, .town)
        for _ in 0..<5 {
            stay(noise.chance(0.5) ? 15...40 : 6...14, .deep)
            go(220...500, walk)
        }
        stay(25...45, .windows)
        go(2_000...5_000, .town)
        stay(30...50, .sealed)
    }

    private mutating func trucker() {
        for _ in 0..<5 {
            go(20_000...50_000, .road)
            stay(noise.chance(0.6) ? 16...50 : 4...12, .open)
        }
    }

    private mutating func tourist() {
        for _ in 0..<5 {
            go(500...1_500, .walk(0.9))
            if noise.chance(0.4) { stroll(15...30) }
            stay(20...70, noise.chance(0.5) ? .deep : .sealed)
        }
        go(300...800, .walk(0.9))
        stay(30...60, .windows)
    }

    private mutating func homeWorker() {
        stroll(16...40)
        stay(90...150, housing)
        go(300...800, walk)
        stay(8...20, .deep)
        travel(to: home, walk)
        stay(100...180, housing)
        go(1_000...2_500, .town)
        stay(45...75, .deep)
    }

    private mutating func byMetro() {
        let office = somewhere(5_000...11_000)
        go(250...450, walk)
        travel(to: office.moved(by: 300, course: noise.uniform(0...360)), .metro)
        travel(to: office, walk)
        stay(200...300, .deep)
        go(230...400, walk)
        stay(20...45, .deep)
        travel(to: office, walk)
        stay(150...220, .windows)
        go(200...400, walk)
        travel(to: home.moved(by: 350, course: noise.uniform(0...360)), .metro)
    }

    private mutating func pensioner() {
        for _ in 0..<3 {
            go(300...900, .walk(1))
            stay(noise.chance(0.5) ? 15...40 : 5...12, .deep)
            stroll(16...40)
            travel(to: home, .walk(1))
            stay(60...120, housing)
        }
    }

    private mutating func craftsman() {
        for _ in 0..<5 {
            go(2_000...9_000, .town)
            stay(40...110, [.windows, .deep, .open][Int(noise.uniform(0...2.99))])
            if noise.chance(0.5) {
                go(600...1_500, .town)
                stay(4...20, .deep)
            }
        }
    }
}
