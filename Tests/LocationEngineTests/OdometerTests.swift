// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationEngine

@Suite("The odometer")
struct OdometerTests {
    private static func travelled(_ places: [(metres: Double, accuracy: Double)]) -> Double {
        var odometer = Odometer()
        for place in places {
            let location = Location(
                coordinate: .origin.moved(by: place.metres, course: 90), horizontalAccuracy: place.accuracy,
                timestamp: WallTime(milliseconds: 0))
            odometer.move(to: location, step: 5)
        }
        return odometer.travelled
    }

    @Test(
        "steps beyond 5 m and the accuracy count, others wait for the next anchor",
        arguments: [
            ([(0, 3), (10, 3), (20, 3)], 20), ([(0, 3), (4, 3), (8, 3)], 8), ([(0, 3), (4.9, 3), (0, 3), (4.9, 3)], 0),
            ([(0, 50), (40, 50), (60, 50)], 60), ([(0, 3), (10, 30), (10, 3)], 10), ([(0, 3), (100, 3), (0, 3)], 200),
        ] as [([(metres: Double, accuracy: Double)], Double)])
    func steps(places: [(metres: Double, accuracy: Double)], expected: Double) {
        #expect(abs(Self.travelled(places) - expected) < 0.01)
    }

    @Test("noise within the accuracy travels nowhere in an hour", .tellsSeed)
    func noise() {
        var random = SplitMix64()
        let places = (0..<3600).map { _ in (metres: random.uniform(-4...4), accuracy: 8.0) }
        #expect(Self.travelled(places) == 0)
    }

    @Test("a straight way is as long as it is, however it is cut", arguments: [0.5, 1, 3, 7, 40, 333])
    func straightWay(step: Double) {
        let count = Int((10_000 / step).rounded(.up))
        let length = Self.travelled((0...count).map { (Double($0) * step, 4) })
        #expect(abs(length - 10_000) < max(step, 6) + 20)
    }
}
