// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A place at which a stay may have begun, and how the fixes since then lie to it.
///
/// The idea is that of Li et al., "Mining user similarity based on location history", 2008: a stay is a first fix and all
/// that follow within a radius of it, if they last long enough. Outliers that a building makes do not end it here.
struct StayCandidate: Sendable, BitwiseCopyable {
    private(set) var coordinate: Coordinate
    /// Metres, 68 %, mean of the fixes that made the place.
    private(set) var accuracy: Double
    let start: BootInstant
    let date: WallTime
    /// Fixes of two runs have a hole between them that is longer than a sleep.
    let run: UInt32
    private(set) var lastInside: BootInstant
    private(set) var inside: Int32 = 1
    private(set) var total: Int32 = 1
    /// The device went away from here for good.
    private(set) var isLeft = false
    /// And so far that no inaccuracy explains it.
    private(set) var isFarAway = false
    /// The first of the newest fixes of the candidate that all stand still by their speed, its time and date; nil: the newest moves, or
    /// the receiver does not tell.
    private(set) var still: (at: BootInstant, date: WallTime)?
    private var weight: Double
    private var outsideSince: BootInstant?
    private var outside: Int32 = 0

    init(_ location: Location, at now: BootInstant, run: UInt32) {
        coordinate = location.coordinate
        accuracy = location.horizontalAccuracy
        weight = StayWeight.of(location)
        start = now
        date = location.timestamp
        self.run = run
        lastInside = now
        noteSpeed(of: location, at: now)
    }

    /// One more fix of the same few seconds: the place is the mean of them.
    mutating func join(_ location: Location, at now: BootInstant) {
        noteSpeed(of: location, at: now)
        let more = StayWeight.of(location)
        weight += more
        let share = more / weight
        coordinate = coordinate.moved(towards: location.coordinate, by: share)
        accuracy += (location.horizontalAccuracy - accuracy) * share
    }

    mutating func observe(_ location: Location, in frame: LocalFrame, at now: BootInstant, _ settings: VisitSettings) {
        guard !isLeft else { return }
        total += 1
        let distance = frame.squaredDistance(coordinate, location.coordinate).squareRoot()
        guard distance > settings.stayRadius else {
            inside += 1
            lastInside = now
            outsideSince = nil
            outside = 0
            return
        }
        let since = outsideSince ?? now
        outsideSince = since
        outside += 1
        guard settings.isLasting(outside: outside, for: now - since) else { return }
        isLeft = true
        isFarAway = distance > settings.stayRadius + accuracy + location.horizontalAccuracy
    }

    private mutating func noteSpeed(of location: Location, at now: BootInstant) {
        guard let speed = location.speed, speed < StayCandidate.slowestWalk else { return still = nil }
        if still == nil { still = (now, location.timestamp) }
    }

    /// Whether a stay that began here has lasted long enough, and goes on with the fix of `now`.
    func isStay(at now: BootInstant, _ settings: VisitSettings) -> Bool {
        !isLeft && lastInside == now && now - start >= settings.stayTime && inside >= StayCandidate.fewestFixes
            && Double(inside) >= StayCandidate.shareInside * Double(total)
    }

    /// Whether nothing but a few more fixes is missing to a stay.
    func isAlmostStay(at now: BootInstant, _ settings: VisitSettings) -> Bool {
        !isLeft && lastInside == now && now - start >= settings.stayTime && inside < StayCandidate.fewestFixes
    }

    /// A receiver that wakes up may repeat the last place before it knows better: two fixes prove nothing.
    private static let fewestFixes: Int32 = 3
    private static let shareInside = 0.75
    /// Metres per second.
    private static let slowestWalk = 0.5
}

/// How much a fix says about the place of a stay.
enum StayWeight {
    /// Metres: nobody believes more.
    private static let bestAccuracy = 5.0

    static func of(_ location: Location) -> Double {
        let accuracy = max(location.horizontalAccuracy, bestAccuracy)
        return 1 / (accuracy * accuracy)
    }
}

extension Coordinate {
    /// The place on the straight line to `other`, at `share` of it, 0 to 1; for short ways.
    func moved(towards other: Coordinate, by share: Double) -> Coordinate {
        var east = other.longitude - longitude
        if abs(east) > 180 { east -= east > 0 ? 360 : -360 }
        var moved = Coordinate(
            latitude: latitude + (other.latitude - latitude) * share, longitude: longitude + east * share)
        if abs(moved.longitude) > 180 { moved.longitude -= moved.longitude > 0 ? 360 : -360 }
        return moved
    }
}
