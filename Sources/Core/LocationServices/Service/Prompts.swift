// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
package import LocationProtocol

/// Agents, who answer for people, and the questions that they are asked.
package struct Prompts {
    /// Clients that answer authorization requests.
    private var agents: [ClientManager] = []
    /// Clients that show notices: the first of a user's shows all that its apps raise.
    private var noticeAgents: [ClientManager] = []
    /// Questions that agents were asked and that are still open, by number.
    private var questions: [UInt64: LocationProtocol.AuthorizationRequest] = [:]

    /// Never for its own app; an app's agent only for those of its own user.
    static func mayAnswer(_ agent: ClientManager, about identity: PeerIdentity) -> Bool {
        guard agent.channel != nil, agent.who.identity != identity else { return false }
        return agent.peer.isAdmin() || agent.who.manifest?.isAgent == true && agent.peer.uid == identity.uid
    }

    static func mayBeAgent(_ manager: ClientManager) -> Bool {
        manager.peer.isAdmin() || manager.who.manifest?.isAgent == true
    }

    // MARK: Agents

    package func isAgent(_ manager: ClientManager) -> Bool { agents.contains { $0 === manager } }

    /// Whether there may be something for it to ask or to show.
    func mayNeed(_ manager: ClientManager) -> Bool { isAgent(manager) || takesNotices(manager) }

    /// Those who may be asked about an identity.
    func agents(for identity: PeerIdentity) -> [ClientManager] {
        agents.filter { Prompts.mayAnswer($0, about: identity) }
    }

    package mutating func register(_ manager: ClientManager) throws(RPCError) {
        guard Prompts.mayBeAgent(manager) else {
            throw RPCError(
                .notPermitted,
                "cannot be an agent: only uid 0, members of the admin group and apps whose manifest says Agent=yes may")
        }
        if !isAgent(manager) { agents.append(manager) }
    }

    /// It is gone. Returns whether another one has to show the user's notices now.
    @discardableResult
    mutating func leave(_ manager: ClientManager) -> Bool {
        agents.removeAll { $0 === manager }
        let showed = noticeAgent(of: manager.peer.uid) === manager
        noticeAgents.removeAll { $0 === manager }
        return showed
    }

    /// Those whom the manifests do not allow it any more are none. Returns the users whose notices another one has to show now.
    mutating func refresh() -> Set<UInt32> {
        agents.removeAll { !Prompts.mayBeAgent($0) }
        let gone = noticeAgents.filter { !Prompts.mayTakeNotices($0) }
        return Set(gone.filter { leave($0) }.map(\.peer.uid))
    }

    // MARK: Notices

    /// The unit of a user's own manager that may show that user's notices without being an agent: it learns no more than every process of the
    /// user may take (Protocol 6.9).
    static let noticeUnit = "user-unit:locationd-agent.service"

    private static func mayTakeNotices(_ manager: ClientManager) -> Bool {
        mayBeAgent(manager) || manager.who.identity?.name == noticeUnit
    }

    package func takesNotices(_ manager: ClientManager) -> Bool { noticeAgents.contains { $0 === manager } }

    /// Users of whom somebody shows the notices.
    var usersWithNotices: Set<UInt32> { Set(noticeAgents.map(\.peer.uid)) }

    /// The client that shows a user's notices; nil: none is there.
    func noticeAgent(of user: UInt32) -> ClientManager? { noticeAgents.first { $0.peer.uid == user } }

    package mutating func takeNotices(_ manager: ClientManager) throws(RPCError) {
        guard Prompts.mayTakeNotices(manager) else {
            throw RPCError(
                .notPermitted,
                "cannot take notices: only agents and the user's locationd-agent.service may")
        }
        if !takesNotices(manager) { noticeAgents.append(manager) }
    }

    // MARK: Questions

    package subscript(number: UInt64) -> LocationProtocol.AuthorizationRequest? { questions[number] }

    package mutating func add(_ question: LocationProtocol.AuthorizationRequest) {
        questions[question.request] = question
    }

    /// Nobody needs an answer any more. Returns whom it was about.
    mutating func close(_ number: UInt64) -> PeerIdentity? {
        questions.removeValue(forKey: number).flatMap { PeerIdentity(parsing: $0.identity) }
    }
}
