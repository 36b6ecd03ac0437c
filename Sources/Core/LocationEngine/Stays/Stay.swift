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

/// Fixes beyond some distance from the middle of a stay, among which a few may lie within it.
private struct Excursion: Sendable, BitwiseCopyable {
    let since: BootInstant
    /// Of the last fix before it.
    let lastInside: WallTime
    private var lastOutside: BootInstant
    private var outside: Int32 = 0
    /// Those whose inaccuracy does not explain where they lie.
    private var certain: Int32 = 0
    private var inside: Int32 = 0

    init(since: BootInstant, lastInside: WallTime) {
        self.since = since
        lastOutside = since
        self.lastInside = lastInside
    }

    mutating func goOn(at now: BootInstant, isCertain: Bool) {
        lastOutside = now
        outside += 1
        if isCertain { certain += 1 }
    }

    /// One fix lies inside again; returns whether that was the end of it.
    mutating func returnsInside() -> Bool {
        inside += 1
        return inside * 3 > outside
    }

    func isDeparture(at now: BootInstant, _ settings: VisitSettings) -> Bool {
        lastOutside == now && settings.isLasting(outside: outside, for: now - since) && certain * 3 >= outside * 2
    }
}

/// The stay that goes on.
struct Stay: Sendable {
    private(set) var stored: StoredStay
    /// When the arrival was, as far as the dwell time is concerned that must pass before it is told; nil: unknown.
    private let start: BootInstant?
    /// nil: no fix since a restart.
    private var lastFix: BootInstant?
    /// Beyond the radius of a stay: the device may be at the next place.
    private var besides: Excursion?
    /// Beyond the radius of a departure.
    private var away: Excursion?
    private var weight: Double
    /// Metres, weighed means over the stay.
    private var meanAccuracy: Double
    private var meanDistance: Double

    init(_ found: FoundStay, by location: Location, at now: BootInstant, _ settings: VisitSettings) {
        stored = StoredStay(
            coordinate: found.coordinate, horizontalAccuracy: found.accuracy, arrival: found.arrival,
            lastInside: location.timestamp, isTold: false)
        start = found.arrival == nil ? nil : found.start
        lastFix = now
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

    /// Whether the newest fixes lie besides the stay: it may be over.
    var isInDoubt: Bool { besides != nil }
    var isRestored: Bool { lastFix == nil }

    var arrivalEvent: Visit {
        Visit(
            coordinate: stored.coordinate, horizontalAccuracy: stored.horizontalAccuracy, arrival: stored.arrival,
            departure: nil)
    }

    /// The departure with the date of the last fix inside.
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
        let before = stored.lastInside
        if distance <= settings.departureRadius {
            if away?.returnsInside() ?? true {
                away = nil
                stored.lastInside = location.timestamp
            }
        } else {
            if away == nil { away = Excursion(since: now, lastInside: before) }
            away?.goOn(at: now, isCertain: distance > settings.departureRadius + location.horizontalAccuracy)
        }
        if distance <= settings.stayRadius {
            if besides?.returnsInside() ?? true { besides = nil }
            absorb(location, distance: distance, at: now, settings)
        } else {
            if besides == nil { besides = Excursion(since: now, lastInside: before) }
            besides?.goOn(at: now, isCertain: false)
        }
        lastFix = now
    }

    /// Whether a fix that is too coarse to say that the device is here says that it is elsewhere.
    func isElsewhere(_ location: Location, _ settings: VisitSettings) -> Bool {
        stored.coordinate.distance(to: location.coordinate) > settings.departureRadius + 2 * location.horizontalAccuracy
    }

    /// Whether a stay at `place` would be another one.
    func isFar(from place: Coordinate, _ settings: VisitSettings) -> Bool {
        stored.coordinate.distance(to: place) > settings.departureRadius
    }

    /// Whether the device has been away for so long that it has left.
    func hasEnded(at now: BootInstant, _ settings: VisitSettings) -> Bool {
        away?.isDeparture(at: now, settings) ?? false
    }

    /// The stay at the place besides it ends this one, unless both are the same place.
    mutating func isEnded(by found: FoundStay, _ settings: VisitSettings) -> Bool {
        // Deep in a building the fixes of five minutes may all lie aside.
        let explained = settings.stayRadius + found.accuracy
        guard stored.coordinate.distance(to: found.coordinate) > explained else { return false }
        if let besides { stored.lastInside = besides.lastInside }
        return true
    }

    private mutating func absorb(
        _ location: Location, distance: Double, at now: BootInstant, _ settings: VisitSettings
    ) {
        let elapsed = lastFix.map { now - $0 } ?? settings.departureTime
        let more = Stay.weight(accuracy: location.horizontalAccuracy, over: min(elapsed, settings.stayTime))
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
        max(span.seconds, 0.1) / max(accuracy, 20)
    }
}
