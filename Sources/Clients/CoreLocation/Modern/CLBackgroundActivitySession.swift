// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol

/// Declares an activity that needs locations while the application is in the background: as long as the object is held, the
/// application counts as in use, and for half a minute after its process is gone, so that the next one can take the activity up.
///
/// The session lasts until `invalidate()` or until it is let go, so keep it in a property: a local variable may end it at once.
/// Where that happens within the first second, a line on standard error says so.
public final class CLBackgroundActivitySession: Sendable {
    // Shorter than any activity, longer than it takes to leave the function that made the session.
    private static let shortestLife = Duration.seconds(1)

    private let made = ContinuousClock.now
    private let held: HeldSession
    var hasEnded: Bool { held.hasEnded }

    /// Begins an activity, or takes up the one of this application's former process.
    public convenience init() { self.init(of: CoreLocationBackend.sharedSession) }

    init(of shared: SharedSession) {
        let diagnosis = ActivityDiagnosis()
        held = HeldSession(ofA: "CLBackgroundActivitySession", of: shared) { handle in
            SharedConnection.Commands(
                begin: SessionCommand(.startBackgroundActivitySession, opening: handle),
                end: SessionCommand(.invalidateBackgroundActivitySession(session: handle.number)),
                watchesServiceSessions: true)
        } diagnose: { event in
            diagnosis.flags(after: event)
        }
    }

    deinit {
        guard !held.hasEnded, made.duration(to: .now) < CLBackgroundActivitySession.shortestLife else { return }
        ApplicationLog.write(
            """
            a CLBackgroundActivitySession ends within a second because nothing holds it any more, and with it the access to \
            locations in the background: keep it in a property until the activity is over, then call invalidate()
            """)
    }

    /// Ends the activity for ever; iterations over its diagnostics end.
    public func invalidate() { held.invalidate() }

    /// The reasons why the session has no effect: the present state first, then each change. To look changes nothing, and
    /// takes no `CLServiceSession`.
    ///
    /// - Throws: `next()` throws when the session was invalidated before the iteration began, and when the daemon refuses it,
    ///   for instance the 33rd at the same time.
    public var diagnostics: Diagnostics { Diagnostics(of: self, held) { Diagnostic($0) } }

    /// The reasons why a session has no effect. All false: there is none.
    public struct Diagnostic: Sendable {
        let flags: DiagnosticFlags

        init(_ flags: DiagnosticFlags) { self.flags = flags }

        /// The person refused this application's locations, or they are off for everyone.
        public var authorizationDenied: Bool { flags.contains(.authorizationDenied) }
        /// Location services are off for everyone. False here, where `authorizationDenied` stands for it; a `CLServiceSession`
        /// tells the two apart.
        public var authorizationDeniedGlobally: Bool { flags.contains(.authorizationDeniedGlobally) }
        /// The administrator forbids locations, and the person cannot change that.
        public var authorizationRestricted: Bool { flags.contains(.authorizationRestricted) }
        /// Nothing is decided yet: somebody is being asked, or will be. False while more is asked for than is granted, which a
        /// `CLServiceSession` tells.
        public var authorizationRequestInProgress: Bool { flags.contains(.authorizationRequestInProgress) }
        /// The application is not in use, which it would have to be. False here: the activity makes it count as in use.
        public var insufficientlyInUse: Bool { flags.contains(.insufficientlyInUse) }
        /// The application requires a `CLServiceSession` and holds none.
        public var serviceSessionRequired: Bool { flags.contains(.serviceSessionRequired) }
    }

    /// The diagnostics of the session; it lives as long as somebody iterates over them.
    public typealias Diagnostics = DiagnosticSequence<Diagnostic>
}
