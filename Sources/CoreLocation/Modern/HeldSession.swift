// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// A session that the program holds at the daemon, and what keeps it from having an effect: what service sessions and background
/// activities have in common. It ends when it is invalidated or let go.
final class HeldSession: Sendable {
    private let type: String
    private let told: SessionDiagnostics
    private let use: SharedUse

    /// Begins what `commands` makes of its handle, for a session of the class `type`. `diagnose` finds in an event what keeps the
    /// session from having an effect now; nil: nothing new.
    init(
        ofA type: String, of shared: SharedSession, _ commands: (SessionHandle) -> SharedConnection.Commands,
        diagnose: @escaping @Sendable (SharedEvent) -> DiagnosticFlags?
    ) {
        self.type = type
        let told = SessionDiagnostics()
        self.told = told
        let order = OneAtATime()
        use = SharedUse(of: shared, commands) { event in
            // What is found first is told first.
            order.run {
                if let flags = diagnose(event) { told.tell(flags) }
            }
            HeldSession.note(refusalIn: event, of: type, in: told)
        }
    }

    private static func note(refusalIn event: SharedEvent, of type: String, in told: SessionDiagnostics) {
        switch event {
        case .session(.refused(.startServiceSession(_, let requirement, let purposeKey), let error)):
            end(type, error.naming(requirement, purposeKey), in: told)
        case .session(.refused(.startBackgroundActivitySession, let error)): end(type, error, in: told)
        case .session, .serviceSessionRequired, .serviceSessionHeld: break
        }
    }

    private static func end(_ type: String, _ refusal: RPCError, in told: SessionDiagnostics) {
        let error = refusal.advising(on: .sessions)
        ApplicationLog.write("\(type) has no effect: \(error)")
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
