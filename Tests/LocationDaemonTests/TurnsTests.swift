// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationDaemon

@Suite("Whose turn it is")
struct TurnsTests {
    private let start = BootInstant(nanoseconds: 0)

    /// Gives so many turns, each of which takes a millisecond; those who had one wait again.
    private static func serve(_ turns: inout Turns, _ count: Int, taking time: (UInt32) -> Int64 = { _ in 1 })
        -> [UInt64]
    {
        (0..<count).compactMap { _ in
            guard let (connection, uid) = turns.next() else { return nil }
            turns.charge(uid, .milliseconds(time(uid)))
            turns.enter(connection, of: uid)
            return connection
        }
    }

    @Test("goes by user, then by connection, however many connections a user has")
    func byUser() {
        var turns = Turns()
        for connection in 100..<160 { turns.enter(UInt64(connection), of: 1001) }
        turns.enter(1, of: 1000)
        turns.enter(2, of: 0)
        turns.enter(3, of: 0)
        #expect(TurnsTests.serve(&turns, 9) == [100, 1, 2, 101, 1, 3, 102, 1, 2])
    }

    @Test("comes after one turn of everybody else at the most, for whoever begins to ask")
    func newcomer() {
        var turns = Turns()
        for connection in 100..<160 { turns.enter(UInt64(connection), of: 1001) }
        _ = TurnsTests.serve(&turns, 500)
        turns.enter(1, of: 1000)
        #expect(TurnsTests.serve(&turns, 2).contains(1))
        // It saved nothing up while it did not ask.
        #expect(TurnsTests.serve(&turns, 100).count { $0 == 1 } == 50)
    }

    @Test("is given by time: whoever asks for what takes long has fewer, also if it asks anew each time")
    func byTime() {
        var turns = Turns()
        var served: [UInt32: Int] = [:]
        turns.enter(1, of: 1000)
        for _ in 0..<1100 {
            turns.enter(100, of: 1001)
            guard let (connection, uid) = turns.next() else { break }
            turns.charge(uid, .milliseconds(uid == 1001 ? 10 : 1))
            served[uid, default: 0] += 1
            if connection == 1 { turns.enter(1, of: 1000) }
        }
        #expect(served == [1000: 1000, 1001: 100])
    }

    @Test("comes first within its user for a connection whose peer is gone")
    func leaving() {
        var turns = Turns()
        turns.enter(1, of: 1000)
        turns.enter(2, of: 1000)
        turns.leave(2)
        turns.enter(2, of: 1000, isLeaving: true)
        #expect(turns.next()?.connection == 2)
        #expect(turns.next()?.connection == 1)
        #expect(turns.isEmpty)
    }

    @Test("is each connection's as often as it entered, in whatever order they come and go")
    func everybody() {
        var random = SplitMix64(seed: 3)
        var turns = Turns()
        var waiting: Set<UInt64> = []
        for _ in 0..<20_000 {
            let connection = random.next() % 50
            switch random.next() % 3 {
            case 0:
                turns.enter(connection, of: UInt32(connection % 5))
                waiting.insert(connection)
            case 1 where random.next() % 4 == 0:
                turns.leave(connection)
                waiting.remove(connection)
            default:
                guard let (next, uid) = turns.next() else {
                    #expect(waiting.isEmpty)
                    continue
                }
                #expect(waiting.remove(next) != nil)
                #expect(uid == UInt32(next % 5))
                turns.charge(uid, .milliseconds(Int64(random.next() % 9)))
            }
            #expect(turns.isEmpty == waiting.isEmpty)
            #expect(turns.isWaiting(connection) == waiting.contains(connection))
        }
    }

    @Test("is said to be late only for those who waited at the end of every round")
    func heldBack() {
        var turns = Turns()
        turns.enter(1, of: 1000)
        turns.enter(100, of: 1001)
        turns.enter(101, of: 1001)
        turns.endRound(at: start)
        _ = turns.next()
        turns.endRound(at: start + .seconds(1))
        #expect(turns.isHeldBack(1000) == nil)
        turns.enter(1, of: 1000)
        turns.endRound(at: start + .seconds(2))
        #expect(turns.heldBack(for: .seconds(1), at: start + .seconds(2)) == [1001])
        #expect(turns.isHeldBack(1001) == start)
    }
}

@Suite("What the journal hears of one user")
struct NoticeLimitTests {
    private let start = BootInstant(nanoseconds: 0)

    @Test("is bounded each minute, and what is left out is counted")
    func bounded() {
        var limit = NoticeLimit()
        let said = (0..<1000).compactMap { limit.take(1000, at: start + .milliseconds($0)) }
        #expect(said == [0, 0, 0, 0])
        #expect(limit.take(1001, at: start + .seconds(2)) == 0)
        #expect(limit.take(1000, at: start + .seconds(60)) == 996)
        #expect(limit.take(1000, at: start + .seconds(61)) == 0)
    }

    @Test("that its requests wait is said once a minute, and of so many users at a time")
    func delays() {
        var notices = ServerNotices()
        let flood = Array(1000..<UInt32(1000 + 2 * NoticeLimit.users))
        #expect(notices.takeDelays([1000], at: start) == [1000])
        #expect(notices.takeDelays([1000], at: start + .seconds(59)).isEmpty)
        #expect(notices.takeDelays(flood, at: start + .seconds(59)).count == NoticeLimit.users - 1)
        #expect(notices.takeDelays([1000], at: start + .seconds(60)) == [1000])
    }

    @Test("is bounded for all users together")
    func users() {
        var limit = NoticeLimit()
        let said = (0..<1000).count { limit.take($0, at: start) != nil }
        #expect(said == NoticeLimit.users)
        #expect(limit.take(5000, at: start + .seconds(60)) == 1000 - NoticeLimit.users)
    }
}
