// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Where the device is by all fixes of late: a Kalman filter with constant velocity (R. E. Kalman, 1960), north and east alike.
///
/// It takes the errors of fixes for independent. Those of receivers seldom are, so it also learns how independent they look, and
/// `deviation` believes it no further than that.
struct MotionFilter: Sendable {
    /// The estimate.
    private(set) var place: Coordinate
    /// Standard deviation of one fix along one axis, metres: the newest or the average, whichever is worse.
    private(set) var fixDeviation: Double

    private var north = 0.0
    private var east = 0.0
    /// Covariance of place and velocity, the same for both axes.
    private var placeVariance: Double
    private var covariance = 0.0
    private var velocityVariance = MotionFilter.firstVelocityVariance
    private var averageDeviation: Double
    /// 1: fixes scatter round the estimate as much as they should. Near 0: each repeats the error of the one before.
    private var independence = 0.0
    /// Seconds that this is known from.
    private var learned = 0.0

    /// A circle that holds 68 % of a round normal distribution has this many standard deviations.
    private static let deviationsOfAccuracy = 1.51
    /// How hard a device may accelerate, as a density, (m/s²)² per Hz.
    private static let acceleration = 1.0
    private static let firstVelocityVariance = 100.0
    /// Seconds without a fix after which nothing of the motion is known.
    private static let memory = 30.0
    /// Squared deviations that no noise makes.
    private static let surprise = 30.0
    /// Errors that last some seconds look like motion, and the estimate runs ahead of them: variance beyond that of a fix.
    private static let overshoot = 1.3
    private static let learningTime = 60.0
    private static let caution = 5.0
    private static let averagingTime = 30.0

    init(_ location: Location) {
        place = location.coordinate
        fixDeviation = location.deviation
        averageDeviation = fixDeviation
        placeVariance = fixDeviation * fixDeviation
    }

    /// Standard deviation of the estimate along one axis, metres.
    var deviation: Double {
        let trust = min(max(independence, 0), 1)
        let lasting = fixDeviation * fixDeviation * MotionFilter.overshoot
        return (trust * min(placeVariance, lasting) + (1 - trust) * lasting).squareRoot()
    }

    /// Takes a fix `elapsed` seconds after the one before, >= 0.
    mutating func update(_ location: Location, elapsed: Double) {
        let deviation = location.deviation
        averageDeviation += (deviation - averageDeviation) * elapsed / (elapsed + MotionFilter.averagingTime)
        fixDeviation = max(deviation, averageDeviation)
        // The frame is of no use near a pole.
        guard elapsed <= MotionFilter.memory, abs(location.coordinate.latitude) < 89, abs(place.latitude) < 89 else {
            return restart(location)
        }
        predict(elapsed)
        let frame = LocalFrame(latitude: place.latitude)
        let innovation = frame.offset(from: place, to: location.coordinate)
        let expected = placeVariance + deviation * deviation
        let surprise = innovation.squaredLength / expected
        guard surprise <= MotionFilter.surprise else { return restart(location) }
        learned = min(learned + elapsed, MotionFilter.learningTime)
        let weight = elapsed / (elapsed + learned + MotionFilter.caution)
        independence += (min(surprise / 2, 2) - independence) * weight
        correct(innovation, gain: placeVariance / expected, velocityGain: covariance / expected, frame)
    }

    private mutating func restart(_ location: Location) {
        place = location.coordinate
        (north, east) = (0, 0)
        placeVariance = location.deviation * location.deviation
        covariance = 0
        velocityVariance = MotionFilter.firstVelocityVariance
    }

    private mutating func predict(_ elapsed: Double) {
        let frame = LocalFrame(latitude: place.latitude)
        place = frame.place(LocalOffset(north: north * elapsed, east: east * elapsed), from: place)
        let noise = MotionFilter.acceleration
        placeVariance += elapsed * (2 * covariance + elapsed * (velocityVariance + noise * elapsed / 3))
        covariance += elapsed * (velocityVariance + noise * elapsed / 2)
        velocityVariance += noise * elapsed
    }

    private mutating func correct(
        _ innovation: LocalOffset, gain: Double, velocityGain: Double, _ frame: LocalFrame
    ) {
        place = frame.place(
            LocalOffset(north: innovation.north * gain, east: innovation.east * gain), from: place)
        north += innovation.north * velocityGain
        east += innovation.east * velocityGain
        velocityVariance -= velocityGain * covariance
        covariance *= 1 - gain
        placeVariance *= 1 - gain
    }
}

extension MotionFilter {
    /// The standard deviation along one axis that belongs to a 68 % radius, metres.
    static func deviation(ofAccuracy accuracy: Double) -> Double { accuracy / deviationsOfAccuracy }
}

extension Location {
    fileprivate var deviation: Double { MotionFilter.deviation(ofAccuracy: horizontalAccuracy) }
}
