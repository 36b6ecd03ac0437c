// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A stay that goes on, as it is kept over restarts and reboots: places and dates only.
package struct StoredStay: Sendable, Hashable, BitwiseCopyable {
    /// The middle of the stay.
    package var coordinate: Coordinate
    /// Metres, 68 %, > 0.
    package var horizontalAccuracy: Double
    /// When it began; nil: nobody saw it.
    package var arrival: WallTime?
    /// The last fix inside.
    package var lastInside: WallTime
    /// Whether the arrival was told.
    package var isTold: Bool

    /// A stay at `coordinate`.
    package init(
        coordinate: Coordinate, horizontalAccuracy: Double, arrival: WallTime?, lastInside: WallTime, isTold: Bool
    ) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.arrival = arrival
        self.lastInside = lastInside
        self.isTold = isTold
    }
}

/// The stay that goes on.
struct Stay: Sendable {
    /// Fixes outside, of which some may yet turn out to be outliers.
    private struct Excursion: Sendable {
        let since: BootInstant
        var outside: Int32 = 0
        /// Those whose inaccuracy does not explain where they lie.
        var certain: Int32 = 0
        var inside: Int32 = 0
    }

    private(set) var stored: StoredStay
    /// When the arrival was, as far as the dwell time is concerned that must pass before it is told; nil: before a restart.
    private let start: BootInstant?
    /// nil: no fix since a restart.
    private(set) var lastInside: BootInstant?
    private var excursion: Excursion?
    private var weight: Double
    /// Metres, weighed means over the stay.
    private var meanAccuracy: Double
    private var meanDistance: Double

    init(_ found: FoundStay, by location: Location, at now: BootInstant, _ settings: VisitSettings) {
        stored = StoredStay(
            coordinate: found.coordinate, horizontalAccuracy: found.accuracy, arrival: found.arrival,
            lastInside: location.timestamp, isTold: false)
        start = found.arrival == nil ? nil : found.start
        lastInside = now
        meanAccuracy = found.accuracy
        meanDistance = found.accuracy
        weight = Stay.weight(accuracy: found.accuracy, over: settings.stayTime)
    }

    init(restoring stored: StoredStay, _ settings: VisitSettings) {
        self.stored = stored
        start = nil
        meanAccuracy = stored.horizontalAccuracy
        meanDistance = stored.horizontalAccuracy
        weight = Stay.weight(accuracy: stored.horizontalAccuracy, over: settings.stayTime)
    }

    var isLeaving: Bool { excursion != nil }
    /// When the fixes began that lie outside.
    var excursionStart: BootInstant? { excursion?.since }

    var arrivalEvent: Visit {
        Visit(
            coordinate: stored.coordinate, horizontalAccuracy: stored.horizontalAccuracy, arrival: stored.arrival,
            departure: nil)
    }

    var departureEvent: Visit {
        Visit(
            coordinate: stored.coordinate, horizontalAccuracy: stored.horizontalAccuracy, arrival: stored.arrival,
            departure: stored.lastInside)
    }

    /// Whether the arrival has to be told now: not before its time has passed, although the way to the place counted, too (V2).
    func isToBeTold(at now: BootInstant, _ settings: VisitSettings) -> Bool {
        guard !stored.isTold else { return false }
        return start.map { now - $0 >= settings.stayTime } ?? true
    }

    mutating func noteTold() { stored.isTold = true }

    mutating func observe(_ location: Location, at now: BootInstant, _ settings: VisitSettings) {
        let distance = stored.coordinate.distance(to: location.coordinate)
        if distance <= settings.departureRadius {
            observeInside(location, distance: distance, at: now, settings)
        } else {
            var excursion = excursion ?? Excursion(since: now)
            excursion.outside += 1
            if distance > settings.departureRadius + location.horizontalAccuracy { excursion.certain += 1 }
            self.excursion = excursion
        }
    }

    /// Whether a fix that is too coarse to say that the device is here says that it is elsewhere.
    func isElsewhere(_ location: Location, _ settings: VisitSettings) -> Bool {
        stored.coordinate.distance(to: location.coordinate) > settings.departureRadius + 2 * location.horizontalAccuracy
    }

    /// Outside for long enough; where inaccuracy may be the reason, for as long as a stay elsewhere takes.
    func hasEnded(at now: BootInstant, _ settings: VisitSettings) -> Bool {
        guard let excursion else { return false }
        let span = now - excursion.since
        guard settings.isLasting(outside: excursion.outside, for: span) else { return false }
        return excursion.certain * 3 >= excursion.outside * 2 || span >= settings.stayTime
    }

    private mutating func observeInside(
        _ location: Location, distance: Double, at now: BootInstant, _ settings: VisitSettings
    ) {
        if var left = excursion {
            left.inside += 1
            guard left.inside * 3 > left.outside else { return excursion = left }
            excursion = nil
        }
        let elapsed = lastInside.map { now - $0 } ?? settings.departureTime
        lastInside = now
        stored.lastInside = location.timestamp
        guard distance <= settings.stayRadius + location.horizontalAccuracy else { return }
        let more = Stay.weight(accuracy: location.horizontalAccuracy, over: min(elapsed, settings.departureTime))
        weight += more
        let share = more / weight
        stored.coordinate = stored.coordinate.moved(towards: location.coordinate, by: share)
        meanAccuracy += (location.horizontalAccuracy - meanAccuracy) * share
        meanDistance += (distance - meanDistance) * share
        // The errors of neighbouring fixes are alike: many of them are no better than one.
        stored.horizontalAccuracy = max(meanAccuracy, meanDistance)
    }

    /// By accuracy and by time, so that a receiver at full rate counts no more than one that sleeps.
    private static func weight(accuracy: Double, over span: TimeSpan) -> Double {
        let metres = max(accuracy, 5)
        return max(span.seconds, 0.1) / (metres * metres)
    }
}
