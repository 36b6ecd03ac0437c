// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol

/// States what an application needs, for as long as the object is held: whoever must be asked is asked at a fitting time, and
/// again when a permission lapses.
///
/// Several may be held at the same time; the strongest counts. A session lasts until `invalidate()` or until it is let go.
public final class CLServiceSession: Sendable {
    /// The authorization that a session asks for.
    @nonexhaustive(warn)
    public enum AuthorizationRequirement: Sendable, Hashable {
        /// Nothing; but where the application requires explicit sessions, services run.
        case none
        /// Locations while the application is in use.
        case whenInUse
        /// Locations and events at any time.
        case always
    }

    private let held: HeldSession
    let requirement: AuthorizationRequirement
    let purposeKey: String?
    var hasEnded: Bool { held.hasEnded }

    /// Asks for an authorization.
    public convenience init(authorization: AuthorizationRequirement) {
        self.init(authorization, purposeKey: nil, of: CoreLocationBackend.sharedSession)
    }

    /// Asks for an authorization and for precise locations; the key names the text that says what for, in
    /// `NSLocationTemporaryUsageDescriptionDictionary`. Where neither the program nor a manifest has that text, the session goes
    /// without full accuracy: a line on standard error names the missing key, and `fullAccuracyDenied` is true while locations
    /// are reduced.
    public convenience init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
        self.init(authorization, purposeKey: fullAccuracyPurposeKey, of: CoreLocationBackend.sharedSession)
    }

    init(_ requirement: AuthorizationRequirement, purposeKey: String?, of shared: SharedSession) {
        self.requirement = requirement
        self.purposeKey = purposeKey
        let diagnosis = ServiceDiagnosis()
        @Sendable func begin(_ purposeKey: String?) -> SharedConnection.Commands.Maker {
            { handle in
                SharedConnection.Commands(
                    begin: SessionCommand(
                        .startServiceSession(
                            ServiceSessionParameters(
                                requirement: ServiceSessionRequirement(requirement), fullAccuracyPurposeKey: purposeKey)
                        ),
                        opening: handle),
                    end: SessionCommand(.invalidateServiceSession(session: handle.number)), isServiceSession: true)
            }
        }
        // The daemon alone knows whether a manifest has the key: it is asked with it first.
        let refusals = HeldSession.Refusals { refusal in
            guard let purposeKey, refusal.code == .missingUsageDescription else { return nil }
            diagnosis.giveUpFullAccuracy(refusal.naming(.none, purposeKey).message)
            return begin(nil)
        } naming: {
            $0.naming(ServiceSessionRequirement(requirement), purposeKey)
        }
        held = HeldSession(ofA: "CLServiceSession", of: shared, begin(purposeKey), refusals: refusals) { event in
            diagnosis.flags(after: event)
        }
    }

    /// Ends the session for ever; iterations over its diagnostics end.
    public func invalidate() { held.invalidate() }

    /// The reasons why the session does not have what it asks for: the present state first, then each change.
    ///
    /// - Throws: `next()` throws when the session was invalidated before the iteration began, and when the daemon refuses it,
    ///   for instance the 33rd at the same time.
    public var diagnostics: Diagnostics { Diagnostics(of: self, held) { Diagnostic($0) } }

    /// The reasons why a session does not have what it asks for. All false: there is none.
    public struct Diagnostic: Sendable {
        let flags: DiagnosticFlags

        init(_ flags: DiagnosticFlags) { self.flags = flags }

        /// The person refused this application's locations, or they are off for everyone.
        public var authorizationDenied: Bool { flags.contains(.authorizationDenied) }
        /// Location services are off for everyone; `authorizationDenied` is true, too.
        public var authorizationDeniedGlobally: Bool { flags.contains(.authorizationDeniedGlobally) }
        /// The administrator forbids locations, and the person cannot change that.
        public var authorizationRestricted: Bool { flags.contains(.authorizationRestricted) }
        /// Somebody is being asked.
        public var authorizationRequestInProgress: Bool { flags.contains(.authorizationRequestInProgress) }
        /// The application is not in use, which it would have to be.
        public var insufficientlyInUse: Bool { flags.contains(.insufficientlyInUse) }
        /// The application requires a `CLServiceSession` and holds none.
        public var serviceSessionRequired: Bool { flags.contains(.serviceSessionRequired) }
        /// Precise locations were asked for and are not granted.
        public var fullAccuracyDenied: Bool { flags.contains(.fullAccuracyDenied) }
        /// `always` was asked for and is not granted.
        public var alwaysAuthorizationDenied: Bool { flags.contains(.alwaysAuthorizationDenied) }
    }

    /// The diagnostics of the session; it lives as long as somebody iterates over them.
    public typealias Diagnostics = DiagnosticSequence<Diagnostic>
}

extension ServiceSessionRequirement {
    fileprivate init(_ requirement: CLServiceSession.AuthorizationRequirement) {
        switch requirement {
        case .none: self = .none
        case .whenInUse: self = .whenInUse
        case .always: self = .always
        }
    }
}
