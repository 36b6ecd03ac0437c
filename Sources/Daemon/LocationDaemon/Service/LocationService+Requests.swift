// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore
import LocationWire

extension LocationService {
    /// Finishes that a client may leave unconfirmed before its further requests wait.
    static let unconfirmedFinishes = 8

    /// Carries out one request of a client, up to its reply. What it causes is queued, and written by `flush`.
    ///
    /// - Returns: The manager that the connection has now: `hello` may take another one back.
    func receive(
        _ decoded: Result<RequestEnvelope, Refusal>, from manager: ClientManager, at now: BootInstant
    ) -> ClientManager {
        turnTime = now
        // A connection that ended meanwhile asks for nothing.
        guard manager.channel != nil else { return manager }
        defer { decider = "locationd" }
        // At the end, because carrying out may write what was queued before the reply.
        defer { markDirty(manager) }
        let envelope: RequestEnvelope
        switch decoded {
        case .failure(let refusal):
            manager.outbox.reply(ReplyWriter.refusal(refusal))
            return manager
        case .success(let success): envelope = success
        }
        do throws(RPCError) {
            return try carryOut(envelope, from: manager, at: now)
        } catch {
            manager.outbox.reply(ReplyWriter.refusal(envelope.id, error))
            return manager
        }
    }

    private func carryOut(
        _ envelope: RequestEnvelope, from manager: ClientManager, at now: BootInstant
    ) throws(RPCError) -> ClientManager {
        if case .hello(let hello) = envelope.call {
            return try greet(hello, envelope.id, manager, at: now)
        }
        manager.hasAsked = true
        if case .discover = envelope.call {
            manager.outbox.reply(ReplyWriter.discovery(envelope.id))
            return manager
        }
        // Not an app: `systemctl reload` asks as a process of this very service, which uses no location.
        if case .reload = envelope.call {
            try admit(manager, to: envelope.method)
            try reloadForClient()
            manager.outbox.reply(ReplyWriter.empty(envelope.id))
            return manager
        }
        if envelope.method.sender == .app { manager.isApp = true }
        try identify(manager, at: now)
        confirmFinishes(manager, at: now)
        try admit(manager, to: envelope.method)
        switch envelope.call {
        case .getProperties:
            manager.outbox.reply(
                ReplyWriter.result(envelope.id, engine.properties(of: manager.id)))
        case .location: manager.outbox.reply(ReplyWriter.result(envelope.id, try lastLocation(for: manager)))
        case .status(let scope):
            manager.outbox.reply(ReplyWriter.result(envelope.id, status(scope, for: manager, at: now)))
        case .registerAgent:
            try registerAgent(manager)
            manager.outbox.reply(ReplyWriter.empty(envelope.id))
            tellPendingRequests(to: manager)
        case .answerRequest(let request, let word):
            let result = try answer(request, word, from: manager, at: now)
            manager.outbox.reply(ReplyWriter.result(envelope.id, result))
        default: try carryOutService(envelope, from: manager, at: now)
        }
        return manager
    }

    private func carryOutService(
        _ envelope: RequestEnvelope, from manager: ClientManager, at now: BootInstant
    ) throws(RPCError) {
        if let request = engineRequest(envelope.call, manager) {
            if case .setProperties = envelope.call { manager.answersProperties = true }
            return ask(request, envelope.id, manager, at: now)
        }
        if case .startRangingBeacons(let beacons) = envelope.call {
            manager.rangedBeacons = beacons
            defer { manager.rangedBeacons = nil }
            return ask(.startRangingBeacons, envelope.id, manager, at: now)
        }
        if case .stopRangingBeacons = envelope.call {
            return manager.outbox.reply(ReplyWriter.empty(envelope.id))
        }
        if try carryOutForApp(envelope.call, envelope.id, manager, at: now) { return }
        if try carryOutForConsent(envelope.call, envelope.id, manager, at: now) { return }
        if try carryOutForAdmin(envelope.call, envelope.id, manager, at: now) { return }
        throw RPCError(.unavailable, "cannot carry out \(envelope.method.name): this daemon does not offer it")
    }

    /// The client sent this after all that it has been sent, so it has seen every finish among that.
    private func confirmFinishes(_ manager: ClientManager, at now: BootInstant) {
        guard manager.outbox.isEmpty, engine.unconfirmedFinishes(of: manager.id) > 0 else { return }
        decide(.finishesConfirmed(manager.id), at: now)
    }

    private func engineRequest(_ call: Call, _ manager: ClientManager) -> Request? {
        call.managerRequest(
            properties: engine.properties(of: manager.id), requestTimeout: configuration.updates.requestTimeout,
            resumePoint: { resumePoint($0) })
    }

    /// What the log knows of a sequence.
    func resumePoint(_ sequence: UInt64) -> ResumePoint {
        ResumePoint(sequence: sequence, location: log.entry(sequence: sequence)?.location)
    }

    /// The last known location; nothing is powered up for it.
    private func lastLocation(for manager: ClientManager) throws(RPCError) -> LocationResult {
        let authorization = engine.authorization(of: manager.id)
        guard authorization.isAuthorized else {
            throw RPCError(.notPermitted, "cannot tell the location: this app is not authorized")
        }
        let isReduced =
            authorization.accuracy == .reduced || engine.properties(of: manager.id).desiredAccuracy == .reduced
        guard isReduced else { return LocationResult(engine.lastLocation) }
        return LocationResult(log.entry(sequence: engine.reducedSequence)?.location.reducedView)
    }

