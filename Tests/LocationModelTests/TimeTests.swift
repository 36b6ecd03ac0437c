// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@Suite("Spans, instants and windows")
struct TimeTests {
    @Test("seconds become whole nanoseconds, and what does not fit the nearest that does")
    func seconds() {
        #expect(TimeSpan.seconds(1.5).nanoseconds == 1_500_000_000)
        #expect(TimeSpan.seconds(-0.000_000_001).nanoseconds == -1)
        #expect(TimeSpan.seconds(0.000_000_000_4) == .zero)
        #expect(TimeSpan.seconds(.nan) == .zero)
        #expect(TimeSpan.seconds(.infinity) == .unlimited)
        #expect(TimeSpan.seconds(1e300) == .unlimited)
        #expect(TimeSpan.seconds(-.infinity).nanoseconds == -Int64.max)
        #expect(TimeSpan.milliseconds(-3).nanoseconds == -3_000_000)
        #expect(TimeSpan.seconds(3600).seconds == 3600)
    }

    @Test("sums and differences of spans stop at the ends")
    func saturation() {
        #expect(TimeSpan.unlimited + .seconds(1) == .unlimited)
        #expect(TimeSpan.unlimited - .seconds(-1) == .unlimited)
        #expect((TimeSpan(nanoseconds: -.max) - .seconds(5)).nanoseconds == .min)
        #expect((TimeSpan.seconds(3) - .seconds(5)).seconds == -2)
        #expect(TimeSpan.seconds(-1) < .zero && TimeSpan.zero < .unlimited)
    }

    @Test("no moment is later than the distant future, and nothing reaches it by overflow")
    func instants() {
        let now = BootInstant(nanoseconds: 5_000)
        #expect(now + .unlimited == .distantFuture)
        #expect(.distantFuture + .seconds(1) == .distantFuture)
        #expect((now + .seconds(2)) - now == .seconds(2))
        #expect(now - (now + .seconds(2)) == .seconds(-2))
        #expect((BootInstant.distantFuture - now).nanoseconds == .max - 5_000)
        #expect((BootInstant(nanoseconds: -5_000) - .unlimited) < now)
        #expect(now < .distantFuture)
    }

    @Test("no two moments and spans are so far apart that their sum or difference is an error")
    func extremes() {
        let numbers = [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for left in numbers {
            for right in numbers {
                let span = TimeSpan(nanoseconds: right)
                let exact = Int64(clamping: Int128(left) - Int128(right))
                for difference in [
                    (TimeSpan(nanoseconds: left) - span).nanoseconds, (instant(left) - span).nanoseconds,
                    (instant(left) - instant(right)).nanoseconds,
                ] {
                    #expect(difference == exact)
                }
                _ = (instant(left) + span, TimeSpan(nanoseconds: left) + span, TimeSpan.milliseconds(left))
            }
        }
        #expect(instant(0) - TimeSpan(nanoseconds: .min) == .distantFuture)
        #expect(TimeSpan.milliseconds(.max) == .unlimited)
    }

    @Test("a window never closes before it opens")
    func window() {
        #expect(windowOf(5, 3).latest == instant(5))
        #expect(windowOf(3, 5).latest == instant(5))
    }

    @Test(
        "overlapping windows merge into what both allow",
        arguments: [
            (windowOf(0, 10), windowOf(5, 20), windowOf(5, 10)),
            (windowOf(0, 10), windowOf(2, 4), windowOf(2, 4)),
            (windowOf(0, 10), windowOf(10, 20), windowOf(10, 10)),
            (windowOf(3, 3), windowOf(3, 3), windowOf(3, 3)),
        ])
    func overlapping(one: WakeWindow, other: WakeWindow, both: WakeWindow) {
        #expect(one.merged(with: other) == both)
        #expect(other.merged(with: one) == both)
    }

    @Test("a window that opens after the other closed does not narrow it")
    func disjoint() {
        #expect(windowOf(0, 10).merged(with: windowOf(11, 20)) == windowOf(0, 10))
        #expect(windowOf(11, 20).merged(with: windowOf(0, 10)) == windowOf(0, 10))
    }

    @Test("merging never serves the more urgent window late, whatever the order", .tellsSeed)
    func merging() {
        var random = SplitMix64()
        for _ in 0..<5000 {
            let windows = (0..<2).map { _ in
                let opens = Int64.random(in: 0...20, using: &random)
                return windowOf(opens, opens + Int64.random(in: 0...20, using: &random))
            }
            let merged = windows[0].merged(with: windows[1])
            #expect(merged.latest == min(windows[0].latest, windows[1].latest))
            #expect(merged.earliest <= merged.latest)
            let urgent = windows[0].latest <= windows[1].latest ? windows[0] : windows[1]
            #expect(merged.earliest >= urgent.earliest, "\(windows) \(merged)")
            let swapped = windows[1].merged(with: windows[0])
            #expect(swapped.latest == merged.latest)
        }
    }
}

private func instant(_ nanoseconds: Int64) -> BootInstant { BootInstant(nanoseconds: nanoseconds) }

private func windowOf(_ earliest: Int64, _ latest: Int64) -> WakeWindow {
    WakeWindow(earliest: instant(earliest), latest: instant(latest))
}
