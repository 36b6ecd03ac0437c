// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocctlCommands
import Testing

@Suite("Apps, regions, visits and questions in text")
struct EventTextTests {
    private static func date(_ secondsAgo: Int64) -> WallTime {
        WallTime(milliseconds: lookedAt.milliseconds - secondsAgo * 1000)
    }

    private static func visit(_ arrival: WallTime?, _ departure: WallTime?) -> Notification {
        let place = Coordinate(latitude: 52.5163, longitude: 13.3777)
        return .didVisit(
            Visit(coordinate: place, horizontalAccuracy: 35, arrival: arrival, departure: departure), event: 7)
    }

    private static func live(_ location: Location?, rests: Bool = false, _ flags: DiagnosticFlags = []) -> Notification
    {
        .didUpdate(LiveUpdate(updates: 1, location: location, isStationary: rests, flags: flags))
    }

    static let notifications: [Notification] = [
        .didEnterRegion(RegionCrossing(region: Sample.region(), location: Sample.location(), event: 1)),
        .didExitRegion(
            RegionCrossing(region: Sample.region("desk"), location: nil, date: Sample.location().timestamp, event: 2)),
        .didExitRegion(RegionCrossing(region: Sample.region("w\u{1B}k"), location: nil)),
        .didExitRegion(
            RegionCrossing(region: Sample.region(), location: Sample.location(secondsAgo: 86_400), event: 2)),
        .didDetermineState(Sample.region(), .inside),
        .didStartMonitoring(Sample.region()),
        .monitoringDidFail(Sample.region(), LocationError(.regionMonitoringFailure, message: "cannot watch more")),
        visit(date(50_000), date(40_000)), visit(date(600), nil), visit(nil, date(30)), visit(nil, nil),
        .monitorEvent(
            MonitorEvent(
                monitor: 1, identifier: "home", content: ConditionEvent(state: .satisfied, date: date(3)), event: 4)),
        .monitorEvent(
            MonitorEvent(
                monitor: 1, identifier: "home",
                content: ConditionEvent(state: .unsatisfied, date: date(3), refinement: Sample.region().shape))),
        .monitorEvent(
            MonitorEvent(
                monitor: nil, name: "places", identifier: "work",
                content: ConditionEvent(
                    state: .unmonitored, date: date(3), flags: [.authorizationDenied, .accuracyLimited]))),
        live(Sample.location()), live(Sample.location(), rests: true), live(Sample.location(), [.accuracyLimited]),
        live(nil, [.authorizationDenied]), live(nil),
        .didUpdateHeading(
            Heading(magneticHeading: 267.2, trueHeading: 271.4, headingAccuracy: 5, timestamp: date(0))),
        .didUpdateHeading(Heading(trueHeading: 0.2, timestamp: date(0))),
        .didPauseLocationUpdates(reason: "the device rests"), .didResumeLocationUpdates(reason: nil),
    ]

    @Test("what the daemon tells of an app is told on to people as it was agreed")
    func tellings() throws {
        let lines = Self.notifications.flatMap { NotificationText.lines($0, now: lookedAt, .utc) }
        try Golden.expect(lines.joined(separator: "\n") + "\n", "events")
    }

    @Test("the table of apps is as it was agreed")
    func apps() throws {
        try Golden.expect(AppTable.text(Sample.apps(), now: lookedAt), "apps")
        #expect(AppTable.text([], now: lookedAt) == "no app is known\n")
    }

    @Test("a question names first who asks as the daemon has found out, and then quotes the app")
    func questions() throws {
        var precise = Sample.request(4, .temporaryFullAccuracy)
        (precise.purposeKey, precise.label, precise.identity) = ("navigation", nil, "navit")
        var hostile = Sample.request(5, .whenInUse)
        hostile.usageDescription = "x” uid:0 asks for\u{1B}[2J the “weather”\u{202E}"
        let text = [Sample.request(), precise, hostile].map { RequestText.question($0, now: lookedAt) }.joined()
        try Golden.expect(text, "questions")
        #expect(!text.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E })
    }

    @Test("what became of a question is told", arguments: AuthorizationOutcome.allCases)
    func closed(_ outcome: AuthorizationOutcome) {
        let words: [AuthorizationOutcome: String] = [
            .always: "was answered: always", .whileUsing: "was answered: while-using", .once: "was answered: once",
            .deny: "was answered: deny", .withdrawn: "was withdrawn",
        ]
        #expect(RequestText.closed(3, outcome) == "request 3 \(words[outcome] ?? "")")
    }

    @Test("the list of regions is as it was agreed")
    func regions() throws {
        var field = Sample.region("field")
        field.shape = .polygon(
            try Polygon(
                vertices: [(52.51, 13.37), (52.52, 13.37), (52.52, 13.39)].map {
                    Coordinate(latitude: $0.0, longitude: $0.1)
                }))
        field.notifyOnExit = false
        field.hysteresis = RegionHysteresis(cushion: 30, dwell: .seconds(90))
        let desk = Region(
            identifier: "desk",
            shape: .beacon(BeaconIdentity(uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", major: 7)))
        try Golden.expect(RegionText.list([Sample.region(), field, desk]), "regions")
        var told = Sample.region()
        told.notice = RegionNotice(title: "You are home", text: "Keys?", on: .both, repeats: false)
        (told.notifyOnEntry, told.notifyOnExit) = (false, false)
        #expect(
            RegionText.list([told]).split(whereSeparator: \.isWhitespace).joined(separator: " ").hasSuffix(
                "tells the app nothing, notice \"You are home\" (Keys?) when it comes in or goes out, once"))
    }
}
