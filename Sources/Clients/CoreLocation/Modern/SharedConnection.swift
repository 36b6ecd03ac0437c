// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// A message to a user of the shared session, on the session's queue or inside its own calls; it never runs code of the program.
enum SharedEvent: Sendable {
    /// The session said this, of this user or of everyone.
    case session(SessionEvent)
    /// The application must hold a service session before anything is delivered, and holds none: the service is not running.
    case serviceSessionRequired
    /// It holds one again, and the service begins.
    case serviceSessionHeld
}

/// A session while somebody uses it, and who is to be told what.
final class SharedConnection: Sendable {
    /// How a user begins and ends at the daemon.
    struct Commands: Sendable {
        /// Makes them of the user's handle.
        typealias Maker = (SessionHandle) -> Commands

        let begin: SessionCommand
        let end: SessionCommand
        /// Whether the application must hold a service session for it, if it must hold any.
        var isGated = false
        /// Whether it is a service session.
        var isServiceSession = false
        /// Whether it is told when service sessions that the application must hold come and go.
        var watchesServiceSessions = false
    }

    private struct User {
        let commands: Commands
        let receive: @Sendable (SharedEvent) -> Void
    }

    private struct State {
        var users: [SessionHandle: User] = [:]
        var serviceSessions: Set<SessionHandle> = []
        /// Messages to all users, each once, which a user that begins later has to get, too: that the daemon answers or that
        /// nobody does, and what the application may do.
        var standing: SessionEvent?
        var authorization: SessionEvent?

        /// The daemon's last message about the program while nobody has decided about it.
        var undecided: HelloResult? {
            guard case .connected(let hello)? = standing else { return nil }
            var status = hello.authorizationStatus
            if case .told(.didChangeAuthorization(let change))? = authorization { status = change.authorizationStatus }
            return status == .notDetermined ? hello : nil
        }
    }

    /// Where the session's events go: not the connection itself, which the session must not keep.
    private final class Router: Sendable {
        let state = Mutex(State())
        private let requiresServiceSession: Bool

        init(requiresServiceSession: Bool) { self.requiresServiceSession = requiresServiceSession }

        func route(_ event: SessionEvent) {
            if let outage = event.outage { OutageLog.shared.note(outage) }
            let receivers = state.withLock { state -> [@Sendable (SharedEvent) -> Void] in
                switch event {
                case .connected:
                    OutageLog.shared.noteAnswer()
                    (state.standing, state.authorization) = (event, nil)
                case .unreachable: state.standing = event
                case .told(.didChangeAuthorization): state.authorization = event
                case .nameRefused(let error): ApplicationLog.noteNameRefused(error)
                default: break
                }
                noteUndecided(event, state)
                guard let handle = event.handle else { return state.users.values.map(\.receive) }
                return state.users[handle].map { [$0.receive] } ?? []
            }
            for receive in receivers { receive(.session(event)) }
        }

        // A use that waits for a service session raises no question.
        private func noteUndecided(_ event: SessionEvent, _ state: State) {
            switch event {
            case .connected, .told(.didChangeAuthorization):
                guard let hello = state.undecided else { return }
                for user in state.users.values where !user.commands.isGated || !isClosed(state) {
                    ConsentLog.note(user.commands.begin, undecided: hello)
                }
            default: break
            }
        }

        func isClosed(_ state: State) -> Bool { requiresServiceSession && state.serviceSessions.isEmpty }
    }

    private let router: Router
    let session: LocationSession

    init(requiresServiceSession: Bool, wantsReducedAccuracy: Bool, makeSession: SharedSession.Maker) {
        let router = Router(requiresServiceSession: requiresServiceSession)
        self.router = router
        session = makeSession { [router] in router.route($0) }
        // As a location manager of the application begins, too.
        if wantsReducedAccuracy { session.perform(.setProperties(PropertiesPatch(desiredAccuracy: .reduced))) }
    }

    deinit { session.close() }

    /// Begins what `commands` makes of a new handle; `receive` is told what becomes of it, until `end`.
    func begin(
        _ commands: Commands.Maker, receive: @escaping @Sendable (SharedEvent) -> Void
    ) -> SessionHandle {
        let handle = session.newHandle()
        let commands = commands(handle)
        // Under the lock, so that the order of commands is that of the changes.
        router.state.withLock { state in
            state.users[handle] = User(commands: commands, receive: receive)
            if commands.isGated, isClosed(state) {
                receive(.serviceSessionRequired)
            } else {
                session.perform(commands.begin)
                if let hello = state.undecided { ConsentLog.note(commands.begin, undecided: hello) }
            }
            for event in [state.standing, state.authorization] { if let event { receive(.session(event)) } }
            if commands.watchesServiceSessions, isClosed(state) { receive(.serviceSessionRequired) }
            guard commands.isServiceSession else { return }
            let wasClosed = isClosed(state)
            state.serviceSessions.insert(handle)
            guard wasClosed else { return }
            for user in gatedUsers(state) {
                session.perform(user.commands.begin)
                if let hello = state.undecided { ConsentLog.note(user.commands.begin, undecided: hello) }
                user.receive(.serviceSessionHeld)
            }
            for user in watchers(state) { user.receive(.serviceSessionHeld) }
        }
        return handle
    }

    /// Ends what was begun.
    func end(_ handle: SessionHandle) {
        router.state.withLock { state in
            guard let user = state.users.removeValue(forKey: handle) else { return }
            if !(user.commands.isGated && isClosed(state)) { session.perform(user.commands.end) }
            guard state.serviceSessions.remove(handle) != nil, isClosed(state) else { return }
            for user in gatedUsers(state) {
                session.perform(user.commands.end)
                user.receive(.serviceSessionRequired)
            }
            for user in watchers(state) { user.receive(.serviceSessionRequired) }
        }
    }

    private func isClosed(_ state: State) -> Bool { router.isClosed(state) }

    private func watchers(_ state: State) -> [User] { state.users.values.filter(\.commands.watchesServiceSessions) }

    private func gatedUsers(_ state: State) -> [User] {
        state.users.sorted { $0.key.number < $1.key.number }.map(\.value).filter(\.commands.isGated)
    }
}

extension SessionEvent {
    /// Whom it concerns; nil: everyone.
    fileprivate var handle: SessionHandle? {
        switch self {
        case .connected, .disconnected, .waiting, .unreachable, .nameRefused: nil
        case .answered(let command, _), .refused(let command, _): command.handle
        case .monitorOpened(let handle, _): handle
        case .told(.didUpdate(let update)): SessionHandle(update.updates)
        case .told(.monitorEvent(let event)): event.monitor.map { SessionHandle($0) }
        case .told(.serviceSessionDiagnostic(let session, _)): SessionHandle(session)
        case .told: nil
        }
    }
}
