// SPDX-License-Identifier: Apache-2.0
import LocationTracks

/// A receiver that is switched on and off: how long it needs for a fix, second by second.
package struct StartingReceiver: Sendable {
    private var noise: NoiseGenerator
    private var isOn = false
    private var since = 0
    /// Seconds of sky that it still needs for a fix.
    private var missing = 0.0
    private var lastFix = Int.min / 2
    private var ether: NoiseGenerator
    /// Seconds until it hears the satellites that there are.
    private var unheard = 0.0

    /// What it tells once a second.
    package enum Report: Sendable, Hashable {
        case fix
        case noFix(satellites: Int)
    }

    private static let heardSatellites = 5

    /// How often it was switched on.
    package private(set) var starts = 0
    /// Seconds that it was on before it was last switched off.
    private var finished = 0
    /// Of these, in searches without a fix.
    package private(set) var vainSeconds = 0

    /// Seconds that a start takes while it knows its satellites.
    private let hotStart: ClosedRange<Double>

    /// Hot for so long after a fix, seconds: it knows the orbits of its satellites.
    private static let hotTime = 2 * 3_600

    /// Off, and without any knowledge of the sky.
    package init(seed: UInt64, hotStart: ClosedRange<Double> = 3...8) {
        self.hotStart = hotStart
        noise = NoiseGenerator(seed: seed)
        ether = NoiseGenerator(seed: ~seed)
    }

    /// Switches it at `second`.
    package mutating func power(_ isOn: Bool, at second: Int) {
        guard isOn != self.isOn else { return }
        self.isOn = isOn
        guard isOn else {
            if lastFix < since { vainSeconds += second - since }
            finished += second - since
            return
        }
        starts += 1
        since = second
        start(at: second)
    }

    /// Seconds that it was on until `second`.
    package func onSeconds(at second: Int) -> Int { finished + (isOn ? second - since : 0) }

    /// Its report of this second; nil: it is off. `hasSignals`: there are satellites to be heard.
    package mutating func report(hasSky: Bool, hasSignals: Bool, at second: Int) -> Report? {
        guard isOn else { return nil }
        unheard -= 1
        let noFix = Report.noFix(satellites: unheard <= 0 && hasSignals ? StartingReceiver.heardSatellites : 0)
        guard hasSky else {
            // A tunnel costs a moment, and an hour without a sky a start.
            if missing <= 0 { missing = noise.uniform(1...2) }
            if second - lastFix == StartingReceiver.hotTime { start(at: second) }
            return noFix
        }
        missing -= 1
        guard missing <= 0 else { return noFix }
        lastFix = second
        return .fix
    }

    private mutating func start(at second: Int) {
        let isHot = second - lastFix < StartingReceiver.hotTime
        missing = isHot ? noise.uniform(hotStart) : noise.uniform(26...40)
        unheard = isHot ? ether.uniform(1...3) : ether.uniform(4...12)
        if ether.chance(0.05) { unheard = missing }
    }
}
