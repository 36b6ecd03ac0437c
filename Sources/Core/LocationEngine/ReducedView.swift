// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The coarse view of the device's place: one for the whole daemon, computed at most every 15 minutes (protocol.md, reduced accuracy).
struct ReducedViewClock: Sendable {
    static let period = TimeSpan.seconds(15 * 60)
    private var computedAt: BootInstant?

    /// Goes on from a view that a former process of this boot computed; nil: none is known.
    init(computedAt: BootInstant? = nil) { self.computedAt = computedAt }

    /// The view that was computed last, for another process; nil: none was.
    func kept(place: Coordinate?, _ sequence: UInt64) -> KeptView? {
        guard let computedAt, let place else { return nil }
        return KeptView(
            computedAt: computedAt.nanoseconds, latitude: place.latitude, longitude: place.longitude,
            sequence: sequence)
    }

    /// Whether a view was computed that the next fix does not replace.
    func isInForce(at now: BootInstant) -> Bool {
        computedAt.map { now - $0 < ReducedViewClock.period } ?? false
    }

    /// Whether the view is computed from the fix accepted now.
    mutating func isDue(at now: BootInstant) -> Bool {
        if isInForce(at: now) { return false }
        computedAt = now
        return true
    }
}

extension Location {
    /// Degrees between the parallels of the fixed grid: about 5.5 km.
    private static let bandHeight = 0.05

    /// The circle round the middle of this place's cell in a grid that is fixed on the Earth, so that averaging many views
    /// tells no more than one; it holds the whole cell. Place, accuracy, minute and sequence, nothing else.
    package var reducedView: Location {
        let band = min((coordinate.latitude / Location.bandHeight).rounded(.down), 90 / Location.bandHeight - 1)
        let middleLatitude = (band + 0.5) * Location.bandHeight
        let circumference = LocalFrame(latitude: middleLatitude).metresPerDegreeOfLongitude * 360
        let columns = max((circumference / 5_500).rounded(.down), 1)
        let width = 360 / columns
        let column = min(((coordinate.longitude + 180) / width).rounded(.down), columns - 1)
        let middle = Coordinate(latitude: middleLatitude, longitude: (column + 0.5) * width - 180)
        // The corner that is farther from the middle is the one nearer the equator, where a degree is longer.
        let corner = Coordinate(
            latitude: (abs(band) < abs(band + 1) ? band : band + 1) * Location.bandHeight,
            longitude: middle.longitude + width / 2)
        let radius = middle.distance(to: corner) + 2 * horizontalAccuracy
        return Location(
            coordinate: middle, horizontalAccuracy: min((radius / 1000).rounded(.up) * 1000, 20_000),
            timestamp: WallTime(milliseconds: timestamp.milliseconds / 60_000 * 60_000), sequence: sequence,
            isSimulatedBySoftware: isSimulatedBySoftware)
    }
}

extension Engine {
    /// Whether everything that the manager gets is the reduced view: by consent, or by its own wish.
    func hasReducedView(_ manager: ManagerID) -> Bool {
        managers[manager.index].properties.desiredAccuracy == .reduced
            || authorization(of: manager).accuracy == .reduced
    }

    /// What the manager wishes, as far as its app may.
    func accuracyInForce(_ manager: ManagerID) -> DesiredAccuracy {
        hasReducedView(manager) ? .reduced : managers[manager.index].properties.desiredAccuracy
    }
}
