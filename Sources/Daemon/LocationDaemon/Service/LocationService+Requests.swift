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
        // At the end, because carrying out may write what was queued before the reply.
        defer { markDirty(manager) }
        let request: ClientRequest
        switch decoded {
        case .failure(let refusal):
            manager.outbox.reply(ReplyWriter.refusal(refusal))
            return manager
        case .success(let envelope): request = ClientRequest(envelope, manager, at: now, wallTime())
        }
        do throws(RPCError) {
            if case .hello(let hello) = request.call { return try greet(hello, request) }
            if let answer = try carryOut(request) { manager.outbox.reply(answer) }
            if case .registerAgent = request.call { tellPendingRequests(to: manager) }
        } catch {
            manager.outbox.reply(ReplyWriter.refusal(request.id, error))
        }
        return manager
    }

    /// Carries out a request. Returns its answer; nil: the engine has said where it stands among the notifications, and it is queued there.
    private func carryOut(_ request: ClientRequest) throws(RPCError) -> [UInt8]? {
        let manager = request.manager
        manager.hasAsked = true
        if case .discover = request.call { return ReplyWriter.discovery(request.id) }
        // Not an app: `systemctl reload` asks as a process of this very service, which uses no location.
        if case .reload = request.call {
            try admit(manager, to: request.method)
            try reloadForClient()
            return ReplyWriter.empty(request.id)
        }
        if request.method.sender == .app { manager.isApp = true }
        try identify(manager, at: request.now)
        confirmFinishes(manager, at: request.now)
        try admit(manager, to: request.method)
        if let answer = try answerForDevice(request) { return answer }
        if let answer = try answerForDecision(request) { return answer }
        guard let asked = try engineRequest(of: request) else {
            throw RPCError(.unavailable, "cannot carry out \(request.method.name): this daemon does not offer it")
        }
        var request = request
        request.written = try keepPromise(of: request)
        var monitor: String?
        if case .closeMonitor(let number) = asked { monitor = engine.monitorName(number, of: manager.id) }
        decide(.asked(manager.id, asked), for: request, at: request.now)
        tidy(after: request, closing: monitor)
        return nil
    }

    /// The answer to a question about the device and about what the app owns; nil: it is another request.
    private func answerForDevice(_ request: ClientRequest) throws(RPCError) -> [UInt8]? {
        let (id, manager) = (request.id, request.manager)
        switch request.call {
        case .getProperties: return ReplyWriter.result(id, engine.properties(of: manager.id))
        case .location: return ReplyWriter.result(id, try lastLocation(for: manager))
        case .status(let scope): return ReplyWriter.result(id, status(scope, for: manager, at: request.now))
        case .stopRangingBeacons: return ReplyWriter.empty(id)
        case .monitoredRegions:
            return ReplyWriter.result(
                id, MonitoredRegions(manager.app.map { engine.monitoredRegions(of: $0) } ?? []))
        case .monitorRecord(let name):
            let number = UInt32(clamping: name.monitor)
            guard engine.monitorName(number, of: manager.id) != nil else { throw notFound("monitor \(name.monitor)") }
            let condition = engine.condition(name.identifier, inMonitor: number, of: manager.id)
            return ReplyWriter.result(
                id,
                MonitorRecordResult(condition.map { MonitorRecord(condition: $0.shape, lastEvent: $0.lastEvent) }))
        default: return nil
        }
    }

    func notFound(_ what: String) -> RPCError { RPCError(.notFound, "cannot find \(what): there is none") }

    /// What the engine is asked for a request; nil: it is not asked.
    private func engineRequest(of request: ClientRequest) throws(RPCError) -> Request? {
        let manager = request.manager
        let own = request.call.managerRequest(
            properties: engine.properties(of: manager.id), requestTimeout: configuration.updates.requestTimeout,
            resumePoint: { resumePoint($0) })
        if let own { return own }
        switch request.call {
        case .startRangingBeacons: return .startRangingBeacons
        case .startMonitoring(let region): return .startMonitoring(region)
        case .stopMonitoring(let identifier): return .stopMonitoring(identifier: identifier)
        case .requestState(let identifier): return .requestState(identifier: identifier)
        case .startMonitoringVisits: return .startMonitoringVisits
        case .stopMonitoringVisits: return .stopMonitoringVisits
        case .acknowledge(let event): return .acknowledge(event: event)
        case .openMonitor(let name): return .openMonitor(name: name)
        case .closeMonitor(let monitor): return .closeMonitor(UInt32(clamping: monitor))
        case .addCondition(let condition):
            return .addCondition(
                monitor: UInt32(clamping: condition.monitor), identifier: condition.identifier, condition.condition,
                assuming: condition.assuming, on: request.date)
        case .removeCondition(let name):
            return .removeCondition(monitor: UInt32(clamping: name.monitor), identifier: name.identifier)
        default: return try consentRequest(of: request)
        }
    }

    /// The client sent this after all that it has been sent, so it has seen every finish among that.
    private func confirmFinishes(_ manager: ClientManager, at now: BootInstant) {
        guard manager.outbox.isEmpty, engine.unconfirmedFinishes(of: manager.id) > 0 else { return }
        decide(.finishesConfirmed(manager.id), at: now)
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

    private func greet(_ hello: HelloParameters, _ request: ClientRequest) throws(RPCError) -> ClientManager {
        let (id, manager, now) = (request.id, request.manager, request.now)
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
