// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

/// Carries out one `hello`: a new manager, or the one that the client had on its last connection.
struct Greeting {
    let service: LocationService
    let hello: HelloParameters
    let request: ClientRequest

    /// Answers, and returns the manager that the connection has now.
    func answer() throws(RPCError) -> ClientManager {
        let (manager, now) = (request.manager, request.now)
        guard !manager.hasAsked else {
            throw RPCError(.invalidRequest, "cannot say hello now: it is the first request of a connection or none")
        }
        let identity = try service.identity(of: manager)
        // Whose time is up is gone now, whenever the timer is served.
        if hello.manager != nil { service.decide(.woke, at: now) }
        if let token = hello.manager, let former = service.managers.manager(with: token), former.channel == nil,
            former.who.identity == identity, former.label == (hello.app == identity.name ? nil : hello.app)
        {
            return rejoin(former)
        }
        manager.usageDescriptions = hello.usageDescriptions
        manager.isApp = true
        try service.identify(manager, label: hello.app, at: now)
        manager.hasAsked = true
        manager.events.areAwaited = hello.events
        manager.events.areTaken = hello.events
        noteWaking(manager)
        manager.token = service.host.makeToken()
        service.keeper.keep(manager, service.journal.unlimited)
        if hello.presence == .foreground { service.decide(.asked(manager.id, .setPresence(.foreground)), at: now) }
        reply(manager, rejoined: false)
        service.decide(.greeted(manager.id, keepsEvents: hello.events), at: now)
        service.save(manager)
        return manager
    }

    /// Gives the connection its former manager back.
    private func rejoin(_ former: ClientManager) -> ClientManager {
        let (manager, now) = (request.manager, request.now)
        service.managers.forgetAway(former)
        former.usageDescriptions = hello.usageDescriptions
        former.who = manager.who
        if let identity = manager.who.identity { _ = service.enter(identity, manager, at: now) }
        former.events.areAwaited = hello.events
        former.events.areTaken = hello.events
        former.events.told = 0
        former.events.hasBacklog = false
        noteWaking(former)
        former.channel = manager.channel
        former.connection = manager.connection
        (former.flushed, former.awaitsRoom) = (manager.flushed, manager.awaitsRoom)
        former.peer = manager.peer
        manager.channel = nil
        service.remove(manager)
        let presence = hello.presence ?? service.engine.presence(of: former.id)
        let kept = former.outbox.takeAll()
        reply(former, rejoined: true)
        let sequence = former.outbox.delivered
        let delivered = ResumePoint(sequence: sequence, location: service.keeper.log.location(sequence))
        service.decide(.managerAttached(former.id, delivered: delivered, presence: presence), at: now)
        service.decide(.greeted(former.id, keepsEvents: hello.events), at: now)
        former.outbox.append(kept)
        service.markDirty(former)
        // The configuration may name others now than when it left.
        service.keepProvider(former, at: now)
        return former
    }

    private func reply(_ manager: ClientManager, rejoined: Bool) {
        guard let token = manager.token, let identity = manager.who.identity else { return }
        let authorization = service.engine.authorization(of: manager.id)
        manager.outbox.reply(
            ReplyWriter.result(
                request.id,
                HelloResult(
                    version: locationdVersion, app: manager.label ?? manager.who.manifest?.identifier,
                    identity: identity.description, manager: token,
                    rejoined: rejoined, authorizationStatus: authorization.status,
                    accuracyAuthorization: authorization.accuracyOnTheWire, capabilities: service.engine.capabilities,
                    eventsDropped: manager.app.map { service.engine.eventsDropped(of: $0) } ?? 0)))
    }

    /// An app that takes its events need not be started for them.
    private func noteWaking(_ manager: ClientManager) {
        guard hello.events, let name = manager.who.manifest?.identifier else { return }
        service.host.clearWake(name)
    }
}
