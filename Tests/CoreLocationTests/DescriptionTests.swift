// SPDX-License-Identifier: Apache-2.0
import Foundation
import LocationModel
import LocationProtocol
import Testing

@testable import CoreLocation

@Suite("What a developer prints")
struct DescriptionTests {
    private let date = Date(timeIntervalSince1970: 1_750_000_000)
    private let place = CLLocationCoordinate2D(latitude: 52.5163, longitude: 13.3777)
    private var location: CLLocation {
        CLLocation(
            coordinate: place, altitude: 0, horizontalAccuracy: 5, verticalAccuracy: -1, course: 90, speed: 1,
            timestamp: date)
    }

    @Test("of live updates is the place, rest and the flags that are set")
    func updates() {
        let there = CLLocationUpdate(location: location, stationary: true, flags: [])
        let line =
            "<+52.51630000,+13.37770000> +/- 5.00m (speed 1.00 mps / course 90.00) @ 2025-06-15T15:06:40.000Z"
        #expect("\(location)" == line)
        #expect("\(there)" == "CLLocationUpdate (\(line), stationary)")
        let lost = CLLocationUpdate(location: nil, stationary: false, flags: [.accuracyLimited, .locationUnavailable])
        #expect("\(lost)" == "CLLocationUpdate (no location, accuracyLimited, locationUnavailable)")
    }

    @Test("of monitors is the condition, how it stands and since when")
    func monitors() {
        let circle = CLMonitor.CircularGeographicCondition(center: place, radius: 100)
        let event = CLMonitor.Event(
            identifier: "home", state: .unmonitored, date: date, flags: .conditionLimitExceeded)
        let line =
            "CLMonitor.Event (identifier:'home', unmonitored, conditionLimitExceeded @ 2025-06-15T15:06:40.000Z)"
        #expect("\(event)" == line)
        let record = CLMonitor.Record(condition: circle, lastEvent: event)
        #expect(
            "\(record)" == "CLMonitor.Record (CircularGeographicCondition (center:<+52.51630000,+13.37770000>,"
                + " radius:100.00m), last: \(line))")
    }

    @Test("of a monitor is its name, how many conditions it has, and whether it watches them")
    func monitor() async {
        let daemon = ScriptedDaemon()
        daemon.keep(["home"], in: "places")
        let monitor = await CLMonitor("places", of: SharedSession(over: daemon))
        #expect("\(monitor)" == "CLMonitor (name:'places', conditions:1)")
        await monitor.add(CLMonitor.CircularGeographicCondition(center: place, radius: 100), identifier: "work")
        #expect("\(monitor)" == "CLMonitor (name:'places', conditions:2)")
        daemon.refuse(.openMonitor, RPCError(.unavailable, "cannot open the monitor: it is open"))
        let other = await CLMonitor("other", of: SharedSession(over: daemon))
        #expect("\(other)" == "CLMonitor (name:'other', conditions:0, not open)")
    }

    @Test("of visits and headings has times that can be sorted, and says what is not known")
    func visits() {
        let visit = CLVisit(
            VisitFields(coordinate: place, horizontalAccuracy: 20, arrival: date, departure: .distantFuture))
        #expect("\(visit)" == "<+52.51630000,+13.37770000> +/- 20.00m (2025-06-15T15:06:40.000Z to now)")
        let heading = CLHeading(HeadingFields(magnetic: 10, true: 12, accuracy: -1, timestamp: date))
        #expect("\(heading)".hasSuffix("@ 2025-06-15T15:06:40.000Z"))
    }

    @Test("of diagnostics is what is missing")
    func diagnostics() {
        let missing = CLServiceSession.Diagnostic([.authorizationDenied, .fullAccuracyDenied])
        #expect("\(missing)" == "CLServiceSession.Diagnostic (authorizationDenied, fullAccuracyDenied)")
        let none = CLBackgroundActivitySession.Diagnostic([])
        #expect("\(none)" == "CLBackgroundActivitySession.Diagnostic (nothing is missing)")
    }

    @Test("of a session is what it asks for, and whether it has ended")
    func sessions() {
        let shared = SharedSession(over: ScriptedDaemon())
        let session = CLServiceSession(.always, purposeKey: "tour", of: shared)
        #expect("\(session)" == "CLServiceSession (authorization:always, full accuracy for 'tour')")
        session.invalidate()
        #expect("\(session)".hasSuffix("invalidated)"))
    }
}
