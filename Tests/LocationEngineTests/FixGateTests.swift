// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import LocationEngine

@Suite("The gate for fixes")
struct FixGateTests {
    /// Whether each of the fixes, given by the receiver's milliseconds and ours, is accepted.
    private static func accepts(_ times: [(receiver: Int64, ours: Int64)], hasReceiverTime: Bool = true) -> [Bool] {
        var gate = FixGate()
        return times.map { time in
            let location = Location(
                coordinate: .origin, horizontalAccuracy: 5, timestamp: WallTime(milliseconds: time.receiver))
            let fix = Fix(
                receiver: ReceiverID(rawValue: 0), location: location, hasReceiverTime: hasReceiverTime)
            let now = BootInstant(nanoseconds: 0) + .milliseconds(time.ours)
            return gate.examine(fix, at: now) == nil
        }
    }

    @Test("a repeated time is refused")
    func repeated() {
        #expect(Self.accepts([(1000, 0), (1000, 10), (1000, 5000), (2000, 6000)]) == [true, false, false, true])
    }

    @Test("late reports are refused, shuffled ones too (D3)")
    func late() {
        #expect(
            Self.accepts([(10_000, 0), (9_000, 100), (11_000, 1000), (10_000, 1100), (6_500, 1200), (12_000, 2000)])
                == [true, false, true, false, false, true])
    }

    @Test("a step back of a clock is a new stretch of time and is accepted")
    func stepBack() {
        #expect(
            Self.accepts([(100_000, 0), (101_000, 1000), (20_000, 2000), (21_000, 3000), (21_000, 4000)])
                == [true, true, true, true, false])
        #expect(Self.accepts([(1000, 0), (2_000_000_000_000, 1000), (2000, 2000), (3000, 3000)]).allSatisfy { $0 })
    }

    @Test("an older time at the same moment is disorder and no step back, however often")
    func sameMoment() {
        #expect(
            Self.accepts([(100_000, 0), (20_000, 0), (21_000, 0), (22_000, 0), (23_000, 0), (101_000, 1000)])
                == [true, false, false, false, false, true])
    }

    @Test("a step back by less than the time between fixes is a correction")
    func correction() {
        #expect(
            Self.accepts([(10_000, 0), (11_000, 1000), (10_700, 2000), (11_700, 3000), (10_700, 4000)])
                == [true, true, true, true, false])
        #expect(Self.accepts([(10_000, 0), (10_100, 100), (10_000, 200), (10_200, 300)]) == [true, true, false, true])
    }

    @Test("a small step back that lasts is accepted with the third fix")
    func persistentStep() {
        #expect(
            Self.accepts([(10_000, 0), (7_000, 1000), (8_000, 2000), (9_000, 3000), (10_000, 4000)])
                == [true, false, false, true, true])
    }

    @Test("without the receiver's time, our clock may step as it likes")
    func hostTime() {
        #expect(Self.accepts([(5000, 0), (5000, 1000), (1000, 2000)], hasReceiverTime: false).allSatisfy { $0 })
    }

    @Test(
        "what is no number or out of range is refused, 0/0 and the limits are not",
        arguments: [
            (Coordinate(latitude: 0, longitude: 0), 5.0, true), (Coordinate(latitude: 90, longitude: 180), 5, true),
            (Coordinate(latitude: -90, longitude: -180), 5, true), (Coordinate(latitude: 90.1, longitude: 0), 5, false),
            (Coordinate(latitude: 0, longitude: -180.1), 5, false),
            (Coordinate(latitude: .nan, longitude: 0), 5, false),
            (Coordinate(latitude: 0, longitude: .nan), 5, false),
            (Coordinate(latitude: .infinity, longitude: 0), 5, false),
            (.origin, 0, false), (.origin, -1, false), (.origin, .nan, false), (.origin, .infinity, false),
        ])
    func numbers(place: Coordinate, accuracy: Double, isAccepted: Bool) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.fix(
            Fix(
                receiver: ReceiverID(rawValue: 0),
                location: Location(coordinate: place, horizontalAccuracy: accuracy, timestamp: bench.wallTime)))
        #expect(bench.sequences(client) == (isAccepted ? [1] : []))
        #expect(bench.engine.rejected[FixRejection.invalid.rawValue] == (isAccepted ? 0 : 1))
    }

    @Test("every other number must be finite")
    func optionalNumbers() {
        let members: [WritableKeyPath<Location, Double?>] = [
            \.altitude, \.ellipsoidalAltitude, \.verticalAccuracy, \.speed, \.speedAccuracy, \.course, \.courseAccuracy,
        ]
        for member in members {
            for bad in [Double.nan, .infinity, -.infinity] {
                var location = Location(
                    coordinate: .origin, horizontalAccuracy: 5, timestamp: WallTime(milliseconds: 1))
                location[keyPath: member] = bad
                let fix = Fix(receiver: ReceiverID(rawValue: 0), location: location)
                #expect(!FixGate.isValid(fix))
            }
        }
    }

    @Test("locations in an array and over arrays never go back in time but for a step of the clock (D2, D3)")
    func orderOverArrays() throws {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        for offset in [0, 1000, 0, 2000, 1000, 1000, 3000, 2000, 4000] as [Int64] {
            bench.advance(by: 1)
            bench.fix(
                Fix(
                    receiver: ReceiverID(rawValue: 0),
                    location: Location(
                        coordinate: .origin, horizontalAccuracy: 5,
                        timestamp: WallTime(milliseconds: 1_800_000_000_000 + offset))))
        }
        let times = bench.sequences(client).compactMap { bench.log[$0]?.location.timestamp.milliseconds }
        #expect(times.map { $0 - 1_800_000_000_000 } == [0, 1000, 2000, 3000, 4000])
        #expect(bench.engine.rejected.reduce(0, +) == 4)
    }
}
