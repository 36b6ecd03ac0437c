// SPDX-License-Identifier: Apache-2.0

import LocationModel

// Notifications to a whole app (regions, visits, monitors), and to agents.
extension Notification {
    static let placeRows = [
        didEnterRegionForm.row, didExitRegionForm.row, didDetermineStateForm.row, didStartMonitoringForm.row,
        monitoringDidFailForm.row, didVisitForm.row,
    ]
    static let monitorRows = [monitorEventForm.row, serviceSessionDiagnosticForm.row]
    static let agentRows = [
        authorizationRequestedForm.row, authorizationRequestClosedForm.row, noticeRaisedForm.row,
    ]

    private static let event = toldIfAny("event", .count, "the event to acknowledge; absent: it is not stored")
    private static let region = told("region", .region, "the region")
    private static let crossing = toldIfAny("location", .location, "the fix that told it; absent: a beacon did")
    private static let date = toldIfAny("date", .time, "when; only where no fix told it")

    static let didEnterRegionForm = NotificationForm(
        "didEnterRegion", "The device came into a region.", region, crossing, date, event,
        coreLocation: "locationManager(_:didEnterRegion:)",
        make: { .didEnterRegion(RegionCrossing(region: $0, location: $1, date: $2, event: $3)) })

    static let didExitRegionForm = NotificationForm(
        "didExitRegion", "The device left a region.", region, crossing, date, event,
        coreLocation: "locationManager(_:didExitRegion:)",
        make: { .didExitRegion(RegionCrossing(region: $0, location: $1, date: $2, event: $3)) })

    static let didDetermineStateForm = NotificationForm(
        "didDetermineState", "Where the device is with respect to a region.", region,
        told("state", Shape<RegionState>.word, "where it is"),
        coreLocation: "locationManager(_:didDetermineState:for:)", make: { .didDetermineState($0, $1) })

    static let didStartMonitoringForm = NotificationForm(
        "didStartMonitoring", "A region is being watched.", region,
        coreLocation: "locationManager(_:didStartMonitoringFor:)", make: { .didStartMonitoring($0) })

    static let monitoringDidFailForm = NotificationForm(
        "monitoringDidFail", "A region cannot be watched.", region, told("error", .error, "why"),
        coreLocation: "locationManager(_:monitoringDidFailFor:withError:)", make: { .monitoringDidFail($0, $1) })

    static let didVisitForm = NotificationForm(
        "didVisit", "An arrival or a departure.", told("visit", .visit, "where and when"), event,
        coreLocation: "locationManager(_:didVisit:)", make: { .didVisit($0, event: $1) })

    static let monitorEventForm = NotificationForm(
        "monitorEvent", "A condition of a monitor stands otherwise.",
        toldIfAny("monitor", .ordinal, required: true, "the monitor's number on this connection"), nameOfMonitor,
        told("identifier", .text, "the condition's"), Told<ConditionEvent>.conditionEvent,
        toldIfAny("event", .count, "the event to acknowledge, also where it is not stored"),
        coreLocation: "CLMonitor.Event",
        make: { .monitorEvent(MonitorEvent(monitor: $0, name: $1, identifier: $2, content: $3, event: $4)) })

    // In place of the number where an event is told to nobody yet, which no notification has.
    private static let nameOfMonitor = {
        let name = toldIfAny("name", .text, "")
        return Told(descriptions: [], read: name.read, write: name.write)
    }()

    static let serviceSessionDiagnosticForm = NotificationForm(
        "serviceSessionDiagnostic", "What keeps a service session from what it asks for.",
        told("session", .ordinal, "its number"), Told<DiagnosticFlags>.flags(.ofServiceSessions),
        coreLocation: "CLServiceSession.Diagnostic", make: { .serviceSessionDiagnostic(session: $0, $1) })

    static let authorizationRequestedForm = NotificationForm(
        "authorizationRequested", "To agents: somebody has to decide.", told("request", .ordinal, "its number"),
        told("identity", .text, "who the daemon found the app to be"),
        toldIfAny("label", .text, "what the app calls itself; only its word"), told("uid", .user, "the app's user"),
        toldIfAny("user", .text, "the user's name; absent: the system knows none"),
        told("level", Shape<AuthorizationLevel>.word, "what it asks for"),
        toldIfAny("purposeKey", .text, "the app's key of the purpose; only for temporary full accuracy"),
        told("usageDescription", .text, "what for, in the app's words"),
        told("since", .time, "since when it waits"),
        make: { request, identity, label, uid, user, level, purposeKey, usageDescription, since in
            .authorizationRequested(
                AuthorizationRequest(
                    request: request, identity: identity, label: label, uid: uid, user: user, level: level,
                    purposeKey: purposeKey, usageDescription: usageDescription, since: since))
        })

    static let authorizationRequestClosedForm = NotificationForm(
        "authorizationRequestClosed", "To agents: nobody has to decide any more.",
        told("request", .ordinal, "its number"),
        toldIfAny("outcome", .knownWord(AuthorizationOutcome.self), required: true, "what became of it"),
        make: { .authorizationRequestClosed(request: $0, $1.flatMap { $0 }) })
}

extension AppEvent.Content {
    /// The name of the notification that tells it.
    var method: StaticString {
        switch self {
        case .region(_, .inside, _): Notification.didEnterRegionForm.name
        case .region: Notification.didExitRegionForm.name
        case .visit: Notification.didVisitForm.name
        case .monitor: Notification.monitorEventForm.name
        case .significantChange: Notification.didUpdateLocationsForm.name
        case .notice: Notification.noticeRaisedForm.name
        }
    }

    /// Appends the members of the notification's `params` but `seq`. Without the number of a monitor its name is written.
    func appendParams(on date: WallTime?, event: UInt64?, monitor: UInt64?, to writer: inout JSONWriter) {
        switch self {
        case .region(let region, _, let location):
            Notification.didEnterRegionForm.appendParams(
                region, location, location == nil ? date : nil, event, to: &writer)
        case .visit(let visit): Notification.didVisitForm.appendParams(visit, event, to: &writer)
        case .monitor(let name, let identifier, let content):
            Notification.monitorEventForm.appendParams(
                monitor, monitor == nil ? name : nil, identifier, content, event, to: &writer)
        case .significantChange(let location, _):
            writer.member("source", LocationSource.significantChange.word)
            writer.name("locations")
            writer.beginArray()
            LocationCoding.append(location, to: &writer)
            writer.endArray()
            if let event { writer.member("event", event) }
        case .notice(let notice, let region, let state):
            RaisedNotice(notice, region: region, state, event: event).appendParams(to: &writer)
        }
    }
}
