// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationGeoClue

/// A client with thresholds: places are metres on a line, moments are seconds.
private final class Listener {
    private static let home = Coordinate(latitude: 45, longitude: -30)
    private var thresholds = Thresholds()

    init(distance: UInt32, time: UInt32) { (thresholds.distance, thresholds.time) = (distance, time) }

    static func location(_ metres: Double) -> Location {
        Location(
            coordinate: home.moved(by: metres, course: 90), horizontalAccuracy: 5, timestamp: WallTime(milliseconds: 0),
            sequence: 1)
    }

    private func instant(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: 0) + .seconds(seconds) }

    var distanceFilter: Double? { thresholds.distanceFilter }
    var wake: Double? { thresholds.wake.map { ($0 - instant(0)).seconds } }
    func isTold(of metres: Double, at seconds: Double) -> Bool {
        thresholds.take(Listener.location(metres), at: instant(seconds))
    }
    func isTold(of location: Location, at seconds: Double) -> Bool { thresholds.take(location, at: instant(seconds)) }
    func held(at seconds: Double) -> Location? { thresholds.takeHeld(at: instant(seconds)) }
    func forgetHeld() { thresholds.forgetHeld() }
    func restart() { thresholds.restart() }
}

@Suite("Thresholds")
struct ThresholdTests {

    @Test("without thresholds every location is told")
    func none() {
        let listener = Listener(distance: 0, time: 0)
        for second in 0..<5 {
            #expect(listener.isTold(of: 0, at: Double(second)))
        }
        #expect(listener.distanceFilter == nil)
    }

    @Test("a distance alone is the daemon's to keep: what it lets through is told")
    func distanceAlone() {
        let listener = Listener(distance: 100, time: 0)
        #expect(listener.distanceFilter == 100)
        #expect(listener.isTold(of: 0, at: 0))
        #expect(listener.isTold(of: 1, at: 1))
    }

    @Test("a time counts from the last location that was told, and the newest of those between is told when it is over")
    func time() {
        let listener = Listener(distance: 0, time: 10)
        #expect(listener.distanceFilter == nil)
        #expect(listener.isTold(of: 0, at: 0))
        #expect(listener.wake == nil)
        #expect(!listener.isTold(of: 1, at: 3))
        #expect(!listener.isTold(of: 2, at: 9))
        #expect(listener.wake == 10)
        #expect(listener.held(at: 9.9) == nil)
        #expect(listener.held(at: 10) == Listener.location(2))
        #expect(listener.wake == nil)
        #expect(!listener.isTold(of: 3, at: 19))
        #expect(listener.isTold(of: 4, at: 20))
    }

    @Test(
        "with both, far enough and late enough are both from the last location that was told, not from one that was held back"
    )
    func both() {
        let listener = Listener(distance: 100, time: 10)
        #expect(listener.distanceFilter == nil)
        #expect(listener.isTold(of: 0, at: 0))
        // Late, but near.
        #expect(!listener.isTold(of: 99, at: 20))
        #expect(listener.isTold(of: 101, at: 21))
        // Far, but early; and there the device stays.
        #expect(!listener.isTold(of: 250, at: 22))
        #expect(listener.held(at: 31) == Listener.location(250))
    }

    @Test("a device that came back before the time was over has been nowhere")
    func cameBack() {
        let listener = Listener(distance: 100, time: 10)
        #expect(listener.isTold(of: 0, at: 0))
        #expect(!listener.isTold(of: 200, at: 5))
        #expect(!listener.isTold(of: 10, at: 8))
        #expect(listener.wake == nil)
        #expect(listener.held(at: 10) == nil)
    }

    @Test("what is held can be forgotten, and the thresholds count on")
    func forgotten() {
        let listener = Listener(distance: 0, time: 10)
        #expect(listener.isTold(of: 0, at: 0))
        #expect(!listener.isTold(of: 1, at: 5))
        listener.forgetHeld()
        #expect(listener.held(at: 10) == nil)
        #expect(!listener.isTold(of: 2, at: 9))
    }

    @Test("after a restart the first location is told whatever the thresholds")
    func restart() {
        let listener = Listener(distance: 100, time: 10)
        #expect(listener.isTold(of: 0, at: 0))
        listener.restart()
        #expect(listener.isTold(of: 1, at: 1))
    }

    @Test(
        "whatever comes, what is told is never nearer or earlier than the thresholds allow, and nothing that is due is kept",
        .tellsSeed)
    func random() {
        var random = SplitMix64()
        for _ in 0..<200 {
            let (distance, time) = (UInt32(random.uniform(0...50)), UInt32(random.uniform(1...20)))
            let listener = Listener(distance: distance, time: time)
            var told: (location: Location, at: Double)?
            for second in 0..<100 {
                let (now, next) = (Double(second), Listener.location(random.uniform(0...200)))
                var news: [Location] = []
                if let held = listener.held(at: now) { news.append(held) }
                if listener.isTold(of: next, at: now) { news.append(next) }
                for location in news {
                    if let told {
                        #expect(told.location.coordinate.distance(to: location.coordinate) >= Double(distance))
                        #expect(now - told.at >= Double(time))
                    }
                    told = (location, now)
                }
                guard let told else { continue }
                let isDue =
                    now - told.at >= Double(time)
                    && told.location.coordinate.distance(to: next.coordinate) >= Double(distance)
                #expect(!isDue || told.location == next)
            }
        }
    }
}
