// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import LocationGeoClue

@Suite("Accuracy levels")
struct AccuracyLevelTests {
    @Test(
        "a number of a client's own choice is the finest level that is not finer",
        arguments: [
            (0, .none), (1, .country), (2, .country), (4, .city), (5, .neighborhood), (6, .street),
            (7, .street), (8, .exact), (9, .exact), (.max, .exact),
        ] as [(UInt32, AccuracyLevel)])
    func number(number: UInt32, level: AccuracyLevel) {
        #expect(AccuracyLevel(number: number) == level)
    }

    @Test(
        "who may know everything is served as precisely as it wants, from the reduced view up to the best",
        arguments: [
            (AccuracyLevel.none, DesiredAccuracy.reduced), (.country, .reduced), (.city, .reduced),
            (.neighborhood, .kilometer), (.street, .hundredMeters), (.exact, .best),
        ])
    func wish(level: AccuracyLevel, accuracy: DesiredAccuracy) {
        #expect(level.desiredAccuracy(allowed: .exact) == accuracy)
    }

    @Test(
        "who may know less than the exact place gets the reduced view, whatever it wants",
        arguments: AccuracyLevel.allCases)
    func allowed(level: AccuracyLevel) {
        for allowed in AccuracyLevel.allCases where allowed != .exact && allowed != .none {
            #expect(level.desiredAccuracy(allowed: allowed) == .reduced)
        }
        #expect(level.desiredAccuracy(allowed: .none) == nil)
    }

    @Test("an agent is asked about what will be told: full places are exact ones", arguments: AccuracyLevel.allCases)
    func asked(level: AccuracyLevel) {
        let isFull = level.desiredAccuracy(allowed: .exact) != .reduced
        #expect((level.asked == .exact) == isFull)
        #expect(level.asked >= level)
        #expect(level.asked > .none)
    }

    @Test(
        "what is available follows the daemon's consent for the bridge",
        arguments: [
            (AuthorizationStatus.authorizedAlways, AccuracyAuthorization?.some(.full), AccuracyLevel.exact),
            (.authorizedWhenInUse, .full, .exact), (.authorizedWhenInUse, .reduced, .city),
            (.notDetermined, nil, .exact),
            (.denied, nil, .none), (.restricted, .full, .none),
        ])
    func available(status: AuthorizationStatus, accuracy: AccuracyAuthorization?, level: AccuracyLevel) {
        #expect(AccuracyLevel.available(status, accuracy, servicesEnabled: true, hasSource: true) == level)
        #expect(AccuracyLevel.available(status, accuracy, servicesEnabled: false, hasSource: true) == .none)
        #expect(AccuracyLevel.available(status, accuracy, servicesEnabled: true, hasSource: false) == .none)
    }
}
