// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// What a fix changed.
package enum RestChange: Sendable, Equatable {
    /// The device has been at rest since then.
    case cameToRest(since: BootInstant)
    /// It moves.
    case moved
}

/// Whether the device is at rest, for one consumer: automatic pause (CL 6.6) or live updates (CL 10.1).
///
/// A fix counts as movement when it lies farther from the place of rest than the radius and its own accuracy together, so that
/// noise and drift within the accuracy are none. Movement takes two such fixes in a row, or one twice as far away.
package struct RestDetector: Sendable {
    /// The mean of the fixes since `start`, by their accuracy; nil: no fix yet.
    private var place: Coordinate?
    private var weight = 0.0
    private var start = BootInstant(nanoseconds: 0)
    private var fixes: Int32 = 0
    /// The first fix that lies outside, until the next one tells whether it was an outlier.
    private var suspect: (coordinate: Coordinate, weight: Double, at: BootInstant)?
    /// Whether the device is at rest.
    package private(set) var isAtRest = false

    /// Nothing is known yet.
    package init() {}

    /// Since when the device is at rest; nil: it is not.
    package var since: BootInstant? { isAtRest ? start : nil }

    /// Takes the next accepted fix, which came at `now`. Allocates nothing.
    package mutating func process(
        _ location: Location, at now: BootInstant, _ settings: RestSettings
    ) -> RestChange? {
        let reach = settings.radius + location.horizontalAccuracy
        guard let place else {
            begin(at: location.coordinate, weight: RestDetector.weight(of: location), now)
            return nil
        }
        let distance = place.distance(to: location.coordinate)
        if distance <= reach {
            suspect = nil
            join(location)
            guard !isAtRest, now - start >= settings.time, fixes >= RestDetector.fewestFixes else { return nil }
            isAtRest = true
            return .cameToRest(since: start)
        }
        guard suspect != nil || distance > 2 * reach else {
            suspect = (location.coordinate, RestDetector.weight(of: location), now)
            return nil
        }
        return move(to: location, at: now, settings)
    }

    /// How long the receiver may sleep as far as this consumer is concerned: not at all unless it rests and nothing speaks
    /// against it.
    package func longestSleep(_ settings: RestSettings) -> TimeSpan {
        isAtRest && suspect == nil ? settings.checkInterval : .zero
    }

    private mutating func move(to location: Location, at now: BootInstant, _ settings: RestSettings) -> RestChange? {
        let first = suspect
        suspect = nil
        begin(at: location.coordinate, weight: RestDetector.weight(of: location), now)
        // The next rest began with the first of both if they lie together.
        if let first, first.coordinate.distance(to: location.coordinate) <= settings.radius {
            begin(at: first.coordinate, weight: first.weight, first.at)
            join(location)
        }
        guard isAtRest else { return nil }
        isAtRest = false
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
        let more = RestDetector.weight(of: location)
        // Older fixes fade, or slow drift over hours would look like movement in the end.
        weight = min(weight, more * RestDetector.memory) + more
        self.place = place.moved(towards: location.coordinate, by: more / weight)
        fixes = min(fixes + 1, RestDetector.fewestFixes)
    }

    /// A rest between two fixes alone would be a guess.
    private static let fewestFixes: Int32 = 3
    /// The number of fixes that count for the place.
    private static let memory = 600.0

    private static func weight(of location: Location) -> Double {
        let accuracy = max(location.horizontalAccuracy, 1)
        return 1 / (accuracy * accuracy)
    }
}
