// SPDX-License-Identifier: Apache-2.0

import LocationModel

extension OpenRPC {
    /// Every notification.
    package static let notifications = locationNotifications + serviceNotifications + agentNotifications

    private static let locationNotifications = [
        NotificationRow(
            name: "didUpdateLocations", summary: "New locations.",
            params: [
                Described("locations", .array(of: .named("location")), required: true, "oldest first, never none"),
                Described("source", .source, required: true, "the service"),
                Described("cached", .boolean, "a stored first location, alone"),
                Described("deferral", .count, "the deferral that held these"),
                Described("early", .boolean, "the ring was full before the deferral ended"),
                Described("more", .boolean, "the next line goes on with the same batch"),
                Described("dropped", .count, "older locations lost because this client was slow"),
                Described("gap", .boolean, "the window of resumeAfter did not reach back"),
                Described("request", .count, "the one-shot request that this answers"),
                Described("event", .count, "the stored event that this is, to be acknowledged"),
            ],
            coreLocation: "locationManager(_:didUpdateLocations:)"),
        NotificationRow(
            name: "didFailWithError", summary: "A service has no location.",
            params: [
                Described("error", .named("error"), required: true, "why"),
                Described("source", .source, "the service"),
                Described("request", .count, "the one-shot request that ends with it"),
            ],
            coreLocation: "locationManager(_:didFailWithError:)"),
        NotificationRow(
            name: "didCancelRequest", summary: "A one-shot request ends without an answer.",
            params: [
                Described("request", .count, required: true, "its number"),
                Described("by", .words(RequestCancellation.allCases.map(\.rawValue)), required: true, "the method"),
            ],
            coreLocation: "requestLocation(), which other calls cancel silently"),
        NotificationRow(
            name: "didFinishDeferredUpdates", summary: "A deferral ended; the batch that it held follows.",
            params: [
                Described("deferral", .count, required: true, "its number"),
                Described("error", .nullable(.named("error")), required: true, "null: a criterion was met"),
            ],
            coreLocation: "locationManager(_:didFinishDeferredUpdatesWithError:)"),
        NotificationRow(
            name: "didChangeAuthorization", summary: "What the app may do.",
            params: [
                Described("authorizationStatus", .words(AuthorizationStatus.words), required: true, "what it may do"),
                Described(
                    "accuracyAuthorization", .nullable(.words(AccuracyAuthorization.words)), required: true,
                    "how precisely it may know; null: not determined"),
                Described("provisional", .boolean, required: true, "allowed until somebody decides"),
                Described("initial", .boolean, required: true, "told for the first time on this connection: no change"),
            ],
            coreLocation: "locationManagerDidChangeAuthorization(_:)"),
    ]
}

extension JSONSchema {
    fileprivate static let source = JSONSchema.words(LocationSource.words)
}
