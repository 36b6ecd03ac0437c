// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// The end of a session.
extension SessionMachine {
    /// Sends what still waits, ends all that only this manager wants, and ends the connection.
    ///
    /// The daemon keeps a manager for the rejoin time, since it cannot know that nobody will come back: after this it keeps an
    /// empty one. Regions, visits, conditions and significant changes are the app's and outlive the program.
    package mutating func end(into effects: inout [SessionEffect]) {
        if case .ended = link { return }
        let closed = RPCError(.unavailable, "cannot ask locationd: the session is closed")
        failQueries(.refused(closed), into: &effects)
        if isGreeted {
            for call in lastRequests() {
                lastID += 1
                effects.append(.send(.integer(lastID), call))
            }
        }
        effects.append(.close)
        link = .ended
        outage = nil
        waiting = JobQueue()
        sent = []
    }

    // Requests may follow a hello before its reply is there.
    private var isGreeted: Bool {
        switch link {
        case .greeting, .open: true
        case .none, .connecting, .ended: false
        }
    }

    private mutating func lastRequests() -> [Call] {
        var calls: [Call] = []
        while let job = waiting.first {
            waiting.removeFirst()
            // Commands that would only begin something are dropped, and so are those about a number that is still to come: it is ended below.
            if job.command?.opens == nil, case .call(let call) = call(of: job) { calls.append(call) }
        }
        calls += [.asked(.stopUpdatingLocation), .asked(.stopUpdatingHeading)]
        for kind in Method.NumberedKind.allCases {
            let begun = self[kind].lose(sent.count { $0.job.command?.opens?.kind == kind })
            calls += (self[kind].allNumbers + begun).map { .asked(kind.end($0)) }
        }
        return calls
    }
}
