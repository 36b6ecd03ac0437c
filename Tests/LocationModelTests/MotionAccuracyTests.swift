// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@Suite("The accuracy of speed and course where a receiver does not say it")
struct MotionAccuracyTests {
    private func location(
        radius: Double, speed: Double?, course: Double? = nil, speedAccuracy: Double? = nil,
        courseAccuracy: Double? = nil
    ) -> Location {
        var location = Location(
            coordinate: Coordinate(latitude: 50, longitude: 8), horizontalAccuracy: radius,
            timestamp: WallTime(milliseconds: 0), speed: speed, speedAccuracy: speedAccuracy, course: course,
            courseAccuracy: courseAccuracy)
        location.estimateMotionAccuracy()
        location.dropUselessCourse()
        return location
    }

    @Test(
        "grows with the error of the place, between 0.3 and 3 m/s",
        arguments: [(0.1, 0.3), (5, 0.3), (20, 1.2), (50, 3), (150, 3)])
    func speed(radius: Double, error: Double) {
        #expect(abs((location(radius: radius, speed: 10).speedAccuracy ?? -1) - error) < 1e-9)
    }

    @Test(
        "of the course is the angle that the error of the speed makes across the way",
        arguments: [(30.0, 0.57), (3, 5.71), (0.5, 30.96)])
    func course(speed: Double, error: Double) {
        let known = location(radius: 5, speed: speed, course: 90)
        #expect(known.course == 90)
        #expect(abs((known.courseAccuracy ?? -1) - error) < 0.01)
    }

    @Test("takes a course away that may as well be another one")
    func uselessCourse() {
        let lost = location(radius: 50, speed: 1.4, course: 90)
        #expect((lost.course, lost.courseAccuracy, lost.speedAccuracy) == (nil, nil, 3))
        let said = location(radius: 5, speed: 10, course: 90, courseAccuracy: 61)
        #expect((said.course, said.courseAccuracy) == (nil, nil))
    }

    @Test("stays as the receiver says, and unknown where speed or course are")
    func gaps() {
        let said = location(radius: 5, speed: 10, course: 90, speedAccuracy: 0.05, courseAccuracy: 4)
        #expect((said.speedAccuracy, said.courseAccuracy) == (0.05, 4))
        #expect(location(radius: 5, speed: nil, course: 90).speedAccuracy == nil)
        #expect(location(radius: 5, speed: nil, course: 90).courseAccuracy == nil)
        #expect(location(radius: 5, speed: 4).courseAccuracy == nil)
    }
}
