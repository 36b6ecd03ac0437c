// SPDX-License-Identifier: Apache-2.0

import LocationModel

private typealias Member = JSONSchema.Member

extension OpenRPC {
    /// Every notification.
    package static let notifications = locationNotifications + serviceNotifications + agentNotifications

    private static let locationNotifications = [
        NotificationRow(
            name: "didUpdateLocations", summary: "New locations.",
            params: [
                Member("locations", .array(of: .named("location")), required: true, "oldest first, never none"),
                Member("source", .source, required: true, "the service"),
                Member("cached", .boolean, "a stored first location, alone"),
                Member("deferral", .count, "the deferral that held these"),
                Member("early", .boolean, "the ring was full before the deferral ended"),
                Member("more", .boolean, "the next line goes on with the same batch"),
                Member("dropped", .count, "older locations lost because this client was slow"),
                Member("gap", .boolean, "the window of resumeAfter did not reach back"),
                Member("request", .count, "the one-shot request that this answers"),
                Member("event", .count, "the stored event that this is, to be acknowledged"),
            ],
            coreLocation: "locationManager(_:didUpdateLocations:)"),
        NotificationRow(
            name: "didFailWithError", summary: "A service has no location.",
            params: [
                Member("error", .named("error"), required: true, "why"),
                Member("source", .source, "the service"),
                Member("request", .count, "the one-shot request that ends with it"),
            ],
            coreLocation: "locationManager(_:didFailWithError:)"),
        NotificationRow(
            name: "didCancelRequest", summary: "A one-shot request ends without an answer.",
            params: [
                Member("request", .count, required: true, "its number"),
                Member("by", .words(RequestCancellation.allCases.map(\.rawValue)), required: true, "the method"),
            ],
            coreLocation: "requestLocation(), which other calls cancel silently"),
        NotificationRow(
            name: "didFinishDeferredUpdates", summary: "A deferral ended; the batch that it held follows.",
            params: [
                Member("deferral", .count, required: true, "its number"),
                Member("error", .nullable(.named("error")), required: true, "null: a criterion was met"),
            ],
            coreLocation: "locationManager(_:didFinishDeferredUpdatesWithError:)"),
        NotificationRow(
            name: "didChangeAuthorization", summary: "What the app may do.",
            params: [
                Member("authorizationStatus", .words(AuthorizationStatus.words), required: true, "what it may do"),
                Member(
                    "accuracyAuthorization", .nullable(.words(AccuracyAuthorization.words)), required: true,
                    "how precisely it may know; null: not determined"),
                Member("provisional", .boolean, required: true, "allowed until somebody decides"),
                Member("initial", .boolean, required: true, "told for the first time on this connection: no change"),
            ],
            coreLocation: "locationManagerDidChangeAuthorization(_:)"),
    ]
}

extension JSONSchema {
    fileprivate static let source = JSONSchema.words(LocationSource.words)
}
