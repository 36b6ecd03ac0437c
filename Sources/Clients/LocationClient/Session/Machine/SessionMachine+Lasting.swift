// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// Commands whose effect outlives the program and which the daemon has not answered.
package struct UnansweredRequests: Sendable, Hashable {
    /// How many requests.
    package var count: Int
    /// The name of the last one.
    package var last: String
    /// Nobody answers, and nobody is expected to soon.
    package var isHopeless: Bool
    /// Why nobody answers; nil: the daemon is there, and silent.
    package var reason: LocationClientError?
}

extension SessionMachine {
    /// The requests with a lasting effect that the daemon has not answered; nil: there is none.
    package var unanswered: UnansweredRequests? {
        let names = (sent.map(\.job) + waiting.all).compactMap(\.lastingName)
        guard let last = names.last else { return nil }
        var isHopeless = false
        var reason: LocationClientError?
        if case .none = link {
            isHopeless = outage?.hasToldUnreachable ?? true
            reason = lastError
        }
        return UnansweredRequests(count: names.count, last: last, isHopeless: isHopeless, reason: reason)
    }

    /// The program is about to end.
    mutating func hurry(at now: BootInstant, into effects: inout [SessionEffect]) {
        isProgramEnding = true
        if unanswered?.isHopeless == false { hope(at: now, into: &effects) }
    }

    /// Whether the session, were it ended now, would lose requests with a lasting effect: nobody has been greeted yet.
    package var wouldLoseRequests: Bool {
        switch link {
        case .none, .connecting: unanswered?.isHopeless == false
        case .greeting, .open, .ended: false
        }
    }

    /// Wants nothing any more but what has a lasting effect; `end` follows when that is answered.
    package mutating func leave(into effects: inout [SessionEffect]) {
        failQueries(.refused(RPCError(.unavailable, "cannot ask locationd: the session is closed")), into: &effects)
        sent.removeAll { !$0.job.isWantedAtLast }
        waiting.removeAll { !$0.isWantedAtLast }
        wishes = SessionWishes(presence: wishes.presence)
        request = RequestBook()
        deferrals = DeferralBook()
    }
}

extension SessionJob {
    fileprivate var lastingName: String? {
        guard case .command(let command) = content, command.isLasting else { return nil }
        return command.name
    }

    // A condition needs its monitor.
    fileprivate var isWantedAtLast: Bool {
        guard case .command(let command) = content else { return false }
        return command.isLasting || command.opens?.kind == .monitor
    }
}
