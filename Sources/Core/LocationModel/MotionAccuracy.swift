// SPDX-License-Identifier: Apache-2.0
import func Glibc.atan2

/// How well speed and course are known where the receiver does not say.
///
/// A receiver measures its speed by the Doppler shift of the satellites' signals, not by the way between two fixes: the error does
/// not depend on the rate of fixes, but the same geometry that enlarges the error of the place enlarges it. 0.3 m/s where the place
/// is known to 5 m is a cautious figure for one frequency; corrections make the place better and not the speed, and a place that
/// is hardly known, because its height was assumed for instance, does not make the speed worse without end. An error across
/// the way turns the course by the angle whose tangent is that error over the speed.
extension Location {
    private static let speedErrorPerMetre = 0.06
    private static let speedErrors = 0.3...3.0
    // A course that may as well be another one tells nothing.
    private static let largestCourseError = 60.0

    /// Estimates what is missing of `speedAccuracy` and `courseAccuracy`. Without a speed neither is known.
    public mutating func estimateMotionAccuracy() {
        guard let speed else { return }
        if speedAccuracy == nil {
            let error = Location.speedErrorPerMetre * horizontalAccuracy
            speedAccuracy = min(max(error, Location.speedErrors.lowerBound), Location.speedErrors.upperBound)
        }
        guard course != nil, courseAccuracy == nil, let speedAccuracy else { return }
        courseAccuracy = atan2(speedAccuracy, speed) * 180 / .pi
    }

    /// Takes a course away that is hardly known.
    public mutating func dropUselessCourse() {
        guard let courseAccuracy, courseAccuracy > Location.largestCourseError else { return }
        course = nil
        self.courseAccuracy = nil
    }
}
