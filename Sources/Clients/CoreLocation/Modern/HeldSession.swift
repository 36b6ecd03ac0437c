// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// A service session or background activity that the program holds at the daemon, with its diagnostics. It ends when it is invalidated
/// or released.
final class HeldSession: Sendable {
    /// How to go on after the daemon refuses a session.
    struct Refusals: Sendable {
        /// The session to begin in place of the refused one; nil: none, and the session has no effect.
        var instead: @Sendable (RPCError) -> SharedConnection.Commands.Maker? = { _ in nil }
        /// The refusal in the program's words.
        var naming: @Sendable (RPCError) -> RPCError = { $0 }
    }

    private let type: String
    private let told: SessionDiagnostics
    private let use = ReplaceableUse()

    /// Begins the session that `commands` makes for a new handle, for an object of the class `type`. `diagnose` returns the session's flags
    /// after an event; nil: they are not known yet.
    init(
        ofA type: String, of shared: SharedSession, _ commands: SharedConnection.Commands.Maker,
        refusals: Refusals = Refusals(), diagnose: @escaping @Sendable (SharedEvent) -> DiagnosticFlags?
    ) {
        self.type = type
        let told = SessionDiagnostics()
        self.told = told
        let order = OneAtATime()
        let take = { @Sendable (event: SharedEvent) -> RPCError? in
            // Diagnoses are told in the order in which they were made.
            order.run {
                if let flags = diagnose(event) { told.tell(flags) }
            }
            return event.refusalOfSession
        }
        let end = { @Sendable in HeldSession.end(type, refusals.naming($0), in: told) }
        // The callback must not hold the use, which would never end then.
        use.begin(commands, of: shared) { [weak use] event in
            guard let refusal = take(event) else { return }
            guard let other = refusals.instead(refusal) else { return end(refusal) }
            use?.replace(by: other, of: shared) { event in if let refusal = take(event) { end(refusal) } }
        }
    }

    private static func end(_ type: String, _ refusal: RPCError, in told: SessionDiagnostics) {
        let error = refusal.advising(on: .sessions)
        ApplicationLog.writeOnce("\(type) has no effect: \(error)")
        told.finish(throwing: LocationClientError.refused(error))
    }

    /// Whether it was invalidated.
    var hasEnded: Bool { use.hasEnded }

    /// Ends it for ever; iterations over its diagnostics end, and those that begin later throw.
    func invalidate() {
        use.end()
        told.finish(later: InvalidatedSession(type: type))
    }

    /// A new iteration over its diagnostics.
    func diagnostics() -> ElementQueue<DiagnosticFlags> { told.read() }
}

extension SharedEvent {
    /// Why the daemon does not begin a session; nil: it is something else.
    fileprivate var refusalOfSession: RPCError? {
        switch self {
        case .session(.refused(let command, let error)) where command.opens(.session): error
        case .session, .serviceSessionRequired, .serviceSessionHeld: nil
        }
    }
}

/// A session is used after its end, which is a mistake of the program.
struct InvalidatedSession: Error, CustomStringConvertible {
    var type: String
    var description: String {
        "cannot tell diagnostics of a \(type) that was invalidated: make a new one, an ended session never begins again"
    }
}

/// Lets one thread in after another.
private final class OneAtATime: Sendable {
    private let lock = Mutex(())

    func run(_ body: () -> Void) { lock.withLock { _ in body() } }
}
