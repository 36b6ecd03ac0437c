// SPDX-License-Identifier: Apache-2.0

import LocationModel

// Notifications to one manager. `didUpdateLocations` and `didUpdate`, which come with every fix, are written by `LocationBatch` and
// `NotificationWriter.didUpdate`.
extension Notification {
    static let locationRows = [
        didUpdateLocationsForm.row, didFailWithErrorForm.row, didCancelRequestForm.row,
        didFinishDeferredUpdatesForm.row, didChangeAuthorizationForm.row,
    ]
    static let managerRows = [
        didPauseLocationUpdatesForm.row, didResumeLocationUpdatesForm.row, didRequestTemporaryFullAccuracyForm.row,
        didUpdateHeadingForm.row, didUpdateForm.row,
    ]

    static let didUpdateLocationsForm = NotificationForm(
        "didUpdateLocations", "New locations.", told("locations", .locations, "oldest first, never none"),
        told("source", Shape<LocationSource>.word, "the service"),
        toldIfTrue("cached", "a stored first location, alone"),
        toldIfAny("deferral", .count, "the deferral that held these"),
        toldIfTrue("early", "the ring was full before the deferral ended"),
        toldIfTrue("more", "the next line goes on with the same batch"),
        toldIfAny("dropped", .count, "older locations lost because this client was slow"),
        toldIfTrue("gap", "the window of resumeAfter did not reach back"),
        toldIfAny("request", .count, "the one-shot request that this answers"),
        toldIfAny("event", .count, "the stored event that this is, to be acknowledged"),
        coreLocation: "locationManager(_:didUpdateLocations:)",
        make: { locations, source, isCached, deferral, isEarly, hasMore, dropped, hasGap, request, event in
            .didUpdateLocations(
                LocationUpdate(
                    locations: locations, source: source, isCached: isCached, deferral: deferral, isEarly: isEarly,
                    hasMore: hasMore, dropped: dropped ?? 0, hasGap: hasGap, request: request, event: event))
        })

    static let didFailWithErrorForm = NotificationForm(
        "didFailWithError", "A service has no location.", told("error", .error, "why"),
        toldIfAny("source", Shape<LocationSource>.word, "the service"),
        toldIfAny("request", .count, "the one-shot request that ends with it"),
        coreLocation: "locationManager(_:didFailWithError:)",
        make: { .didFailWithError($0, source: $1, request: $2) })

    static let didCancelRequestForm = NotificationForm(
        "didCancelRequest", "A one-shot request ends without an answer.", told("request", .count, "its number"),
        toldIfAny("by", .knownWord(RequestCancellation.self), required: true, "the method"),
        coreLocation: "requestLocation(), which other calls cancel silently",
        make: { .didCancelRequest($0, by: $1.flatMap { $0 }) })

    static let didFinishDeferredUpdatesForm = NotificationForm(
        "didFinishDeferredUpdates", "A deferral ended; the batch that it held follows.",
        told("deferral", .count, "its number"), toldOrNull("error", .error, "null: a criterion was met"),
        coreLocation: "locationManager(_:didFinishDeferredUpdatesWithError:)",
        make: { .didFinishDeferredUpdates(deferral: $0, error: $1) })

    static let didChangeAuthorizationForm = NotificationForm(
        "didChangeAuthorization", "What the app may do.",
        told("authorizationStatus", Shape<AuthorizationStatus>.word, "what it may do"),
        toldOrNull(
            "accuracyAuthorization", Shape<AccuracyAuthorization>.word,
            "how precisely it may know; null: not determined"),
        told("provisional", .flag, else: false, "allowed until somebody decides"),
        told("initial", .flag, else: false, "told for the first time on this connection: no change"),
        coreLocation: "locationManagerDidChangeAuthorization(_:)",
        make: {
            .didChangeAuthorization(
                AuthorizationChange(
                    authorizationStatus: $0, accuracyAuthorization: $1, isProvisional: $2, isInitial: $3))
        })

    static let didPauseLocationUpdatesForm = NotificationForm(
        "didPauseLocationUpdates", "Standard updates pause while the device rests.",
        toldIfAny("reason", .text, required: true, "why, for a person"),
        coreLocation: "locationManagerDidPauseLocationUpdates(_:)", make: { .didPauseLocationUpdates(reason: $0) })

    static let didResumeLocationUpdatesForm = NotificationForm(
        "didResumeLocationUpdates", "Standard updates go on after a pause.",
        toldIfAny("reason", .text, required: true, "why, for a person"),
        coreLocation: "locationManagerDidResumeLocationUpdates(_:)", make: { .didResumeLocationUpdates(reason: $0) })

    static let didRequestTemporaryFullAccuracyForm = NotificationForm(
        "didRequestTemporaryFullAccuracy", "A request for temporary full accuracy came to its end.",
        told("purposeKey", .text, "the key of the request"),
        toldOrNull("error", .error, "null: somebody was asked, which does not mean granted"),
        coreLocation: "requestTemporaryFullAccuracyAuthorization(withPurposeKey:completion:)",
        make: { .didRequestTemporaryFullAccuracy(purposeKey: $0, error: $1) })

    static let didUpdateHeadingForm = NotificationForm(
        "didUpdateHeading", "The device points elsewhere.", told("heading", .heading, "where to"),
        coreLocation: "locationManager(_:didUpdateHeading:)", make: { .didUpdateHeading($0) })

    static let didUpdateForm = NotificationForm(
        "didUpdate", "An element of a stream of live updates.",
        toldOrNull("location", .location, "null: the flags say why"),
        told("stationary", .flag, else: false, "the device rests; silence until it moves"),
        Told<DiagnosticFlags>.flags(.ofLiveUpdates), told("updates", .count, "the number of the stream"),
        coreLocation: "CLLocationUpdate",
        make: { .didUpdate(LiveUpdate(updates: $3, location: $0, isStationary: $1, flags: $2)) })
}

extension Shape {
    /// One of the words of the type; nil is a word of a newer daemon.
    static func knownWord<Word: WireWord>(_ type: Word.Type) -> Shape where Value == Word? {
        value(.words(Word.words), { (read: String) in Word(word: read) }) { value, writer in
            writer.string(value?.word ?? "")
        }
    }
}
