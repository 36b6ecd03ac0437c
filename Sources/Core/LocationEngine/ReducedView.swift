// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The coarse view of the device's place: one for the whole daemon, computed at most every 15 minutes (Protocol 6.6).
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

/// The reduced view that was computed last. A restarted daemon goes on with it, so that its 15 minutes have only one (Protocol 6.6).
package struct KeptView: Sendable, Codable {
    var computedAt: Int64
    var latitude: Double
    var longitude: Double
    /// The fix that it was computed from; nil: the newest in the log that gave a view.
    var sequence: UInt64?

    /// The same view as if it were computed at another instant.
    package func computed(at instant: BootInstant) -> KeptView {
        var view = self
        view.computedAt = instant.nanoseconds
        return view
    }

    /// The view if no fix may replace it yet; what a file says of it may be anything.
    package func inForce(at now: BootInstant) -> KeptView? {
        let instant = BootInstant(nanoseconds: computedAt)
        guard computedAt >= 0, instant <= now, ReducedViewClock(computedAt: instant).isInForce(at: now),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return nil }
        return self
    }
}

/// The reduced view in force: the coarse place that all managers with reduced accuracy are told (Protocol 6.6, rule A7).
struct ReducedView: Sendable {
    private var clock = ReducedViewClock()
    /// The fix from which the view in force was computed; 0: none yet.
    private(set) var sequence: UInt64
    /// The place that it tells; nil: a former process computed it, or none did yet.
    private(set) var place: Coordinate?

    init(sequence: UInt64) { self.sequence = sequence }

    /// Computes the view from an accepted fix if its time is up. Returns whether it did.
    mutating func note(_ location: Location, at now: BootInstant) -> Bool {
        guard clock.isDue(at: now) else { return false }
        sequence = location.sequence
        place = location.reducedView.coordinate
        return true
    }

    func isInForce(at now: BootInstant) -> Bool { clock.isInForce(at: now) }

    /// For another process; nil: no view was computed.
    var kept: KeptView? { clock.kept(place: place, sequence) }

    /// Goes on from the view of a former process. A view of another boot, or of a fix that no process accepted, is none.
    mutating func restore(_ view: KeptView?, newestSequence: UInt64, at now: BootInstant) {
        guard let view, view.computedAt <= now.nanoseconds else { return }
        let sequence = view.sequence ?? sequence
        guard sequence != 0, sequence <= newestSequence else { return }
        self.sequence = sequence
        clock = ReducedViewClock(computedAt: BootInstant(nanoseconds: view.computedAt))
        place = Coordinate(latitude: view.latitude, longitude: view.longitude)
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
        // A place that is known worse than that is not told as if it were known better.
        let accuracy = max(min((radius / 1000).rounded(.up) * 1000, 20_000), horizontalAccuracy)
        return Location(
            coordinate: middle, horizontalAccuracy: accuracy,
            timestamp: WallTime(milliseconds: timestamp.milliseconds / 60_000 * 60_000), sequence: sequence,
            isSimulatedBySoftware: isSimulatedBySoftware, kind: kind)
    }
}

extension KeptView {
    /// Whether there can be such a view.
    package var isUsable: Bool { Coordinate(latitude: latitude, longitude: longitude).isValid }
}
