// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import LocationEngine

@Suite("The choice between receivers")
struct ReceiverChoiceTests {
    private static let second = TimeSpan.seconds(1)

    private static func fix(
        _ receiver: Int32, accuracy: Double = 10, mode: Int8 = 3, kind: LocationKind = .receiver
    ) -> Fix {
        let location = Location(
            coordinate: .origin, horizontalAccuracy: accuracy, timestamp: WallTime(milliseconds: 0), kind: kind)
        return Fix(receiver: ReceiverID(rawValue: receiver), location: location, mode: mode)
    }

    /// The receiver in use after each second, in which the first and then the second gave a fix, as they have one.
    private static func run(
        preferred: Int32? = nil, seconds: Int, first: (Int) -> Fix?, second: (Int) -> Fix?
    ) -> [Int32] {
        var choice = ReceiverChoice()
        choice.preferred = preferred.map { ReceiverID(rawValue: $0) }
        return (0..<seconds).map { step in
            let now = BootInstant(nanoseconds: 0) + .seconds(Double(step))
            for fix in [first(step), second(step)].compactMap({ $0 }) {
                _ = choice.accepts(fix, at: now, switchTime: .seconds(10))
            }
            return choice.current?.rawValue ?? -1
        }
    }

    @Test("two equal receivers do not alternate")
    func equal() {
        let used = Self.run(
            seconds: 60, first: { _ in Self.fix(0, accuracy: 10) }, second: { _ in Self.fix(1, accuracy: 6) })
        #expect(Set(used) == [0])
    }

    @Test("one that is clearly better for 10 s is switched to, once", arguments: [(5.0, 3 as Int8), (20, 3)])
    func better(accuracy: Double, mode: Int8) {
        let used = Self.run(
            seconds: 60, first: { _ in Self.fix(0, accuracy: 10, mode: accuracy > 10 ? 2 : 3) },
            second: { _ in Self.fix(1, accuracy: accuracy, mode: mode) })
        #expect(used == Array(repeating: 0, count: 10) + Array(repeating: 1, count: 50))
    }

    @Test("one that is better now and then is not switched to")
    func betterAtTimes() {
        let used = Self.run(
            seconds: 60, first: { _ in Self.fix(0) },
            second: { step in Self.fix(1, accuracy: step.isMultiple(of: 5) ? 10 : 2) })
        #expect(Set(used) == [0])
    }

    @Test("seconds in which the better one was silent do not count")
    func betterButSilent() {
        let used = Self.run(
            seconds: 60, first: { _ in Self.fix(0) },
            second: { step in step < 3 || (30...33).contains(step) ? Self.fix(1, accuracy: 2) : nil })
        #expect(Set(used) == [0])
    }

    @Test("when the one in use falls silent the other takes over, and keeps")
    func silence() {
        let used = Self.run(
            seconds: 60, first: { step in step < 20 || step > 40 ? Self.fix(0) : nil }, second: { _ in Self.fix(1) })
        #expect(used.prefix(22).allSatisfy { $0 == 0 })
        #expect(used.dropFirst(24).allSatisfy { $0 == 1 })
    }

    @Test("the preferred one is used while it has a fix, however good another is")
    func preferred() {
        let used = Self.run(
            preferred: 1, seconds: 60, first: { _ in Self.fix(0, accuracy: 1) },
            second: { step in (10..<30).contains(step) || step > 50 ? Self.fix(1, accuracy: 50, mode: 2) : nil })
        #expect(used.prefix(10).allSatisfy { $0 == 0 })
        #expect(used[10..<30].allSatisfy { $0 == 1 })
        #expect(used[34...50].allSatisfy { $0 == 0 })
        #expect(used.suffix(9).allSatisfy { $0 == 1 })
    }

    @Test("a better one does not take a single fix from the preferred one")
    func preferredStays() {
        let used = Self.run(
            preferred: 0, seconds: 60, first: { _ in Self.fix(0, accuracy: 50, mode: 2) },
            second: { _ in Self.fix(1, accuracy: 1) })
        #expect(Set(used) == [0])
    }

    @Test("who only says where the device is is believed at once, and until a receiver has a fix", arguments: [1, 10])
    func provided(interval: Int) {
        let used = Self.run(
            preferred: 0, seconds: 60,
            first: { step in step <= 20 && step.isMultiple(of: interval) || step == 40 ? Self.fix(0) : nil },
            second: { step in step == 25 || step == 50 ? Self.fix(1, accuracy: 1000, kind: .wifi) : nil })
        let (receiver, provider) = ([Int32](repeating: 0, count: 25), [Int32](repeating: 1, count: 15))
        #expect(used == receiver + provider + receiver.prefix(10) + provider.prefix(10))
    }

    @Test("nonsense from another receiver does not take over")
    func nonsense() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.fix(at: 0)
        bench.advance(by: 5)
        bench.fix(at: 0, accuracy: .nan, receiver: 1)
        #expect(bench.engine.receivers.current == ReceiverID(rawValue: 0))
        #expect(bench.engine.rejected[FixRejection.invalid.rawValue] == 1)
        bench.fix(at: 0)
        #expect(bench.sequences(client) == [1, 2])
    }

    @Test("one that repeats its time is as good as silent, though it were better; its fixes are counted")
    func standingClock() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        let stopped = bench.wallTime
        for step in 0..<30 {
            let repeated = Location(
                coordinate: .origin.moved(by: Double(step), course: 0), horizontalAccuracy: 1, timestamp: stopped)
            bench.fix(Fix(receiver: ReceiverID(rawValue: 0), location: repeated))
            bench.advance(by: 1)
            if step >= 5 { bench.fix(at: 0, receiver: 1) }
        }
        #expect(bench.sequences(client).count == 26)
        #expect(bench.engine.receivers.current == ReceiverID(rawValue: 1))
        #expect(bench.engine.rejected[FixRejection.repeatedTime.rawValue] == 29)
        var repeats = [0, 1, 2].map { bench.engine.receivers.repeatsTime(ReceiverID(rawValue: $0)) }
        #expect(repeats == [true, false, false])
        bench.fix(at: 0, accuracy: 1)
        repeats = [bench.engine.receivers.repeatsTime(ReceiverID(rawValue: 0))]
        #expect(repeats == [false])
    }

    @Test("fixes of the other receiver are counted and not delivered")
    func counted() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        for _ in 0..<5 {
            bench.advance(by: 1)
            bench.fix(at: 0)
            bench.fix(at: 3, receiver: 1)
        }
        #expect(bench.sequences(client) == [1, 2, 3, 4, 5])
        #expect(bench.engine.rejected[FixRejection.otherReceiver.rawValue] == 5)
    }
}
