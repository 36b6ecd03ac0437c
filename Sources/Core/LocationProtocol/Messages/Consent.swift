// SPDX-License-Identifier: Apache-2.0

import LocationModel

// Requests of an app for authorization, and its sessions.
extension Method {
    static let consent = [
        requestWhenInUseAuthorization, requestAlwaysAuthorization, requestTemporaryFullAccuracyAuthorization,
    ]
    static let sessions = [
        startBackgroundActivitySession, invalidateBackgroundActivitySession, startServiceSession,
        invalidateServiceSession,
    ]

    package static let requestWhenInUseAuthorization = Method(
        "requestWhenInUseAuthorization", "Asks for locations while the app is in use.",
        .requestWhenInUseAuthorization, result: .named("state"), errors: [.missingUsageDescription, .limitExceeded],
        coreLocation: "requestWhenInUseAuthorization()")

    package static let requestAlwaysAuthorization = Method(
        "requestAlwaysAuthorization", "Asks for locations at any time.", .requestAlwaysAuthorization,
        result: .named("state"), errors: [.missingUsageDescription, .limitExceeded],
        coreLocation: "requestAlwaysAuthorization()")

    package static let requestTemporaryFullAccuracyAuthorization = Method(
        "requestTemporaryFullAccuracyAuthorization",
        "Asks for full accuracy for a while; ends in one didRequestTemporaryFullAccuracy.",
        required("purposeKey", .name, "which of the usage descriptions says what for"), result: .named("state"),
        errors: [.limitExceeded], coreLocation: "requestTemporaryFullAccuracyAuthorization(withPurposeKey:)",
        request: Request.requestTemporaryFullAccuracyAuthorization,
        values: { if case .requestTemporaryFullAccuracyAuthorization(let key) = $0 { key } else { nil } })

    package static let startBackgroundActivitySession = Method(
        "startBackgroundActivitySession", "Lets the app count as in use without a person before it.",
        .startBackgroundActivitySession, result: .named("session"), errors: [.limitExceeded],
        coreLocation: "CLBackgroundActivitySession.init()", effect: .lasting,
        opens: .session)

    package static let invalidateBackgroundActivitySession = Method(
        "invalidateBackgroundActivitySession", "Ends such a session.",
        number("session", of: .session, "its number"), errors: [.notFound],
        coreLocation: "CLBackgroundActivitySession.invalidate()", effect: .lasting, closes: .session,
        request: Request.invalidateBackgroundActivitySession,
        values: { if case .invalidateBackgroundActivitySession(let session) = $0 { session } else { nil } })

    package static let startServiceSession = Method(
        "startServiceSession",
        "Says what the app needs; ends in serviceSessionDiagnostic, told anew at each change.",
        required("requirement", .word, "the authorization that it needs"),
        optional("fullAccuracyPurposeKey", .name, "full accuracy, too, for this usage description"),
        result: .named("session"), errors: [.missingUsageDescription, .limitExceeded],
        coreLocation: "CLServiceSession.init(authorization:fullAccuracyPurposeKey:)", opens: .session,
        request: { .startServiceSession(ServiceSessionParameters(requirement: $0, fullAccuracyPurposeKey: $1)) },
        values: { request in
            guard case .startServiceSession(let session) = request else { return nil }
            return (session.requirement, session.fullAccuracyPurposeKey)
        })

    package static let invalidateServiceSession = Method(
        "invalidateServiceSession", "Ends such a session.", number("session", of: .session, "its number"),
        errors: [.notFound], coreLocation: "CLServiceSession.invalidate()", closes: .session,
        request: Request.invalidateServiceSession,
        values: { if case .invalidateServiceSession(let session) = $0 { session } else { nil } })
}

/// The result of `startBackgroundActivitySession` and `startServiceSession`.
public struct SessionResult: Sendable, Hashable, Codable {
    /// The session's number.
    public var session: UInt64

    /// The session `session`.
    public init(session: UInt64) { self.session = session }
}

extension SessionResult {
    static let schema = JSONSchema.object([Described("session", .ordinal, required: true, "its number")])
}
