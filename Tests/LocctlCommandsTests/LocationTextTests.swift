// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocctlCommands
import Testing

@Suite("Locations in text")
struct LocationTextTests {
    @Test("the columns of lines stand under each other, whatever is known")
    func lines() throws {
        var coarse = Sample.location()
        coarse.horizontalAccuracy = 1500
        coarse.altitude = nil
        coarse.course = 359.7
        coarse.speed = 0
        var extreme = Sample.location()
        extreme.coordinate = Coordinate(latitude: -89.123456, longitude: -179.123456)
        extreme.horizontalAccuracy = 999.4
        extreme.altitude = -11_000
        extreme.speed = 99.94
        extreme.course = 225
        var bare = Sample.location()
        (bare.altitude, bare.speed, bare.course) = (nil, nil, nil)
        bare.horizontalAccuracy = 65
        let lines = [Sample.location(), coarse, extreme, bare].map { LocationText.line($0, .utc) }
        try Golden.expect(lines.joined(separator: "\n") + "\n", "locations")
    }

    @Test("numbers that mean nothing are shown and stop nothing")
    func absurdNumbers() {
        for value in [1e300, -1e300, .infinity, .nan] {
            var location = Sample.location()
            location.horizontalAccuracy = value
            (location.altitude, location.speed, location.course) = (value, value, value)
            location.coordinate = Coordinate(latitude: value, longitude: value)
            #expect(LocationText.line(location, .utc).hasPrefix("10:42:16"))
            #expect(LocationText.block(location, now: lookedAt, .utc).contains("0.4 s ago"))
        }
    }

    @Test("a block says all that is known")
    func block() throws {
        var simulated = Sample.location(secondsAgo: -3600)
        simulated.isSimulatedBySoftware = true
        (simulated.altitude, simulated.speed, simulated.course) = (nil, nil, nil)
        simulated.horizontalAccuracy = 0.02
        var rough = Sample.location()
        (rough.kind, rough.horizontalAccuracy) = (.network, 25_000)
        try Golden.expect(
            LocationText.block(Sample.location(), now: lookedAt, .utc) + "\n"
                + LocationText.block(simulated, now: lookedAt, .utc) + "\n"
                + LocationText.block(rough, now: lookedAt, .utc), "location-blocks")
    }

    static let notifications: [Notification] = [
        .didUpdateLocations(LocationUpdate(locations: [Sample.location()], source: .standard)),
        .didUpdateLocations(
            LocationUpdate(locations: [Sample.location(48_000, secondsAgo: 130)], source: .standard, isCached: true)),
        .didUpdateLocations(
            LocationUpdate(
                locations: [Sample.location(1, secondsAgo: 72), Sample.location(2, secondsAgo: 71)], source: .standard,
                deferral: 3, isEarly: true, hasMore: true)),
        .didUpdateLocations(
            LocationUpdate(
                locations: [Sample.location(7, secondsAgo: 3), Sample.location(8, secondsAgo: 2)], source: .standard,
                dropped: 12, hasGap: true)),
        .didFinishDeferredUpdates(deferral: 3, error: nil),
        .didFinishDeferredUpdates(deferral: 4, error: LocationError(.deferredFailed)),
        .didFinishDeferredUpdates(deferral: 5, error: LocationError(.deferredCanceled)),
        .didFailWithError(LocationError(.locationUnknown), source: .standard, request: nil),
        .didFailWithError(
            LocationError(LocationErrorCode(rawValue: 99), message: "odd\u{1B}"), source: nil, request: 1),
        .didCancelRequest(2, by: .startUpdatingLocation),
        .didChangeAuthorization(
            AuthorizationChange(authorizationStatus: .authorizedAlways, accuracyAuthorization: .full, isInitial: true)),
        .didChangeAuthorization(
            AuthorizationChange(
                authorizationStatus: .authorizedWhenInUse, accuracyAuthorization: .reduced, isInitial: true)),
        .didChangeAuthorization(
            AuthorizationChange(authorizationStatus: .denied, accuracyAuthorization: nil)),
        .unknown(method: "didVisit"),
    ]

    @Test("what the daemon tells is told on to people as it was agreed")
    func tellings() throws {
        let lines = Self.notifications.flatMap { NotificationText.lines($0, now: lookedAt, .utc) }
        // Sentences with the daemon's own words may be as long as those are.
        let text = lines.map { $0.count > 80 ? String($0.prefix(77)) + "..." : $0 }.joined(separator: "\n") + "\n"
        try Golden.expect(text, "notifications")
    }

    @Test("an error is told with Core Location's domain, number and name")
    func errorNames() {
        let text = NotificationText.sentence(LocationError(.deferredAccuracyTooLow))
        #expect(text.hasSuffix("(kCLErrorDomain 13 deferredAccuracyTooLow)"))
    }

    @Test("no more locations are shown than are wanted")
    func limit() {
        let update = LocationUpdate(locations: (1...5).map { Sample.location($0) }, source: .standard)
        let lines = NotificationText.lines(.didUpdateLocations(update), now: lookedAt, .utc, limit: 2)
        #expect(lines.count == 3)
    }

    @Test(
        "the passing line says what is waited for, within the width of the terminal",
        arguments: [
            (Sample.withoutFix(), "waiting: no fix yet, 2 of 9 satellites used, 12 s"),
            (Sample.withoutGPSD(), "waiting: cannot connect to 127.0.0.1:2947: Connection refused, 12 s"),
            (Sample.withoutReceiver(), "waiting: gpsd has no receiver, 12 s"),
            (Sample.working(), "waiting: the receiver has a fix, 9 of 14 satellites used, 12 s"),
        ])
    func progress(_ status: Status, _ line: String) {
        #expect(ProgressText.line(status, waited: 12.9, now: lookedAt, .utc) == line)
        #expect(ProgressText.line(status, waited: 12.9, now: lookedAt, .utc, width: 30).count < 30)
    }
}
