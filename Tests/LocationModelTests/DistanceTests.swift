// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@Suite("Distances on the ellipsoid")
struct DistanceTests {
    private static let known: [(Coordinate, Coordinate, metres: Double, tolerance: Double)] = [
        (place(0, 0), place(0, 1), 111_319.4908, 0.01),
        (place(60, 0), place(60, 1), 55_800.0, 0.6),
        (place(40.7128, -74.0060), place(51.5074, -0.1278), 5_585_234, 56),
        // Shanghai, a step north and a step east: what Core Location says, within its 1e-5.
        (place(31.2304, 121.4737), place(31.2354, 121.4737), 554.3672, 0.006),
        (place(31.2304, 121.4737), place(31.2304, 121.4787), 476.3668, 0.006),
        // A meridian from equator to pole, the quarter of the ellipsoid that the metre once came from.
        (place(0, 0), place(90, 0), 10_001_965.729, 0.01),
        (place(-90, 0), place(90, 0), 20_003_931.4586, 0.01),
    ]

    @Test("a distance is what Core Location says", arguments: known.indices)
    func knownDistances(index: Int) {
        let (from, to, metres, tolerance) = DistanceTests.known[index]
        #expect(abs(from.distance(to: to) - metres) <= tolerance, "\(from.distance(to: to))")
    }

    @Test("a distance is the same in both directions, to the bit", .tellsSeed)
    func symmetry() {
        var random = SplitMix64()
        for _ in 0..<20_000 {
            let from = randomPlace(&random)
            let near = from.moved(by: random.uniform(0...20_000), course: random.uniform(0...360))
            for to in [near, randomPlace(&random)] {
                #expect(from.distance(to: to).bitPattern == to.distance(to: from).bitPattern, "\(from) \(to)")
            }
        }
    }

    @Test("a place is no distance away from itself, at the poles too")
    func zero() {
        for latitude in [-90.0, -45, 0, 12.5, 89.99, 90] {
            #expect(place(latitude, 7).distance(to: place(latitude, 7)) == 0)
        }
        #expect(place(90, 0).distance(to: place(90, 120)) < 1e-6)
        #expect(place(-90, -170).distance(to: place(-90, 170)) < 1e-6)
    }

    @Test("nearly antipodal places are about half the way around, where the exact formula does not converge")
    func antipodes() {
        let half = 20_003_931.0
        for (from, to) in [
            (place(0, 0), place(0, 180)), (place(0, 0), place(0.1, 179.9)), (place(30, 10), place(-30, -170)),
            (place(45, -30), place(-44.9, 150.1)),
        ] {
            let distance = from.distance(to: to)
            #expect(abs(distance - half) / half < 0.006, "\(from) \(to): \(distance)")
        }
    }

    @Test("the date line is no obstacle")
    func dateLine() {
        for latitude in [0.0, 51, -17, 79] {
            let here = place(latitude, 10).distance(to: place(latitude + 0.01, 10.02))
            let there = place(latitude, 179.99).distance(to: place(latitude + 0.01, -179.99))
            #expect(abs(here - there) < 1e-6 * here)
            let far = place(latitude, 0).distance(to: place(latitude, 3))
            let farThere = place(latitude, 178.5).distance(to: place(latitude, -178.5))
            #expect(abs(far - farThere) < 1e-9 * far)
        }
        let across = place(10, 179.9999).moved(by: 100, course: 90)
        #expect(across.longitude < -179.99 && across.isValid)
    }

    @Test("the short and the long formula meet at a tenth of a degree", .tellsSeed)
    func seam() {
        var random = SplitMix64()
        let step = 1e-10
        for _ in 0..<2000 {
            let latitude = random.uniform(-79...79)
            let other = random.uniform(0...0.0999)
            for (north, east) in [(0.1, other), (other, 0.1)] {
                let from = place(latitude, 0)
                let short = from.distance(to: place(latitude + north - step, east - step))
                let long = from.distance(to: place(latitude + north + step, east + step))
                #expect(abs(short - long) < 1e-6 * long, "\(latitude) \(north) \(east): \(short) \(long)")
            }
        }
    }

    @Test("the formulas meet at 80 degrees of latitude")
    func polarSeam() {
        let below = place(79.97, 0).distance(to: place(80.029_999, 0.05))
        let above = place(79.97, 0).distance(to: place(80.030_001, 0.05))
        #expect(abs(above - below) < 0.3 && above > below)
    }

    @Test("moving goes as far as asked", .tellsSeed)
    func moving() {
        var random = SplitMix64()
        for _ in 0..<2000 {
            let from = place(random.uniform(-70...70), random.uniform(-180...180))
            let metres = random.uniform(1...10_000)
            let to = from.moved(by: metres, course: random.uniform(0...360))
            #expect(abs(from.distance(to: to) - metres) < 1e-3 * metres, "\(from) \(metres)")
        }
        #expect(place(10, 10).moved(by: 50, course: 0).latitude > 10)
        #expect(place(10, 10).moved(by: 50, course: 90).longitude > 10)
    }

    @Test("the cheap local distance agrees near its latitude", .tellsSeed)
    func localFrame() {
        var random = SplitMix64()
        for _ in 0..<2000 {
            let from = place(random.uniform(-79.9...79.9), random.uniform(-180...180))
            let to = from.moved(by: random.uniform(1...5000), course: random.uniform(0...360))
            let exact = from.distance(to: to)
            let squared = LocalFrame(latitude: from.latitude).squaredDistance(from, to)
            #expect(abs(squared - exact * exact) <= 1.2e-2 * exact * exact, "\(from) \(to)")
        }
    }

    @Test("a coordinate is valid up to the limits themselves and never when it is no number")
    func validity() {
        #expect(place(90, 180).isValid && place(-90, -180).isValid)
        #expect(!place(90.000_001, 0).isValid && !place(0, -180.000_001).isValid)
        #expect(!place(.nan, 0).isValid && !place(0, .nan).isValid && !place(.infinity, 0).isValid)
    }
}

private func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
    Coordinate(latitude: latitude, longitude: longitude)
}

private func randomPlace(_ random: inout SplitMix64) -> Coordinate {
    place(random.uniform(-90...90), random.uniform(-180...180))
}
