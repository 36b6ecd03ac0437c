// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Whether the device has moved, or only its fixes have, so that a device that lies at a border does not cross it.
///
/// While it is stationary there is an anchor, the mean of the last minutes. Only an estimate farther from it than noise can make (`leash`) is
/// motion; from then on the estimate itself counts, until it has stayed within one leash for longer than a slow walk could.
struct StillnessDetector: Sendable {
    /// The mean place of the stationary device; nil: it moves.
    private(set) var anchor: Coordinate?
    /// Standard deviation of the anchor along one axis, metres.
    private(set) var anchorDeviation = 0.0
    /// Farther than this noise does not carry the estimate, metres.
    private(set) var leash = 0.0

    /// Independent fixes that the anchor is the mean of: one per `correlationTime` at most.
    private var weight = 1.0
    /// While moving: the estimate has been within a leash of here since then, and its mean in that time.
    private var stop: (place: Coordinate, since: Double, mean: Coordinate, count: Double)

    /// Standard deviations of a leash.
    private static let leashDeviations = 5.25
    private static let minimumLeash = 10.0
    /// Seconds after which the error of a receiver is another one, to be on the safe side.
    private static let correlationTime = 60.0
    /// The anchor forgets, so that a displacement shorter than the leash is seen at last: after 20 min.
    private static let maximumWeight = 20.0
    private static let shortestStop = 30.0
    /// Metres per second: a device that crosses a leash more slowly is stationary.
    private static let slowest = 0.9

    init(at place: Coordinate, time: Double, _ filter: MotionFilter) {
        anchor = place
        stop = (place, time, place, 1)
        measure(filter)
    }

    /// Takes the estimate at `time`, seconds, `elapsed` seconds after the one before.
    mutating func update(_ filter: MotionFilter, time: Double, elapsed: Double) {
        let place = filter.place
        if let former = anchor {
            let fresh = min(elapsed / StillnessDetector.correlationTime, 1)
            measure(filter)
            if former.distance(to: place) > leash {
                anchor = nil
                stop = (place, time, place, 1)
            } else {
                weight = min(weight + fresh, StillnessDetector.maximumWeight)
                anchor = former.interpolated(to: place, fresh / weight)
            }
        } else {
            measure(filter)
            if stop.place.distance(to: place) > leash {
                stop = (place, time, place, 1)
            } else {
                stop.count += 1
                stop.mean = stop.mean.interpolated(to: place, 1 / stop.count)
                if time - stop.since >= max(StillnessDetector.shortestStop, leash / StillnessDetector.slowest) {
                    anchor = stop.mean
                    weight = min(
                        1 + (time - stop.since) / StillnessDetector.correlationTime, StillnessDetector.maximumWeight)
                }
            }
        }
        anchorDeviation = filter.fixDeviation / weight.squareRoot()
    }

    private mutating func measure(_ filter: MotionFilter) {
        leash = max(StillnessDetector.minimumLeash, StillnessDetector.leashDeviations * filter.deviation)
        anchorDeviation = filter.fixDeviation / weight.squareRoot()
    }
}
