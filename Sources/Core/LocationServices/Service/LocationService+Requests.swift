// SPDX-License-Identifier: Apache-2.0
import LocationEngine
package import LocationModel
package import LocationProtocol

extension LocationService {
    /// Finishes that a client may leave unconfirmed before its further requests wait.
    package static let unconfirmedFinishes = 8

    /// Carries out one request of a client, up to its reply. The notifications that it causes are queued, and written by `flush`.
    ///
    /// - Returns: The manager that the connection has now: `hello` may take another one back.
    package func receive(
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
        case .success(let envelope): request = ClientRequest(envelope, manager, at: now, host.date())
        }
        do throws(RPCError) {
            if case .hello(let hello) = request.call {
                return try Greeting(service: self, hello: hello, request: request).answer()
            }
            if let answer = try carryOut(request) { manager.outbox.reply(answer) }
            if case .takeNotices = request.call { Noticing(service: self).begin(with: manager) }
            if case .registerAgent = request.call {
                let prompts = Prompting(service: self)
                for question in prompts.pendingRequests(for: manager) {
                    prompts.tell([manager], NotificationWriter.authorizationRequested(question))
                }
            }
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
        if case .status(let scope) = request.call {
            return ReplyWriter.result(request.id, StatusDocument(self, at: request.now).status(scope, for: manager))
        }
        if case .satellites = request.call {
            try admitToSatellites(manager)
            return ReplyWriter.result(request.id, host.satellites(request.now))
        }
        if case .asked(let asked) = request.call {
            try ask(asked, request)
            return nil
        }
        if let app = manager.app,
            let answer = try engine.answer(
                to: request.id, request.call, of: manager.id, app, location: { keeper.log.location($0) })
        {
            return answer
        }
        if let answer = try host.answerHistory(request) { return answer }
        if let answer = try host.answerProvider(request) { return answer }
        if let answer = try Administration(service: self, request: request).answer() { return answer }
        throw RPCError(.unavailable, "cannot carry out \(request.method.name): this daemon does not offer it")
    }

    /// Has the engine decide about `asked`, once what it leaves behind is on the disk.
    private func ask(_ asked: Request, _ request: ClientRequest) throws(RPCError) {
        let circumstances = try RequestCircumstances(service: self, manager: request.manager).circumstances(of: asked)
        var request = request
        let records = RequestRecords(self, request, asked)
        request.written = try records?.write() ?? []
        decide(.asked(request.manager.id, asked, circumstances), for: request, at: request.now)
        records?.finish()
    }

    /// The client sent this after all that it has been sent, so it has seen every finish among that.
    private func confirmFinishes(_ manager: ClientManager, at now: BootInstant) {
        guard manager.outbox.isEmpty, engine.unconfirmedFinishes(of: manager.id) > 0 else { return }
        decide(.finishesConfirmed(manager.id), at: now)
    }

    /// Refuses what this client may not ask. Agents are told apart from others by what they ask about.
    private func admit(_ manager: ClientManager, to method: Method) throws(RPCError) {
        guard [.administrator, .provider].contains(method.sender), !manager.peer.isAdmin() else { return }
        if method.sender == .provider {
            guard !mayProvide(manager) else { return }
            throw RPCError(
                .notPermitted,
                "cannot carry out \(method.name): only those whom [Providers] of the configuration names, uid 0 and "
                    + "members of the admin group may")
        }
        let what = method == .reload ? "reload" : "carry out \(method.name)"
        throw RPCError(.notPermitted, "cannot \(what): only uid 0 and members of the admin group may")
    }

    /// Whether the client of a connection is there and may say where the device is.
    package func mayProvide(_ connection: UInt64) -> Bool {
        managers.first { $0.connection == connection }.map(mayProvide) ?? false
    }

    /// Ends the hearing of those who may not say what they hear any more.
    package func keepBeaconProviders(at now: BootInstant) {
        for manager in managers.all where manager.channel != nil { keepProvider(manager, at: now) }
    }

    /// Ends the hearing of a client that is there, if it may not say what it hears.
    func keepProvider(_ manager: ClientManager, at now: BootInstant) {
        if manager.app != nil, !mayProvide(manager), engine.report(of: manager.id, at: now).wantedBeacons != nil {
            handle(.asked(manager.id, .withdrawBeacons(reason: nil)), at: now)
        }
    }

    private func mayProvide(_ manager: ClientManager) -> Bool {
        manager.peer.isAdmin() || rules.names(manager, in: settings.providers)
    }

    /// Over some hours a sky tells where it is seen from.
    private func admitToSatellites(_ manager: ClientManager) throws(RPCError) {
        guard !manager.peer.isAdmin() else { return }
        let authorization = engine.authorization(of: manager.id)
        guard authorization.isAuthorized, authorization.accuracy == .full else {
            throw RPCError(
                .notPermitted,
                "cannot tell the satellites: only apps that are authorized with full accuracy, and admins, may know them"
            )
        }
    }

    private func reloadForClient() throws(RPCError) {
        do {
            try host.reload()
        } catch {
            throw RPCError(.unavailable, "cannot reload: \(error)")
        }
    }
}
