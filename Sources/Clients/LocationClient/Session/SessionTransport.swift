// SPDX-License-Identifier: Apache-2.0
package import Dispatch
package import LocationModel
package import LocationProtocol

/// The way to a daemon: the socket of the real one, or a simulated one.
package protocol SessionTransport: Sendable {
    /// Opens a connection. `handler` is called on `queue`, in order, ends with `closed`, and is not called after `close()`.
    func open(on queue: DispatchQueue, handler: @escaping @Sendable (TransportEvent) -> Void) -> any TransportConnection

    /// Calls `handler` on `queue` when an attempt to connect may have become worth while before its time is up, because
    /// something at the daemon's address has changed. The watch ends with the object that is returned.
    func watch(on queue: DispatchQueue, handler: @escaping @Sendable () -> Void) -> (any Sendable)?

    /// The names that this daemon did not take from the process; nil: it takes any, or nobody keeps them.
    var refusedNames: RefusedNames? { get }

    /// Whether the daemon is another process, and keeps what it is asked for when this program has ended.
    var outlivesProgram: Bool { get }

    /// The moment by the clock that this daemon lives by: the system's, or a simulated one.
    var now: BootInstant { get }

    /// Calls `body` once on `queue` when `span` has passed by that clock.
    func schedule(
        after span: TimeSpan, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
    ) -> any SessionTimer
}

extension SessionTransport {
    /// Nobody keeps them.
    package var refusedNames: RefusedNames? { nil }

    /// It ends with the program.
    package var outlivesProgram: Bool { false }
}

/// A connection to a daemon.
package protocol TransportConnection: Sendable {
    /// Sends a request; never waits.
    func send(_ call: Call, as id: RequestID)
    /// Ends the connection; nothing is told after.
    func close()
}

/// An event of a connection.
package enum TransportEvent: Sendable {
    /// The connection is there: requests may be sent.
    case opened
    /// A complete line of the daemon, without its end.
    case line([UInt8])
    /// The connection is over, or never was.
    case closed(LocationClientError)
}
