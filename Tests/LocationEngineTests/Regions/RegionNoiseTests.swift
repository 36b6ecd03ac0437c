// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

// A small fixed part of what the thresholds were chosen by: hundreds of ways and days at every accuracy.
@Suite("Noise at a border")
struct RegionNoiseTests {
    @Test(
        "a device at rest at a border, or 20 m from it, crosses nothing", .tellsSeed, arguments: [5.0, 15, 50],
        [0.0, 60])
    func rest(accuracy: Double, memory: Double) {
        for east in [80.0, 100, 120] {
            var device = NoisyDevice(accuracy: accuracy, memory: memory)
            device.stay(east: east, seconds: 3_600)
            // Where errors of 50 m last a minute, 2 of 750 hours have one: fresh seeds find it, more of them would be a fault.
            let most = accuracy == 50 && memory == 60 ? 1 : 0
            #expect(device.bench.events.count <= most, "\(east): \(device.bench.events)")
        }
    }

    @Test(
        "a way through a circle, by the middle or half way out, gives one entry and one exit", .tellsSeed,
        arguments: [5.0, 15, 50], [1.4, 5, 20])
    func way(accuracy: Double, speed: Double) {
        for north in [0.0, 50] {
            var device = NoisyDevice(accuracy: accuracy, memory: 0)
            device.stay(east: -600, north: north, seconds: 60)
            device.move(east: -600, to: 600, north: north, speed: speed)
            device.stay(east: 600, north: north, seconds: 60)
            #expect(device.bench.events == [.inside, .outside], "\(north)")
        }
    }

    @Test("errors that last a minute hide no crossing at 5 and 15 m", .tellsSeed, arguments: [5.0, 15], [1.4, 20])
    func lastingErrors(accuracy: Double, speed: Double) {
        var device = NoisyDevice(accuracy: accuracy, memory: 60)
        device.stay(east: -600, seconds: 60)
        device.move(east: -600, to: 0, speed: speed)
        device.stay(east: 0, seconds: 600)
        device.move(east: 0, to: 600, speed: speed)
        device.stay(east: 600, seconds: 60)
        #expect(device.bench.events == [.inside, .outside])
    }

    @Test("an hour of steps to and fro by half an accuracy gives no events", arguments: [5.0, 15, 50])
    func oscillation(accuracy: Double) {
        for period in [1, 7, 60, 300] {
            var bench = RegionBench(state: .inside)
            bench.accuracy = accuracy
            for second in 0..<3_600 {
                bench.fix(east: 100 + (second / period).parity * accuracy / 2)
            }
            #expect(bench.events == [], "\(period)")
        }
    }
}

extension Int {
    fileprivate var parity: Double { isMultiple(of: 2) ? 1 : -1 }
}

/// A device whose fixes err by a Gauss-Markov process.
private struct NoisyDevice {
    var bench = RegionBench()
    private var random = SplitMix64()
    private let deviation: Double
    private let kept: Double
    private var error: (north: Double, east: Double)

    /// `memory`: how long an error lasts, seconds; 0: it is another one with every fix.
    init(accuracy: Double, memory: Double) {
        bench.accuracy = accuracy
        deviation = accuracy / 1.51
        // Of an error after one second.
        kept = memory > 0 ? 1 - 1 / memory : 0
        error = (deviation * random.gaussian(), deviation * random.gaussian())
    }

    mutating func fix(east: Double, north: Double) {
        let fresh = deviation * (1 - kept * kept).squareRoot()
        error.north = error.north * kept + random.gaussian() * fresh
        error.east = error.east * kept + random.gaussian() * fresh
        bench.fix(east: east + error.east, north: north + error.north)
    }

    mutating func stay(east: Double, north: Double = 0, seconds: Int) {
        for _ in 0..<seconds { fix(east: east, north: north) }
    }

    mutating func move(east: Double, to end: Double, north: Double = 0, speed: Double) {
        var east = east
        while east < end {
            fix(east: east, north: north)
            east += speed
        }
    }
}
