// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Synchronization

@testable import CoreLocation

/// A daemon that keeps what it is asked, answers as the real one does when all goes well, and says what a test wants.
///
/// Its numbers begin at 501, so that they are never those of the program.
final class ScriptedDaemon: SessionTransport {
    private struct State {
        var calls: [Call] = []
        var connections: [(id: Int, handler: @Sendable (TransportEvent) -> Void)] = []
        var opened = 0
        var lastNumber: UInt64 = 500
        var lines: UInt64 = 0
        var identifiers: [String: [String]] = [:]
        var refusals: [Method: RPCError] = [:]
        var connectionRefusal: RPCError?
        var isThere = true
        var record: MonitorRecord?
        var interruption: (method: Method, body: @Sendable () -> Void)?
    }

    private let state = Mutex(State())
    let refusedNames: RefusedNames? = RefusedNames()

    /// All requests so far, in order.
    var calls: [Call] { state.withLock { $0.calls } }
    /// How many connections there were.
    var connectionsOpened: Int { state.withLock { $0.opened } }
    /// How many connections there are.
    var connectionsOpen: Int { state.withLock { $0.connections.count } }
    /// The number that was given last: of a stream, a monitor or a session.
    var lastNumber: UInt64 { state.withLock { $0.lastNumber } }

    /// Whether somebody answers; those that are connected stay so.
    func setThere(_ isThere: Bool) { state.withLock { $0.isThere = isThere } }
    /// Refuses a method from now on; nil: no longer.
    func refuse(_ method: Method, _ error: RPCError?) { state.withLock { $0.refusals[method] = error } }
    /// Refuses all connections from now on.
    func refuseConnections(_ error: RPCError) { state.withLock { $0.connectionRefusal = error } }
    /// What a monitor holds when it is opened.
    func keep(_ identifiers: [String], in monitor: String) {
        state.withLock { $0.identifiers[monitor] = identifiers }
    }
    /// What is answered to `monitorRecord`.
    func keep(_ record: MonitorRecord?) { state.withLock { $0.record = record } }

    /// Calls `body` once, when `method` has come and its reply is not there yet.
    func interrupt(_ method: Method, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.interruption = (method, body) }
    }

    private func interrupt(_ call: Call) {
        let body = state.withLock { state -> (@Sendable () -> Void)? in
            guard let interruption = state.interruption, interruption.method == call.method else { return nil }
            state.interruption = nil
            return interruption.body
        }
        body?()
    }

    /// Ends all connections.
    func drop() {
        let handlers = state.withLock { state in
            defer { state.connections = [] }
            return state.connections.map(\.handler)
        }
        for handler in handlers {
            LocationSession.queue.async { handler(.closed(ScriptedDaemon.away)) }
        }
    }

    private static let away = LocationClientError.cannotConnect(
        DaemonAddress(path: "/nowhere"), reason: "nobody is there")

    // MARK: What it says

    func update(
        _ number: UInt64, at latitude: Double? = 45, stationary: Bool = false, flags: DiagnosticFlags = []
    ) {
        let location = latitude.map {
            Location(
                coordinate: Coordinate(latitude: $0, longitude: -30), horizontalAccuracy: 5,
                timestamp: WallTime(milliseconds: 0))
        }
        say(NotificationWriter.didUpdate(number, location, stationary: stationary, flags: flags))
    }

    func event(_ monitor: UInt64, _ identifier: String, _ content: ConditionEvent, number: UInt64) {
        say(NotificationWriter.monitorEvent(monitor, identifier, content, event: number))
    }

    func diagnostic(_ session: UInt64, _ flags: DiagnosticFlags) {
        say(NotificationWriter.serviceSessionDiagnostic(session, flags))
    }

    func authorize(_ status: AuthorizationStatus) {
        say(NotificationWriter.didChangeAuthorization(status, accuracy: .full, provisional: false, initial: false))
    }

    private func say(_ prefix: [UInt8]) {
        let (line, handlers) = state.withLock { state in
            state.lines += 1
            var line = prefix
            NotificationWriter.appendTail(state.lines, to: &line)
            return (line, state.connections.map(\.handler))
        }
        for handler in handlers { LocationSession.queue.async { handler(.line(line.dropLast())) } }
    }

    // MARK: The transport

    func open(on queue: DispatchQueue, handler: @escaping @Sendable (TransportEvent) -> Void)
        -> any TransportConnection
    {
        let id = state.withLock { state -> Int? in
            guard state.isThere else { return nil }
            state.opened += 1
            state.connections.append((state.opened, handler))
            return state.opened
        }
        let refusal = state.withLock { $0.connectionRefusal }.map { ReplyWriter.refusal(nil, $0) }
        queue.async {
            handler(id == nil ? .closed(ScriptedDaemon.away) : .opened)
            if let refusal { handler(.line(refusal.dropLast())) }
        }
        return Wire(daemon: self, id: id, queue: queue, handler: handler)
    }

    func watch(on queue: DispatchQueue, handler: @escaping @Sendable () -> Void) -> (any Sendable)? { nil }

    private struct Wire: TransportConnection {
        let daemon: ScriptedDaemon
        let id: Int?
        let queue: DispatchQueue
        let handler: @Sendable (TransportEvent) -> Void

        func send(_ call: Call, as request: RequestID) {
            daemon.interrupt(call)
            daemon.state.withLock { state in
                let reply = ScriptedDaemon.answer(call, request, &state)
                // Under the lock: what is said after the call was seen comes behind its reply.
                queue.async { [handler] in handler(.line(reply.dropLast())) }
            }
        }

        func close() { daemon.state.withLock { state in state.connections.removeAll { $0.id == id } } }
    }

    private static func answer(_ call: Call, _ id: RequestID, _ state: inout State) -> [UInt8] {
        state.calls.append(call)
        if let refusal = state.refusals[call.method] { return ReplyWriter.refusal(id, refusal) }
        switch call {
        case .hello: return ReplyWriter.result(id, ScriptedDaemon.greeting)
        case .asked(.startLiveUpdates):
            state.lastNumber += 1
            return ReplyWriter.result(id, StateResult(.running, updates: state.lastNumber))
        case .asked(.openMonitor(let name)):
            state.lastNumber += 1
            let identifiers = state.identifiers[name] ?? []
            return ReplyWriter.result(id, MonitorResult(monitor: state.lastNumber, identifiers: identifiers))
        case .asked(.startBackgroundActivitySession), .asked(.startServiceSession):
            state.lastNumber += 1
            return ReplyWriter.result(id, SessionResult(session: state.lastNumber))
        case .monitorRecord: return ReplyWriter.result(id, MonitorRecordResult(state.record))
        default: return ReplyWriter.empty(id)
        }
    }

    private static let greeting = HelloResult(
        version: "1", app: nil, identity: "uid:0", manager: ManagerToken(high: 1, low: 2), rejoined: false,
        authorizationStatus: .authorizedAlways, accuracyAuthorization: .full,
        capabilities: Capabilities(maximumConditions: 7))
}

extension SharedSession {
    /// The shared session of a program that knows only this daemon.
    convenience init(over transport: any SessionTransport, requiresServiceSession: Bool = false) {
        self.init(requiresServiceSession: requiresServiceSession) { handler in
            LocationSession(
                of: SessionApplication(name: "tests", usageDescriptions: UsageDescriptions()), over: transport,
                handler: handler)
        }
    }
}
