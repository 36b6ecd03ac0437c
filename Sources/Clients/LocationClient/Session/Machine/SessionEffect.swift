// SPDX-License-Identifier: Apache-2.0
package import LocationProtocol

/// An input of a session.
package enum SessionInput: Sendable {
    /// The program wants something.
    case command(SessionCommand)
    /// The program asks for something; the number is repeated in the `answer`.
    case query(UInt64, SessionQuery)
    /// The connection that was asked for is there.
    case opened
    /// The daemon wrote a line.
    case received(ServerMessage)
    /// The peer wrote a line that is no message of the protocol.
    case unreadable(ServerMessageError)
    /// The connection is over, or never was.
    case closed(LocationClientError)
    /// The moment `SessionMachine.nextWake` has come.
    case woken
    /// Something changed at the daemon's address.
    case daemonMayBeBack
    /// The program is about to end: what it asked for last is sent as fast as can be.
    case programEnds
}

/// Something that a session has to do; carried out in order.
package enum SessionEffect: Sendable {
    /// Open a connection; `opened` or `closed` follows.
    case open
    /// Send a request.
    case send(RequestID, Call)
    /// End the connection; nothing follows from it.
    case close
    /// Tell the program.
    case deliver(SessionEvent)
    /// Answer the query of this number; the reply is never a refusal. Nil: what was asked about does not exist.
    case answer(UInt64, Result<Reply?, LocationClientError>)
}

/// A question of the program, which it may ask beside its commands. Asking changes nothing, so a question may be repeated.
package enum SessionQuery: Sendable, Hashable {
    /// The last known location.
    case location
    /// The app's regions.
    case monitoredRegions
    /// A condition of an open monitor and its last acknowledged event.
    case monitorRecord(SessionHandle, identifier: String)
}