    /// Refuses what this client may not ask. Agents are told apart from others by what they ask about.
    private func admit(_ manager: ClientManager, to method: Method) throws(RPCError) {
        guard method.sender == .administrator, !manager.peer.isAdmin() else { return }
        let what = method == .reload ? "reload" : "carry out \(method.name)"
        throw RPCError(.notPermitted, "cannot \(what): only uid 0 and members of the admin group may")
    }

    private func reloadForClient() throws(RPCError) {
        do {
            try reload()
        } catch {
            throw RPCError(.unavailable, "cannot reload: \(error)")
        }
    }

    // MARK: Greeting

    private func greet(
        _ hello: HelloParameters, _ id: RequestID, _ manager: ClientManager, at now: BootInstant
    ) throws(RPCError) -> ClientManager {
        guard !manager.hasAsked else {
            throw RPCError(.invalidRequest, "cannot say hello now: it is the first request of a connection or none")
        }
        let identity = try self.identity(of: manager)
        // Whose time is up is gone now, whenever the timer is served.
        if hello.manager != nil { decide(.woke, at: now) }
        if let token = hello.manager, let former = self.manager(with: token), former.channel == nil,
            former.identity == identity, former.label == (hello.app == identity.name ? nil : hello.app)
        {
            return rejoin(former, from: manager, hello, id, at: now)
        }
        manager.usageDescriptions = hello.usageDescriptions
        manager.isApp = true
        try identify(manager, label: hello.app, at: now)
        manager.hasAsked = true
        manager.awaitsEvents = hello.events
        manager.takesEvents = hello.events
        noteWaking(manager, hello)
        manager.token = makeToken()
        keeper.keep(manager, journal)
        if hello.presence == .foreground { decide(.asked(manager.id, .setPresence(.foreground)), at: now) }
        reply(to: id, manager, rejoined: false)
        decide(.greeted(manager.id, keepsEvents: hello.events), at: now)
        keeper.save(manager, engine.record(of: manager.id), journal)
        return manager
    }

    /// Gives the connection its former manager back.
    private func rejoin(
        _ former: ClientManager, from manager: ClientManager, _ hello: HelloParameters, _ id: RequestID,
        at now: BootInstant
    ) -> ClientManager {
        forgetAway(former)
        former.usageDescriptions = hello.usageDescriptions
        former.manifest = manager.manifest
        former.controlGroup = manager.controlGroup
        former.isSystemUnit = manager.isSystemUnit
        if let identity = manager.identity { _ = enter(identity, manager, at: now) }
        former.awaitsEvents = hello.events
        former.takesEvents = hello.events
        former.toldEvent = 0
        former.hasEventBacklog = false
        noteWaking(former, hello)
        former.channel = manager.channel
        former.connection = manager.connection
        (former.isFull, former.awaitsRoom) = (manager.isFull, manager.awaitsRoom)
        former.peer = manager.peer
        manager.channel = nil
        remove(manager)
        let presence = hello.presence ?? engine.presence(of: former.id)
        let kept = former.outbox.takeAll()
        reply(to: id, former, rejoined: true)
        let delivered = resumePoint(former.outbox.delivered)
        decide(.managerAttached(former.id, delivered: delivered, presence: presence), at: now)
        decide(.greeted(former.id, keepsEvents: hello.events), at: now)
        former.outbox.append(kept)
        markDirty(former)
        return former
    }

    private func reply(to id: RequestID, _ manager: ClientManager, rejoined: Bool) {
        guard let token = manager.token, let identity = manager.identity else { return }
        let authorization = engine.authorization(of: manager.id)
        manager.outbox.reply(
            ReplyWriter.result(
                id,
                HelloResult(
                    version: locationdVersion, app: manager.label ?? manager.manifest?.identifier,
                    identity: identity.description, manager: token,
                    rejoined: rejoined, authorizationStatus: authorization.status,
                    accuracyAuthorization: authorization.accuracyOnTheWire, capabilities: capabilities,
                    eventsDropped: manager.app.map { engine.eventsDropped(of: $0) } ?? 0)))
    }

    /// What can be asked for here.
    private var capabilities: Capabilities {
        Capabilities(
            regionMonitoring: true, visits: true, heading: engine.hasHeading,
            maximumRegionMonitoringDistance: configuration.regions.maximumRadius,
            maximumRegions: configuration.regions.regionsPerApp,
            maximumConditions: configuration.regions.conditionsPerApp)
    }

    /// An app that takes its events need not be started for them.
    private func noteWaking(_ manager: ClientManager, _ hello: HelloParameters) {
        guard hello.events, let name = manager.manifest?.identifier else { return }
        wakeFiles.clear(name)
    }
}

extension ManagerToken {
    /// A new one, from the kernel's random numbers.
    static func random() -> ManagerToken {
        var generator = SystemRandomNumberGenerator()
        return ManagerToken(high: generator.next(), low: generator.next())
    }
}
