// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The change that a fix brought.
package enum StationaryChange: Sendable, Equatable {
    /// The device has been stationary since then.
    case becameStationary(since: BootInstant)
    /// It moves.
    case moved
}

/// Whether the device is stationary, by the settings of one activity: for pauses (rule S14) and for live updates (rule L1).
///
/// A fix counts as movement when it lies farther from the mean place than the radius and its own accuracy (95 %) together, so
/// that noise and drift within the accuracy are none. Movement takes two such fixes in a row, or one twice as far away; where the
/// receiver says that it stands still, or the fix came faster than vehicles do, it has to last for half a minute.
package struct StationaryDetector: Sendable {
    /// Fixes that lie outside, until it is clear whether they are outliers.
    private struct Suspicion: Sendable, BitwiseCopyable {
        /// The first of them.
        let place: Coordinate
        let weight: Double
        let since: BootInstant
        var isDoubtful: Bool
    }

    /// The mean of the fixes since `start`, by their accuracy; nil: no fix yet.
    private var place: Coordinate?
    private var weight = 0.0
    private var start = BootInstant(nanoseconds: 0)
    private var fixes: Int32 = 0
    /// The newest fix.
    private var newest = Coordinate(latitude: 0, longitude: 0)
    private var newestTime = BootInstant(nanoseconds: 0)
    private var suspicion: Suspicion?
    /// Whether the device is stationary.
    package private(set) var isStationary = false

    /// Nothing is known yet.
    package init() {}

    /// Stationary where a former process left it.
    init(_ kept: StationaryPlace) {
        place = Coordinate(latitude: kept.latitude, longitude: kept.longitude)
        weight = kept.weight
        start = BootInstant(nanoseconds: kept.since)
        fixes = StationaryDetector.fewestFixes
        newest = Coordinate(latitude: kept.latitude, longitude: kept.longitude)
        newestTime = start
        isStationary = true
    }

    /// For another process; nil: the device is not stationary.
    func kept(activity: Int) -> StationaryPlace? {
        guard isStationary, let place else { return nil }
        return StationaryPlace(
            activity: activity, latitude: place.latitude, longitude: place.longitude, weight: weight,
            since: start.nanoseconds)
    }

    /// Since when the device is stationary; nil: it is not.
    package var since: BootInstant? { isStationary ? start : nil }

    /// How long the receiver may sleep for this detector: not at all unless the device is stationary and no fix lies outside.
    package func longestSleep(_ settings: StationarySettings) -> TimeSpan {
        isStationary && suspicion == nil ? settings.checkInterval : .zero
    }

    /// Takes the next accepted fix, which came at `now`. Allocates nothing.
    package mutating func process(
        _ location: Location, at now: BootInstant, _ settings: StationarySettings
    ) -> StationaryChange? {
        defer {
            newest = location.coordinate
            newestTime = now
        }
        guard let place else {
            begin(at: location.coordinate, weight: StationaryDetector.weight(of: location), now)
            return nil
        }
        let reach = settings.radius + StationaryDetector.toNinetyFivePercent * location.horizontalAccuracy
        let distance = place.distance(to: location.coordinate)
        guard distance <= reach else {
            return isMovement(location, distance: distance, reach: reach, at: now)
                ? move(to: location, at: now, settings) : nil
        }
        suspicion = nil
        join(location)
        guard !isStationary, now - start >= settings.time, fixes >= StationaryDetector.fewestFixes else { return nil }
        isStationary = true
        return .becameStationary(since: start)
    }

    /// Whether this fix outside and those directly before it are enough.
    private mutating func isMovement(
        _ location: Location, distance: Double, reach: Double, at now: BootInstant
    ) -> Bool {
        guard let suspicion else {
            let isDoubtful = isDoubtful(location, reach: reach, at: now)
            if distance > 2 * reach, !isDoubtful { return true }
            self.suspicion = Suspicion(
                place: location.coordinate, weight: StationaryDetector.weight(of: location), since: now,
                isDoubtful: isDoubtful)
            return false
        }
        guard suspicion.isDoubtful else { return true }
        if let speed = location.speed, speed >= StationaryDetector.slowestWalk { return true }
        return now - suspicion.since >= StationaryDetector.doubtTime
    }

    /// Whether the fix is rather a reflection than a movement.
    private func isDoubtful(_ location: Location, reach: Double, at now: BootInstant) -> Bool {
        if let speed = location.speed, speed < StationaryDetector.slowestWalk { return true }
        let elapsed = (now - newestTime).seconds
        let fast = elapsed * StationaryDetector.fastestVehicle
        // A stationary device has to speed up first.
        let fromStop = reach + StationaryDetector.strongestVehicle / 2 * elapsed * elapsed
        return newest.distance(to: location.coordinate) > (isStationary ? min(fast, fromStop) : fast)
    }

    private mutating func move(
        to location: Location, at now: BootInstant, _ settings: StationarySettings
    ) -> StationaryChange? {
        let first = suspicion
        suspicion = nil
        begin(at: location.coordinate, weight: StationaryDetector.weight(of: location), now)
        // If the fixes outside lie together, the device has been there since the first of them.
        if let first, first.place.distance(to: location.coordinate) <= settings.radius {
            begin(at: first.place, weight: first.weight, first.since)
            join(location)
        }
        guard isStationary else { return nil }
        isStationary = false
        return .moved
    }

    private mutating func begin(at place: Coordinate, weight: Double, _ now: BootInstant) {
        self.place = place
        self.weight = weight
        start = now
        fixes = 1
    }

    private mutating func join(_ location: Location) {
        guard let place else { return }
        let more = StationaryDetector.weight(of: location)
        // Older fixes fade, or slow drift over hours would look like movement in the end.
        weight = min(weight, more * StationaryDetector.memory) + more
        self.place = place.moved(towards: location.coordinate, by: more / weight)
        fixes = min(fixes + 1, StationaryDetector.fewestFixes)
    }

    /// Two fixes alone do not show where the device was between them.
    private static let fewestFixes: Int32 = 3
    /// The number of fixes that count for the place.
    private static let memory = 600.0
    /// Turns a radius of 68 % into one of 95 %, when both axes are as good.
    private static let toNinetyFivePercent = 1.62
    /// Metres per second.
    private static let slowestWalk = 0.5
    /// Metres per second.
    private static let fastestVehicle = 70.0
    /// Metres per second squared.
    private static let strongestVehicle = 4.0
    /// Reflections are shorter.
    private static let doubtTime = TimeSpan.seconds(30)

    private static func weight(of location: Location) -> Double {
        let accuracy = max(location.horizontalAccuracy, 1)
        return 1 / (accuracy * accuracy)
    }
}
