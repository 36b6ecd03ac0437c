// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationServices
import Testing

@Suite("What the ledger measures")
struct LedgerMeterTests {
    private static let noon = WallTime(year: 2026, month: 3, day: 1, hour: 12)
    private let maps = LedgerEntry.Holder.app(uid: 1000, name: "maps")
    private let walk = LedgerEntry.Holder.app(uid: 1000, name: "walk")

    private func at(_ second: Double) -> BootInstant { BootInstant(nanoseconds: Int64((1_000 + second) * 1e9)) }

    /// Seconds by holder, over all stretches.
    private func seconds(_ entries: [LedgerEntry]) -> [LedgerEntry.Holder: Double] {
        entries.reduce(into: [:]) { $0[$1.holder, default: 0] += $1.amounts.receiver.seconds }
    }

    private func look(
        _ meter: inout LedgerMeter, _ second: Double, total: Double, _ holders: LedgerEntry.Holder...
    ) -> [LedgerEntry] {
        let date = WallTime(milliseconds: Self.noon.milliseconds + Int64(second * 1000))
        return meter.look(at: at(second), total: .seconds(total), date: date) { Set(holders) }
    }

    @Test func `those who need the receiver have its time until a look finds others`() {
        var meter = LedgerMeter()
        #expect(look(&meter, 0, total: 0, maps).isEmpty)
        #expect(seconds(look(&meter, 60, total: 60, maps, walk)) == [.device: 60, maps: 60])
        #expect(seconds(look(&meter, 100, total: 90, walk)) == [.device: 30, maps: 30, walk: 30])
        #expect(look(&meter, 200, total: 90).isEmpty)
    }

    @Test func `a change too near to the last look is looked at a second later, and counts from then on for both`() {
        var meter = LedgerMeter()
        _ = look(&meter, 0, total: 0, maps)
        meter.noteChange()
        let isDue = meter.isDueAfterTurn(at: at(0.5))
        #expect(!isDue && !meter.isDue(at: at(0.9)) && meter.isDue(at: at(1)))
        #expect(seconds(look(&meter, 2, total: 2, walk)) == [.device: 2, maps: 2, walk: 2])
        #expect(!meter.isDue(at: at(100)))
        meter.noteChange()
        let isDueThen = meter.isDueAfterTurn(at: at(100))
        #expect(isDueThen)
    }

    @Test func `a look is due when a stretch ends, and divides what reaches over its end`() {
        var meter = LedgerMeter()
        _ = look(&meter, 240, total: 0, maps)
        #expect(!meter.isDue(at: at(299.9)) && meter.isDue(at: at(300)))
        let entries = look(&meter, 360, total: 120, maps).filter { $0.holder == maps }
        #expect(entries.map { $0.start.milliseconds - Self.noon.milliseconds } == [0, 300_000])
        #expect(entries.map(\.amounts.receiver) == [.seconds(60), .seconds(60)])
    }

    @Test func `what was told before a stretch ended belongs to it`() {
        var meter = LedgerMeter()
        _ = look(&meter, 240, total: 0)
        var amounts = LedgerEntry.Amounts()
        amounts.events = 1
        _ = meter.keep(amounts, of: maps)
        #expect(look(&meter, 301, total: 0).map(\.start) == [Self.noon])
    }

    @Test func `of a span longer than a day the newest day counts`() {
        var meter = LedgerMeter()
        _ = look(&meter, 0, total: 0, maps)
        let entries = look(&meter, 172_800, total: 172_800, maps).filter { $0.holder == maps }
        #expect(entries.count == 288 && entries.allSatisfy { $0.amounts.receiver == .seconds(300) })
    }

    @Test func `what clients were told that are gone comes with the next look`() {
        var meter = LedgerMeter()
        _ = look(&meter, 0, total: 0)
        var amounts = LedgerEntry.Amounts()
        amounts.locations = 3
        for _ in 0..<2 { _ = meter.keep(amounts, of: maps) }
        #expect(look(&meter, 5, total: 0).map { [$0.amounts.locations] } == [[6]])
        #expect(look(&meter, 6, total: 0).isEmpty)
        let areMany = (0..<64 as Range<UInt32>).map { meter.keep(amounts, of: .app(uid: $0, name: nil)) }
        #expect(areMany == Array(repeating: false, count: 63) + [true])
    }
}
