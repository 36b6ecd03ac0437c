// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
package import LocationProtocol

/// Agents, who answer for people, and the questions that they are asked.
package struct Prompts {
    /// Clients that answer authorization requests.
    private var agents: [ClientManager] = []
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

    /// It is gone.
    mutating func leave(_ manager: ClientManager) { agents.removeAll { $0 === manager } }

    /// Those whom the manifests do not allow it any more are none.
    mutating func refresh() { agents.removeAll { !Prompts.mayBeAgent($0) } }

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
