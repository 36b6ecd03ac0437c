// SPDX-License-Identifier: Apache-2.0

import LocationModel

extension OpenRPC {
    static let serviceNotifications = pauses + regionNotifications + monitorNotifications

    private static let event = Described("event", .count, "the event to acknowledge; absent: it is not stored")
    private static let reason = Described("reason", .string(), required: true, "why, for a person")
    private static let regionMember = Described("region", .named("region"), required: true, "the region")

    private static let pauses = [
        NotificationRow(
            name: "didPauseLocationUpdates", summary: "Standard updates pause while the device rests.",
            params: [reason], coreLocation: "locationManagerDidPauseLocationUpdates(_:)"),
        NotificationRow(
            name: "didResumeLocationUpdates", summary: "Standard updates go on after a pause.", params: [reason],
            coreLocation: "locationManagerDidResumeLocationUpdates(_:)"),
        NotificationRow(
            name: "didRequestTemporaryFullAccuracy", summary: "A request for temporary full accuracy came to its end.",
            params: [
                Described("purposeKey", .string(), required: true, "the key of the request"),
                Described(
                    "error", .nullable(.named("error")), required: true,
                    "null: somebody was asked, which does not mean granted"),
            ],
            coreLocation: "requestTemporaryFullAccuracyAuthorization(withPurposeKey:completion:)"),
        NotificationRow(
            name: "didUpdateHeading", summary: "The device points elsewhere.",
            params: [Described("heading", .named("heading"), required: true, "where to")],
            coreLocation: "locationManager(_:didUpdateHeading:)"),
        NotificationRow(
            name: "rangingDidFail", summary: "Beacons cannot be ranged.",
            params: [
                Described("constraint", .object(BeaconIdentity.descriptions), required: true, "those of the request"),
                Described("error", .named("error"), required: true, "why"),
            ],
            coreLocation: "locationManager(_:didFailRangingFor:error:)"),
        NotificationRow(
            name: "didUpdate", summary: "An element of a stream of live updates.",
            params: [
                Described("location", .nullable(.named("location")), required: true, "null: the flags say why"),
                Described("stationary", .boolean, required: true, "the device rests; silence until it moves"),
            ] + flags(.ofLiveUpdates) + [Described("updates", .count, required: true, "the number of the stream")],
            coreLocation: "CLLocationUpdate"),
    ]

    private static let regionNotifications = [
        crossing("didEnterRegion", "The device came into a region."),
        crossing("didExitRegion", "The device left a region."),
        NotificationRow(
            name: "didDetermineState", summary: "Where the device is with respect to a region.",
            params: [regionMember, Described("state", .words(RegionState.words), required: true, "where it is")],
            coreLocation: "locationManager(_:didDetermineState:for:)"),
        NotificationRow(
            name: "didStartMonitoring", summary: "A region is being watched.", params: [regionMember],
            coreLocation: "locationManager(_:didStartMonitoringFor:)"),
        NotificationRow(
            name: "monitoringDidFail", summary: "A region cannot be watched.",
            params: [regionMember, Described("error", .named("error"), required: true, "why")],
            coreLocation: "locationManager(_:monitoringDidFailFor:withError:)"),
        NotificationRow(
            name: "didVisit", summary: "An arrival or a departure.",
            params: [Described("visit", .named("visit"), required: true, "where and when"), event],
            coreLocation: "locationManager(_:didVisit:)"),
    ]

    private static func crossing(_ name: String, _ summary: String) -> NotificationRow {
        NotificationRow(
            name: name, summary: summary,
            params: [
                regionMember, Described("location", .named("location"), required: true, "the fix that told it"), event,
            ],
            coreLocation: "locationManager(_:\(name):)")
    }

    private static let monitorNotifications = [
        NotificationRow(
            name: "monitorEvent", summary: "A condition of a monitor stands otherwise.",
            params: [
                Described("monitor", .ordinal, required: true, "the monitor's number on this connection"),
                Described("identifier", .string(), required: true, "the condition's"),
            ] + conditionEvent + [event],
            coreLocation: "CLMonitor.Event"),
        NotificationRow(
            name: "serviceSessionDiagnostic", summary: "What keeps a service session from what it asks for.",
            params: [Described("session", .ordinal, required: true, "its number")] + flags(.ofServiceSessions),
            coreLocation: "CLServiceSession.Diagnostic"),
    ]

    static let agentNotifications = [
        NotificationRow(
            name: "authorizationRequested", summary: "To agents: somebody has to decide.",
            params: authorizationRequest),
        NotificationRow(
            name: "authorizationRequestClosed", summary: "To agents: nobody has to decide any more.",
            params: [
                Described("request", .ordinal, required: true, "its number"),
                Described("outcome", .words(AuthorizationOutcome.words), required: true, "what became of it"),
            ]),
    ]
}
