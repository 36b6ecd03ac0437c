// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The estimate of where the device is after a fix: computed once, and judged by every border nearby.
struct RegionEvidence: Sendable {
    /// Seconds on the device's own axis, which follows the times of the fixes and never runs back.
    let time: Double
    let date: WallTime
    /// The fix itself.
    let fix: Coordinate
    /// The estimate, and the one before.
    let place: Coordinate
    let previous: (place: Coordinate, time: Double, date: WallTime)?
    /// The mean place of a stationary device; nil: it moves.
    let anchor: Coordinate?
    /// Metres between the last two estimates.
    let step: Double
    /// Metres per second that the device can have gone between them.
    let fastest: Double
    /// Metres that noise does not carry an estimate.
    let leash: Double
    /// Metres beyond a border, unless a region has its own: while the device moves, and while it is stationary.
    let movingCushion: Double
    let stationaryCushion: Double
    /// Metres from a border that make a first state after the dwell time.
    let firstCushion: Double
    /// Metres from a border at which one fix is enough to know a first state.
    let clearDistance: Double

    /// Standard deviations of the estimate beyond the border for a device that moves. `leash` keeps noise out.
    private static let movingDeviations = 0.3
    /// Of the mean, for one that does not.
    private static let stationaryDeviations = 4.0
    /// Errors that last longer than the mean, in standard deviations of a fix.
    private static let lastingDeviations = 0.9
    /// Of the estimate, and of a single fix, for a first state.
    private static let firstDeviations = 2.5
    private static let clearDeviations = 4.0
}

/// The device's way: fixes in, evidence out.
struct RegionTrack: Sendable {
    private var filter: MotionFilter
    private var stillness: StillnessDetector
    private var time = 0.0
    private var last: (date: WallTime, at: BootInstant, speed: Double?)

    /// Seconds by which the clocks of fixes and of the host may disagree about a step before the host's is believed.
    private static let clockTolerance = 60.0

    init(_ location: Location, at now: BootInstant) {
        filter = MotionFilter(location)
        stillness = StillnessDetector(at: location.coordinate, time: 0, filter)
        last = (location.timestamp, now, location.speed)
    }

    /// The evidence of a first fix.
    func firstEvidence(_ location: Location, _ settings: RegionSettings) -> RegionEvidence {
        evidence(location, previous: nil, fastest: 0, settings)
    }

    /// Takes a later fix.
    mutating func update(_ location: Location, at now: BootInstant, _ settings: RegionSettings) -> RegionEvidence {
        let elapsed = elapsed(to: location.timestamp, at: now)
        let previous = (filter.place, time, last.date)
        let fastest = RegionTrack.fastest(last.speed, location.speed)
        last = (location.timestamp, now, location.speed)
        time += elapsed
        filter.update(location, elapsed: elapsed)
        stillness.update(filter, time: time, elapsed: elapsed)
        return evidence(location, previous: previous, fastest: fastest, settings)
    }

    private func elapsed(to date: WallTime, at now: BootInstant) -> Double {
        let byFixes = Double(date.milliseconds - last.date.milliseconds) / 1000
        let byHost = max((now - last.at).seconds, 0)
        return byFixes > 0 && abs(byFixes - byHost) <= RegionTrack.clockTolerance ? byFixes : byHost
    }

    /// Metres per second between two fixes that say these speeds: a device that went much faster was thrown by
    /// its receiver.
    private static func fastest(_ before: Double?, _ now: Double?) -> Double {
        guard let before, let now else { return 350 }
        return 50 + 2 * max(before, now)
    }

    private func evidence(
        _ location: Location, previous: (place: Coordinate, time: Double, date: WallTime)?, fastest: Double,
        _ settings: RegionSettings
    ) -> RegionEvidence {
        RegionEvidence(
            time: time, date: location.timestamp, fix: location.coordinate, place: filter.place, previous: previous,
            anchor: stillness.anchor, step: previous?.place.distance(to: filter.place) ?? 0, leash: stillness.leash,
            fastest: fastest, filter: filter, anchorDeviation: stillness.anchorDeviation, settings)
    }
}

extension RegionEvidence {
    fileprivate init(
        time: Double, date: WallTime, fix: Coordinate, place: Coordinate,
        previous: (place: Coordinate, time: Double, date: WallTime)?, anchor: Coordinate?, step: Double, leash: Double,
        fastest: Double, filter: MotionFilter, anchorDeviation: Double, _ settings: RegionSettings
    ) {
        func cushion(_ metres: Double) -> Double {
            max(min(metres, settings.maximumCushion), settings.minimumCushion)
        }
        self.time = time
        self.date = date
        self.fix = fix
        self.place = place
        self.previous = previous
        self.anchor = anchor
        self.step = step
        self.fastest = fastest
        self.leash = leash
        movingCushion = cushion(RegionEvidence.movingDeviations * filter.deviation)
        stationaryCushion = cushion(
            max(
                RegionEvidence.stationaryDeviations * anchorDeviation,
                RegionEvidence.lastingDeviations * filter.fixDeviation))
        firstCushion = cushion(RegionEvidence.firstDeviations * filter.deviation)
        clearDistance = max(settings.minimumCushion, RegionEvidence.clearDeviations * filter.fixDeviation)
    }
}
