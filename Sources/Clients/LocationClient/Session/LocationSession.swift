// SPDX-License-Identifier: Apache-2.0
package import Dispatch
package import LocationModel
package import LocationProtocol
import Synchronization

/// A program as it declares itself in `hello`.
package struct SessionApplication: Sendable, Hashable {
    /// The label that separates the program's regions and events from others of the same identity.
    package var name: String?
    /// The reasons that the program gives for locations.
    package var usageDescriptions: UsageDescriptions
    /// Nobody gave the program its label: where the daemon refuses it, the program does without.
    package var isNameAssumed: Bool

    /// The program `name`.
    package init(name: String?, usageDescriptions: UsageDescriptions, isNameAssumed: Bool = false) {
        self.name = name
        self.usageDescriptions = usageDescriptions
        self.isNameAssumed = isNameAssumed
    }
}

/// One location manager of this program at the daemon, whatever becomes of the connection to it.
///
/// It connects by itself, says hello, and keeps what the program wants: after a loss it takes its manager back, and where
/// the daemon no longer has it, makes a new one and wants the same again. The program sees each location once, in order.
package final class LocationSession: Sendable {
    /// All sessions of the process live on this queue, and all handlers are called on it.
    package static let queue: DispatchQueue = {
        let queue = DispatchQueue(label: "CoreLocation.session")
        queue.setSpecific(key: onQueue, value: true)
        return queue
    }()
    /// How long nobody may answer before the program is told that the daemon is gone: the time after which the daemon
    /// itself says that there is no fix.
    package static let outageTolerance = TimeSpan.seconds(10)

    /// How long nobody may answer before there is something to say to a person: longer than a restart of the daemon takes.
    package static let waitTolerance = TimeSpan.seconds(2)

    private static let onQueue = DispatchSpecificKey<Bool>()
    private static var isOnQueue: Bool { DispatchQueue.getSpecific(key: onQueue) ?? false }

    private let core: SessionCore
    private let lastHandle = Atomic<UInt64>(0)

    /// Begins to connect. `handler` is called on `queue`; never from inside a call of the program.
    package init(
        of application: SessionApplication, presence: Presence = .background, over transport: any SessionTransport,
        handler: @escaping @Sendable (SessionEvent) -> Void
    ) {
        core = SessionCore(
            SessionMachine(of: application, presence: presence), over: transport, on: LocationSession.queue,
            handler: handler)
        // Before this returns: the program may end at once.
        if transport.outlivesProgram { ProgramExit.arm() }
        LocationSession.queue.async { [core] in core.begin() }
    }

    deinit { close() }

    /// Wants something; returns at once, from any thread. Commands keep their order.
    package func perform(_ request: Request, opening handle: SessionHandle? = nil) {
        perform(SessionCommand(request, opening: handle))
    }

    /// Wants something; returns at once, from any thread. Commands keep their order.
    package func perform(_ command: SessionCommand) {
        LocationSession.queue.async { [core] in core.handle(.command(command)) }
    }

    /// A new number for a stream, monitor or session.
    package func newHandle() -> SessionHandle {
        SessionHandle(lastHandle.add(1, ordering: .relaxed).newValue)
    }

    /// The daemon's last answer to `hello`, about itself and the program; nil: it was never there.
    ///
    /// - Parameter limit: How long to wait for a first answer, while a first attempt to connect is still under way. On `queue`
    ///   nothing is waited for.
    package func standing(waitingAtMost limit: TimeSpan = .zero) -> HelloResult? {
        if limit > .zero, !LocationSession.isOnQueue { core.greeting.waitForFirstAttempt(limit) }
        return core.greeting.last
    }

    /// Asks for the last known location.
    package func location(_ completion: @escaping @Sendable (Result<Location?, LocationClientError>) -> Void) {
        ask(.location) { completion($0.result(LocationResult.self) { $0?.location }) }
    }

    /// Asks for the app's regions.
    package func monitoredRegions(_ completion: @escaping @Sendable (Result<[Region], LocationClientError>) -> Void) {
        ask(.monitoredRegions) { completion($0.result(MonitoredRegions.self) { $0?.regions ?? [] }) }
    }

    /// Asks for a condition and its last acknowledged event; nil: there is no such condition.
    package func monitorRecord(
        _ identifier: String, of monitor: SessionHandle,
        _ completion: @escaping @Sendable (Result<MonitorRecord?, LocationClientError>) -> Void
    ) {
        ask(.monitorRecord(monitor, identifier: identifier)) {
            completion($0.result(MonitorRecordResult.self) { $0?.record })
        }
    }

    private func ask(
        _ query: SessionQuery, _ completion: @escaping @Sendable (Result<Reply?, LocationClientError>) -> Void
    ) {
        LocationSession.queue.async { [core] in core.ask(query, completion) }
    }

    /// Ends the manager at the daemon; nothing is told after this returns on `queue`. Also when the object goes.
    package func close() {
        if LocationSession.isOnQueue {
            core.end()
        } else {
            LocationSession.queue.async { [core] in core.end() }
        }
    }
}

extension Result where Success == Reply?, Failure == LocationClientError {
    /// The answer as `type`, or why there is none.
    fileprivate func result<Wire: Decodable, Value>(
        _ type: Wire.Type, _ value: (Wire?) -> Value
    ) -> Result<Value, LocationClientError> {
        flatMap { reply in
            do {
                return .success(value(try reply?.result(type)))
            } catch {
                return .failure(.unreadable(reason: "\(error)"))
            }
        }
    }
}
