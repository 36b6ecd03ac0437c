// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTracks
import Testing

@Suite("Tracks")
struct TrackTests {
    @Test("the same parameters give the same points, another seed others", arguments: TrackKind.allCases)
    func determinism(kind: TrackKind) {
        let one = Array(Track(kind, duration: .seconds(600), seed: 7))
        #expect(one == Array(Track(kind, duration: .seconds(600), seed: 7)))
        #expect(one != Array(Track(kind, duration: .seconds(600), seed: 8)))
        #expect(one.count == 600)
    }

    @Test("points come at the rate, their dates too", arguments: [0.1, 1, 2.5, 5, 10])
    func rate(hertz: Double) throws {
        let track = Track(.walk, duration: .seconds(60), rate: hertz)
        let points = Array(track)
        #expect(points.count == Int(60 * hertz))
        for (index, point) in points.enumerated() {
            #expect(abs(point.elapsed.seconds - Double(index) / hertz) < 1e-8)
            #expect(point.time.milliseconds - track.from.milliseconds == point.elapsed.nanoseconds / 1_000_000)
        }
    }

    @Test("a rate that is no rate is brought into range")
    func oddRates() {
        #expect(Array(Track(.walk, duration: .seconds(2), rate: 0)).count == 1)
        #expect(Array(Track(.walk, duration: .seconds(2), rate: .nan)).count == 2)
        #expect(Array(Track(.walk, duration: .zero)).isEmpty)
    }

    private static let fastest: [(TrackKind, Double)] = [
        (.walk, 1.7), (.drive, 28), (.parked, 0), (.tunnel, 24), (.ferry, 8),
    ]

    @Test("nothing is faster than its kind, nor jumps", arguments: fastest)
    func bounds(kind: TrackKind, fastest: Double) {
        for seed in 1...3 as ClosedRange<UInt64> {
            var before: TrackPoint?
            for point in Track(kind, duration: .seconds(7200), seed: seed) {
                #expect(point.trueSpeed >= 0 && point.trueSpeed <= fastest)
                #expect(point.speed >= 0 && point.speed < fastest + 0.5)
                #expect((0..<360).contains(point.course ?? 0))
                #expect(point.truth.isValid && point.hdop >= 0.5 && point.hdop < 5)
                #expect(point.hasFix == (point.satellitesUsed > 0))
                #expect(point.satellitesUsed <= point.satellitesSeen)
                if let before {
                    let step = before.truth.distance(to: point.truth)
                    #expect(step <= max(before.trueSpeed, point.trueSpeed) * 1.001 + 1e-6)
                    #expect(abs(point.trueSpeed - before.trueSpeed) <= 2.5 + 1e-9)
                }
                before = point
            }
        }
    }

    @Test("a drive stops at lights, goes fast and turns; a walk gets somewhere")
    func drive() {
        let drive = Array(Track(.drive, duration: .seconds(3600)))
        let standing = drive.filter { $0.trueSpeed == 0 }.count
        #expect(standing > 60 && standing < 2400)
        #expect(drive.contains { $0.trueSpeed > 19 })
        let courses = Set(drive.compactMap { point in point.course.map { Int($0) / 45 } })
        #expect(courses.count >= 5)
        #expect(drive.filter { $0.trueSpeed == 0 }.allSatisfy { $0.course == nil }, "no direction without movement")

        let walk = Array(Track(.walk, duration: .seconds(3600)))
        let length = zip(walk, walk.dropFirst()).reduce(0) { $0 + $1.0.truth.distance(to: $1.1.truth) }
        #expect(length > 3000 && length < 6200)
    }

    @Test("a ferry goes straight and far")
    func ferry() throws {
        let points = Array(Track(.ferry, duration: .seconds(4 * 3600), rate: 0.1))
        let (first, last) = (try #require(points.first), try #require(points.last))
        #expect(first.truth.distance(to: last.truth) > 90_000)
    }

    @Test("measured speed and course are those of the movement, roughly")
    func velocity() throws {
        for point in Track(.ferry, duration: .seconds(1800)) where point.elapsed > .seconds(600) {
            #expect(abs(point.speed - point.trueSpeed) < 0.4)
            #expect(point.course != nil)
        }
    }

    @Test("a parked car wanders slowly, overnight within tens of metres", arguments: [1, 2, 3] as [UInt64])
    func parked(seed: UInt64) throws {
        var errors: [Double] = []
        var steps = 0.0
        var before: Coordinate?
        for point in Track(.parked, duration: .seconds(12 * 3600), seed: seed) {
            #expect(point.truth == Track.defaultStart && point.trueSpeed == 0)
            let measured = try #require(point.measured)
            errors.append(measured.distance(to: point.truth))
            if let before { steps += before.distance(to: measured) }
            before = measured
        }
        let mean = errors.reduce(0, +) / Double(errors.count)
        #expect(mean > 1.5 && mean < 6, "mean error \(mean) m")
        let largest = try #require(errors.max())
        #expect(largest > 8 && largest < 40, "largest error \(largest) m")
        // From one second to the next it trembles much less than it wanders over minutes.
        #expect(steps / Double(errors.count) < mean / 2)
        let errorsFarApart = stride(from: 0, to: errors.count, by: 1800).map { errors[$0] }
        #expect(Set(errorsFarApart.map { Int($0 * 2) }).count > 4, "it does wander")
    }

    @Test("a tunnel has no fix for 40 seconds, and fixes before and after")
    func tunnel() {
        let points = Array(Track(.tunnel, duration: .seconds(700)))
        let dark = points.filter { !$0.hasFix }.map { Int($0.elapsed.seconds) }
        #expect(dark == Array(60..<100) + Array(360..<400) + Array(660..<700))
        #expect(points.filter { !$0.hasFix }.allSatisfy { $0.course == nil && $0.satellitesUsed == 0 })
        #expect(points[99].truth.distance(to: points[60].truth) > 500, "the car goes on")
    }

    @Test("three days stream by without an array")
    func threeDays() throws {
        var count = 0
        var last: TrackPoint?
        for point in Track(.parked, duration: .seconds(3 * 86400)) {
            count += 1
            last = point
        }
        #expect(count == 259_200)
        #expect(try #require(last).elapsed == .seconds(3 * 86400 - 1))
    }

    @Test("a track across the date line and near a pole stays on the Earth")
    func edges() {
        for start in [Coordinate(latitude: 0, longitude: 179.9999), Coordinate(latitude: 89.99, longitude: 0)] {
            for point in Track(.drive, start: start, duration: .seconds(1800)) {
                #expect(point.truth.isValid)
                #expect(point.measured.map(\.isValid) ?? true)
            }
        }
    }
}
