// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

/// Asks people what the engine wants decided, by their agents.
struct Prompting {
    let service: LocationService

    /// Whether somebody is there who may be asked about this client's app.
    func hasAgent(for manager: ClientManager) -> Bool {
        manager.who.identity.map { !service.prompts.agents(for: $0).isEmpty } ?? false
    }

    /// Whether somebody is asked about this client's app right now.
    func isAsked(about manager: ClientManager) -> Bool {
        guard let number = manager.who.identity.flatMap({ service.apps.number(of: $0) }) else { return false }
        return service.engine.authorizationRequests.contains { $0.identity == number } && hasAgent(for: manager)
    }

    /// The questions that an agent may answer, or an administrator sees.
    func pendingRequests(for agent: ClientManager?) -> [LocationProtocol.AuthorizationRequest] {
        service.engine.authorizationRequests.compactMap { request in
            guard let identity = service.apps.identity(request.identity) else { return nil }
            if let agent, !Prompts.mayAnswer(agent, about: identity) { return nil }
            return service.prompts[request.number]
        }
    }

    /// Tells agents a line that the engine says again to those who come later.
    func tell(_ agents: [ClientManager], _ line: [UInt8]) {
        for agent in agents {
            agent.outbox.notify(line, .engineRepeats)
            service.markDirty(agent)
        }
    }

    /// An app has to be decided about: whoever may is asked.
    func raise(_ number: UInt64) {
        guard let request = service.engine.authorizationRequest(number),
            let identity = service.apps.identity(request.identity)
        else { return }
        service.keeper.reserveAuthorizationRequest(number, service.journal.unlimited)
        let usage = manager(asking: request)?.usage ?? UsageDescriptions()
        let text: String? =
            switch request.level {
            case .whenInUse: usage.whenInUse
            case .always: usage.always ?? usage.whenInUse
            case .temporaryFullAccuracy: request.purposeKey.flatMap { usage.temporaryFullAccuracy[$0] }
            }
        let question = LocationProtocol.AuthorizationRequest(
            request: number, identity: identity.description, label: service.apps.key(of: request.app)?.label,
            uid: identity.uid,
            user: service.userName(identity.uid), level: request.level, purposeKey: request.purposeKey,
            usageDescription: text ?? LocationProtocol.AuthorizationRequest.noReason,
            since: service.host.date())
        service.prompts.add(question)
        let agents = service.prompts.agents(for: identity)
        tell(agents, NotificationWriter.authorizationRequested(question))
        let isOpen = agents.isEmpty ? "; nobody is there to be asked: \(hint(for: request, identity))" : ""
        service.journal.note(
            "\(identity.description) asks for \(request.level.wish)\(isOpen)",
            .consentRequested(app: identity.description, level: request.level.rawValue, request: number),
            about: identity.uid)
    }

    // The question is gone with the connection, a decision about the app is not.
    private func hint(for request: LocationEngine.AuthorizationRequest, _ identity: PeerIdentity) -> String {
        guard request.level != .temporaryFullAccuracy else {
            return "`locctl requests \(request.number) once` allows it"
        }
        return "`\(command(granting: request.level, identity))` allows it"
    }

    /// Returns the command with which an administrator gives an app what it asks for.
    private func command(granting level: AuthorizationLevel, _ identity: PeerIdentity) -> String {
        "locctl authorize '\(identity.description)' \(level == .always ? "always" : "when-in-use")"
    }

    /// Returns the command that would let the app of a client have the most that it has asked for.
    func grantingCommand(for manager: ClientManager) -> String {
        let identity = manager.who.identity ?? PeerIdentity(uid: manager.peer.uid)
        let number = service.apps.number(of: identity)
        let asksAlways = service.engine.authorizationRequests.contains { $0.identity == number && $0.level == .always }
        return command(granting: asksAlways ? .always : .whenInUse, identity)
    }

    private func manager(asking request: LocationEngine.AuthorizationRequest) -> ClientManager? {
        request.manager.flatMap { service.managers[$0] } ?? service.managers.first { $0.app == request.app }
    }

    /// Nobody needs an answer any more.
    func close(_ number: UInt64, _ outcome: AuthorizationOutcome) {
        guard let identity = service.prompts.close(number) else { return }
        tell(service.prompts.agents(for: identity), NotificationWriter.authorizationRequestClosed(number, outcome))
    }
}
