// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore

extension LocationService {
    /// Finishes that a client may leave unconfirmed before its further requests wait.
    static let unconfirmedFinishes = 8

    /// Carries out one request of a client, up to its reply. What it causes is queued, and written by `flush`.
    ///
    /// - Returns: The manager that the connection has now: `hello` may take another one back.
    func receive(
        _ decoded: Result<RequestEnvelope, Refusal>, from manager: ClientManager, at now: BootInstant
    ) -> ClientManager {
        // A connection that ended meanwhile asks for nothing.
        guard manager.channel != nil else { return manager }
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
            manager.outbox.reply(ReplyWriter.result(envelope.id, OpenRPC.document()))
            return manager
        }
        try identify(manager, at: now)
        confirmFinishes(manager, at: now)
        switch envelope.call {
        case .getProperties:
            manager.outbox.reply(
                ReplyWriter.result(envelope.id, engine.state(of: manager.id).properties))
        case .location: manager.outbox.reply(ReplyWriter.result(envelope.id, try lastLocation(for: manager)))
        case .status(let scope):
            manager.outbox.reply(ReplyWriter.result(envelope.id, status(scope, for: manager, at: now)))
        case .reload:
            try reload(for: manager)
            manager.outbox.reply(ReplyWriter.empty(envelope.id))
        default:
            guard let request = engineRequest(envelope.call, manager, at: now) else {
                throw RPCError(
                    .unavailable, "cannot carry out \(envelope.method.rawValue): this daemon does not offer it")
            }
            manager.replyID = envelope.id
            if case .setProperties = envelope.call { manager.answersProperties = true }
            decide(.asked(manager.id, request), at: now)
        }
        return manager
    }

    /// The client sent this after all that it has been sent, so it has seen every finish among that.
    private func confirmFinishes(_ manager: ClientManager, at now: BootInstant) {
        guard manager.outbox.isEmpty, engine.unconfirmedFinishes(of: manager.id) > 0 else { return }
        decide(.finishesConfirmed(manager.id), at: now)
    }

    private func engineRequest(_ call: Call, _ manager: ClientManager, at now: BootInstant) -> Request? {
        switch call {
        case .setPresence(let presence): .setPresence(presence)
        case .setProperties(let patch): .setProperties(patch.apply(to: engine.state(of: manager.id).properties))
        case .startUpdatingLocation(let resumeAfter):
            .startUpdatingLocation(resumeAfter: resumeAfter.map { resumePoint($0) })
        case .stopUpdatingLocation: .stopUpdatingLocation
        case .requestLocation(let timeout):
            .requestLocation(timeout: timeout.map { .seconds($0) } ?? configuration.updates.requestTimeout)
        case .allowDeferredLocationUpdates(let criteria):
            .allowDeferredLocationUpdates(
                untilTraveled: criteria.untilTraveled ?? .infinity,
                timeout: criteria.timeout.map { .seconds($0) } ?? .unlimited)
        case .disallowDeferredLocationUpdates: .disallowDeferredLocationUpdates
        case .startMonitoringSignificantLocationChanges: .startMonitoringSignificantLocationChanges
        case .stopMonitoringSignificantLocationChanges: .stopMonitoringSignificantLocationChanges
        default: nil
        }
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
            authorization.accuracy == .reduced || engine.state(of: manager.id).properties.desiredAccuracy == .reduced
        guard isReduced else { return LocationResult(engine.lastLocation) }
        return LocationResult(log.entry(sequence: engine.reducedSequence)?.location.reducedView)
    }

    private func reload(for manager: ClientManager) throws(RPCError) {
        guard manager.peer.isAdmin() else {
            throw RPCError(.notPermitted, "cannot reload: only uid 0 and members of the admin group may")
        }
        do {
            try reload()
        } catch {
            throw RPCError(.unavailable, "cannot reload: \(error)")
        }
    }

    // MARK: Who is there

    /// Finds out who the client is, when that first matters, and opens its manager in the engine.
    private func identify(_ manager: ClientManager, label: String? = nil, at now: BootInstant) throws(RPCError) {
        guard manager.app == nil else { return }
        let identity = try self.identity(of: manager)
        let app = try enter(identity, label: label, at: now)
        manager.app = app
        manager.identity = identity
        manager.label = label
        decide(.managerOpened(manager.id, ManagerState(app: app, presence: .background)), at: now)
    }

    private func identity(of manager: ClientManager) throws(RPCError) -> PeerIdentity {
        if let identity = manager.identity { return identity }
        guard let identity = manager.peer.identify() else {
            throw RPCError(
                .notPermitted, "cannot tell who you are: your user has no number outside your user namespace")
        }
        manager.identity = identity
        return identity
    }

    /// The app of an identity and label, with the configured authorization if it is new.
    func enter(_ identity: PeerIdentity, label: String?, at now: BootInstant) throws(RPCError) -> AppID {
        guard let (app, isNew) = apps.enter(AppTable.Key(identity: identity, label: label)) else {
            throw RPCError(
                .limitExceeded,
                "cannot take app '\(label ?? "")': \(identity.description) uses \(AppTable.labelsPerIdentity) names already"
            )
        }
        if isNew { decide(.appEntered(app, configuration.defaultAuthorization), at: now) }
        return app
    }

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
            engine.canRejoin(former.id),
            former.identity == identity, former.label == hello.app
        {
            return rejoin(former, from: manager, hello, id, at: now)
        }
        try identify(manager, label: hello.app, at: now)
        manager.hasAsked = true
        manager.token = makeToken()
        keeper.keep(manager, journal)
        if hello.presence == .foreground { decide(.asked(manager.id, .setPresence(.foreground)), at: now) }
        reply(to: id, manager, rejoined: false)
        decide(.greeted(manager.id, keepsEvents: hello.events), at: now)
        keeper.save(manager, engine.state(of: manager.id), journal)
        return manager
    }

    /// Gives the connection its former manager back.
    private func rejoin(
        _ former: ClientManager, from manager: ClientManager, _ hello: HelloParameters, _ id: RequestID,
        at now: BootInstant
    ) -> ClientManager {
        forgetAway(former)
        former.channel = manager.channel
        former.peer = manager.peer
        manager.channel = nil
        remove(manager)
        let presence = hello.presence ?? engine.state(of: former.id).presence
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
                    version: locationdVersion, app: manager.label, identity: identity.description, manager: token,
                    rejoined: rejoined, authorizationStatus: authorization.status,
                    accuracyAuthorization: authorization.accuracyOnTheWire)))
    }
}

extension ManagerToken {
    /// A new one, from the kernel's random numbers.
    static func random() -> ManagerToken {
        var generator = SystemRandomNumberGenerator()
        return ManagerToken(high: generator.next(), low: generator.next())
    }
}
