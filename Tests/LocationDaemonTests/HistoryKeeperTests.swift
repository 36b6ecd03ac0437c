// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationServices
import LocationStore
import LocationTestSupport
import SystemSupport
import Testing

@testable import LocationDaemon

/// What waits for a disk, and what is to be forgotten meanwhile. The state directory is made when the disk is to be there.
@Suite("The keeper of the history")
struct HistoryKeeperTests {
    private let directory: TemporaryDirectory
    private let state: String
    private let log: FixLog
    private let app = HistoryApp(uid: 7, name: "app:walker")

    init() throws {
        directory = try TemporaryDirectory()
        state = directory.file("state")
        log = try FixLog(path: directory.file("fixes"), capacity: 64)
    }

    private func keeper(keepDays: Int = 36_500) -> HistoryKeeper {
        HistoryKeeper(directory: state, log: log, Configuration.History(keepDays: keepDays)) {
            Journal(level: .error) { _, _, _ in }
        }
    }

    private func visit(_ number: UInt64) -> AppEvent {
        let date = WallTime(milliseconds: 1_790_000_000_000 + Int64(number) * 1000)
        let visit = Visit(
            coordinate: Coordinate(latitude: 45, longitude: -30), horizontalAccuracy: 10, arrival: date, departure: nil)
        return AppEvent(number: number, date: date, content: .visit(visit))
    }

    private func told(_ keeper: HistoryKeeper) throws -> [UInt64] {
        try keeper.events(HistoryQuery(), of: app, limit: 100).events.map(\.event.number)
    }

    /// Two events wait, as the disk was not there; it is now.
    private func waiting() throws -> HistoryKeeper {
        let keeper = keeper()
        for number in [1, 2] as [UInt64] { keeper.note(visit(number), of: app, label: nil) }
        #expect(keeper.problem != nil)
        #expect(mkdir(state, 0o700) == 0)
        return keeper
    }

    @Test("an orderly stop writes the events that wait, though no fix does")
    func finishing() throws {
        let keeper = try waiting()
        keeper.finish(at: bootClock())
        #expect(keeper.problem == nil)
        #expect(try told(keeper) == [1, 2])
    }

    @Test("the events that wait are written when the daemon is awake, though no fix waits, and that ends the problem")
    func settling() throws {
        let keeper = try waiting()
        keeper.settle(at: bootClock(), nextWake: nil)
        #expect(keeper.problem == nil)
        #expect(try told(keeper) == [1, 2])
    }

    @Test("the events that wait are forgotten with their time, and do not come later")
    func forgetting() throws {
        let keeper = try waiting()
        let forgotten = try keeper.forget(from: visit(2).date, to: nil)
        #expect(forgotten.events == 1 && forgotten.more == nil)
        keeper.settle(at: bootClock(), nextWake: nil)
        #expect(try told(keeper) == [1])
    }

    @Test("everything that is forgotten counts the events that wait")
    func forgettingAll() throws {
        let keeper = try waiting()
        #expect(try keeper.forgetAll().events == 2)
        keeper.settle(at: bootClock(), nextWake: nil)
        #expect(try told(keeper).isEmpty)
    }

    @Test(
        "the events of an app that is forgotten while a damaged file is saved do not come back", arguments: [36_500, 0])
    func forgettingAnApp(keepDays: Int) throws {
        #expect(mkdir(state, 0o700) == 0)
        let path = state + "/history.sqlite"
        do {
            let file = try HistoryFile(path: path, startingAfter: 0)
            for number in [1, 2] as [UInt64] { try file.append(visit(number), of: app, label: nil) }
        }
        let torn = StoreError("cannot use the history: torn", isDamage: true)
        #expect(try HistoryFile(path: path, startingAfter: 0, damage: torn).pendingSalvage != nil)
        let keeper = keeper(keepDays: keepDays)
        keeper.forgetEvents(of: app, label: nil)
        keeper.apply(Configuration.History(keepDays: 36_500), at: bootClock())
        for _ in 0..<10 { keeper.settle(at: bootClock(), nextWake: nil) }
        #expect(keeper.file?.pendingSalvage == nil)
        #expect(try told(keeper).isEmpty)
    }

    /// The history turns out to be damaged when somebody reads it.
    private func findDamage(_ keeper: HistoryKeeper) {
        #expect(throws: StoreError.self) {
            try keeper.reading { _ throws(StoreError) in throw StoreError("cannot read it: torn", isDamage: true) }
        }
    }

    private func kept(_ keeper: HistoryKeeper) throws -> [UInt64] {
        var (sequences, hasMore): ([UInt64], Bool) = ([], true)
        while hasMore {
            let stretch = HistoryFile.Stretch(after: sequences.last)
            hasMore =
                try keeper.walk(stretch) { entry in
                    sequences.append(entry.location.sequence)
                    return true
                }.0.hasMore
        }
        return sequences
    }

    private func accept(_ sequences: ClosedRange<UInt64>) {
        for sequence in sequences {
            let location = Location(
                coordinate: Coordinate(latitude: 45, longitude: -30), horizontalAccuracy: 5,
                timestamp: visit(sequence).date, sequence: sequence)
            #expect(log.append(LogEntry(location: location, odometer: 0, flags: 0)))
        }
    }

    @Test("a new file in place of one that is found damaged takes what the log has, but not what was forgotten")
    func rebuilding() throws {
        #expect(mkdir(state, 0o700) == 0)
        let keeper = self.keeper()
        accept(1...40)
        keeper.finish(at: bootClock())
        findDamage(keeper)
        #expect(try kept(keeper) == Array(1...40))
        while try keeper.forget(from: visit(30).date, to: nil).more != nil {}
        accept(41...45)
        keeper.finish(at: bootClock())
        findDamage(keeper)
        for _ in 0..<10 { keeper.settle(at: bootClock(), nextWake: nil) }
        let told = try kept(keeper)
        #expect(told == Array(1...29) + Array(41...45))
        let next = self.keeper()
        findDamage(next)
        for _ in 0..<10 { next.settle(at: bootClock(), nextWake: nil) }
        let toldByNext = try kept(next)
        #expect(toldByNext == told, "a restart forgets nothing of that")
    }
}
