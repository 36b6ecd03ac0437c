// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import LocationDaemon

@Suite("The date by which history ages")
struct HistoryClockTests {
    private let day: Int64 = 86_400_000
    private let fix = WallTime(milliseconds: 1_790_000_000_000)

    private func later(_ days: Int64) -> WallTime { WallTime(milliseconds: fix.milliseconds + days * day) }
    private func instant(_ days: Double) -> BootInstant { BootInstant(nanoseconds: 0) + .seconds(days * 86_400) }

    @Test("a clock that a network has set is believed, though the device rests or was off")
    func trusted() {
        var clock = HistoryClock()
        #expect(clock.today(newest: fix, wall: later(400), isTrusted: true, at: instant(0)) == later(400))
    }

    @Test("a clock that is wrong and ahead drops nothing: time goes on from the newest fix")
    func ahead() {
        var clock = HistoryClock()
        #expect(clock.today(newest: fix, wall: later(4000), isTrusted: false, at: instant(0)) == fix)
        #expect(clock.today(newest: fix, wall: later(4000), isTrusted: false, at: instant(3)) == later(3))
        #expect(clock.today(newest: later(3), wall: later(4000), isTrusted: false, at: instant(3)) == later(3))
    }

    @Test("a clock that is behind drops less")
    func behind() {
        var clock = HistoryClock()
        let start = WallTime(milliseconds: 0)
        #expect(clock.today(newest: fix, wall: start, isTrusted: false, at: instant(3)) == start)
    }

    @Test("a receiver whose weeks have begun anew does not lose its fixes to a right clock")
    func rollover() {
        var clock = HistoryClock()
        #expect(clock.today(newest: fix, wall: later(1024 * 7), isTrusted: true, at: instant(0)) == fix)
    }

    @Test("without a fix there is nothing to age")
    func nothing() {
        var clock = HistoryClock()
        #expect(clock.today(newest: nil, wall: fix, isTrusted: true, at: instant(0)) == nil)
    }
}
