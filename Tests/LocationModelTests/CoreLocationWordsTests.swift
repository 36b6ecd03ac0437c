// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@Suite("Core Location's words and numbers")
struct CoreLocationWordsTests {
    @Test(
        "a named accuracy has Core Location's number and comes back from it",
        arguments: zip(
            DesiredAccuracy.named, [-2.0, -1, 10, 100, 1000, 3000, 6_380_000]))
    func namedAccuracies(accuracy: DesiredAccuracy, number: Double) {
        #expect(accuracy.number == number)
        #expect(DesiredAccuracy(number: number) == accuracy)
        #expect(accuracy.word != nil)
    }

    @Test("any other positive number of metres is an accuracy without a word")
    func metres() {
        #expect(DesiredAccuracy(number: 42.5) == .meters(42.5))
        #expect(DesiredAccuracy.meters(42.5).number == 42.5)
        #expect(DesiredAccuracy.meters(42.5).word == nil)
        #expect(Set(DesiredAccuracy.named.compactMap(\.word)).count == 7)
    }

    @Test("what is no accuracy is refused", arguments: [0, -0.5, -3, .nan, -.infinity])
    func refused(number: Double) {
        #expect(DesiredAccuracy(number: number) == nil)
    }

    @Test(
        "an error code has Core Location's name",
        arguments: [
            (0, "locationUnknown"), (1, "denied"), (4, "regionMonitoringDenied"), (5, "regionMonitoringFailure"),
            (11, "deferredFailed"), (12, "deferredNotUpdatingLocation"), (13, "deferredAccuracyTooLow"),
            (14, "deferredDistanceFiltered"), (15, "deferredCanceled"), (18, "promptDeclined"),
            (19, "historicalLocationError"), (20, "unknown"), (-1, "unknown"), (.max, "unknown"),
        ])
    func errorNames(code: Int, name: String) {
        #expect(LocationErrorCode(rawValue: code).name == name)
    }

    @Test("the raw values are Core Location's")
    func rawValues() {
        #expect(AuthorizationStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(AuthorizationStatus.authorizedAlways.rawValue == 3)
        #expect(AccuracyAuthorization.reduced.rawValue == 1)
        #expect(ActivityType.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
    }

    @Test("a manager starts with Core Location's defaults")
    func defaults() {
        let properties = ManagerProperties()
        #expect(properties.distanceFilter == -1 && properties.headingFilter == 1)
        #expect(properties.desiredAccuracy == .best && properties.activityType == .other)
        #expect(properties.pausesLocationUpdatesAutomatically && !properties.allowsBackgroundLocationUpdates)
    }
}
