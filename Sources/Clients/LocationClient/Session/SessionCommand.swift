// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// A stream, monitor or session that a program holds. The number is the program's own and outlives connections; what the
/// daemon calls the same thing changes with them.
package struct SessionHandle: Sendable, Hashable {
    /// From 1, per session.
    package var number: UInt64

    /// The handle `number`.
    package init(_ number: UInt64) { self.number = number }
}

/// A request of a program to its location manager at the daemon, in which streams, monitors and sessions bear the numbers of their
/// handles. None waits, none fails at once: a `SessionEvent` tells the outcome.
package struct SessionCommand: Sendable, Hashable {
    /// The request.
    package let request: Request
    /// Everything that is known of its kind.
    package let method: Method
    /// The stream, monitor or session that it opens or is about; nil: it is about none.
    package let handle: SessionHandle?

    /// A command; what it opens is called `handle` from now on.
    package init(_ request: Request, opening handle: SessionHandle? = nil) {
        self.request = request
        method = request.method
        self.handle = handle ?? request.numbered.map { SessionHandle($0.number) }
    }

    /// Its name, which is the one that it has in Core Location, without what it is about.
    package var name: String { method.name }

    /// Whether it opens something of `kind`.
    package func opens(_ kind: Method.NumberedKind) -> Bool { method.opens == kind }

    /// The stream, monitor or session that this command opens and the daemon gives a number to; nil: it opens none.
    var opens: (kind: Method.NumberedKind, handle: SessionHandle)? { pair(method.opens) }

    /// The stream, monitor or session that this command ends; nil: it ends none.
    var closes: (kind: Method.NumberedKind, handle: SessionHandle)? { pair(method.closes) }

    private func pair(_ kind: Method.NumberedKind?) -> (kind: Method.NumberedKind, handle: SessionHandle)? {
        guard let kind, let handle else { return nil }
        return (kind, handle)
    }

    var isLocationRequest: Bool { method == .requestLocation }

    var isDeferral: Bool { method == .allowDeferredLocationUpdates }

    /// Whether it ends a one-shot request (rules R5, R6).
    var cancelsRequest: Bool { RequestCancellation(rawValue: method.name) != nil }

    /// Whether its effect outlives the program: if it were lost, something would stay on or off for good.
    var isLasting: Bool { method.effect == .durable || method.effect == .lasting }

    /// Whether the reply has a state.
    var hasState: Bool { method.result == .named("state") }
}

/// An event that a session tells its program; they come in order.
package enum SessionEvent: Sendable {
    /// The daemon knows the program: for the first time, or again after a loss. All that the program wants is in force
    /// there, or on its way.
    case connected(HelloResult)
    /// The connection is lost, or there is none to be had. Once per outage; the session goes on trying, for 30 s often, then
    /// once a minute and when something changes at the daemon's address.
    case disconnected(LocationClientError)
    /// Nobody has answered for `LocationSession.waitTolerance`: for a person who may wonder; a program need not know yet. Once per
    /// outage, and not after `unreachable`.
    case waiting(LocationClientError)
    /// Nobody has answered for `LocationSession.outageTolerance`, or the daemon refuses this program or its protocol, at once.
    /// Once per outage; the session goes on trying, after a refusal only when something changes at the daemon's
    /// address, or once a minute where nothing would tell of that.
    case unreachable(LocationClientError)
    /// The daemon does not take the name that nobody gave the program: it goes on without one.
    case nameRefused(RPCError)
    /// The daemon's answer to a command that has a state.
    case answered(SessionCommand, StateResult)
    /// The daemon refused a command, and nothing was done.
    case refused(SessionCommand, RPCError)
    /// A monitor is open, with the identifiers of its conditions.
    case monitorOpened(SessionHandle, identifiers: [String])
    /// A notification, each once. Streams, monitors and sessions in it bear the numbers of their `SessionHandle`s; a
    /// deferral bears the number of its command among the `allowDeferredLocationUpdates`, from 1, and a one-shot request its
    /// number among those of the session, from 1, where commands made while one is pending are the same request. So they do in
    /// `answered`. A batch that a loss cut off may lack its last part, the one without `hasMore`.
    case told(Notification)
}
