// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices

// Connections come and go; managers wait for theirs.
extension SimulatedDaemon {
    /// What errors name in the place of a socket.
    static let address = DaemonAddress(path: "(simulation)")

    mutating func connect(_ connection: SimulatedConnection) {
        activity += 1
        guard isRunning else {
            return connection.tell(.closed(.cannotConnect(SimulatedDaemon.address, reason: "the daemon is stopped")))
        }
        strangers.append(connection)
        connection.tell(.opened)
    }

    /// The session closed its connection, or the connection is to be lost.
    mutating func disconnect(_ connection: SimulatedConnection) {
        activity += 1
        strangers.removeAll { $0 === connection }
        guard let id = manager(on: connection), let index = clients.firstIndex(where: { $0?.id == id }) else { return }
        guard clients[index]?.token != nil else {
            decide(.managerClosed(id))
            clients[index] = nil
            return
        }
        clients[index]?.connection = nil
        clients[index]?.seq = 0
        decide(.managerDetached(id))
    }

    func manager(on connection: SimulatedConnection) -> ManagerID? {
        clients.lazy.compactMap { $0 }.first { $0.connection === connection }?.id
    }

    // MARK: Greeting

    mutating func greet(_ hello: HelloParameters, _ id: RequestID, _ connection: SimulatedConnection) {
        strangers.removeAll { $0 === connection }
        // Whose time is up is gone now, whenever the timer is served.
        if hello.manager != nil { decide(.woke) }
        if let token = hello.manager,
            let former = clients.firstIndex(where: {
                $0?.token == token && $0?.connection == nil && $0?.label == hello.app
            })
        {
            return rejoin(former, hello, id, connection)
        }
        let client = open(hello, token: newToken(), connection)
        let manager = client.id
        if hello.presence == .foreground { decide(.asked(manager, .setPresence(.foreground))) }
        answerHello(of: client, id, rejoined: false)
        decide(.greeted(manager, keepsEvents: hello.events))
    }

    /// A manager for whoever asks for something without a greeting; nothing of it is kept when the connection ends.
    mutating func openUngreeted(_ connection: SimulatedConnection) -> ManagerID {
        strangers.removeAll { $0 === connection }
        return open(HelloParameters(), token: nil, connection).id
    }

    private mutating func open(
        _ hello: HelloParameters, token: ManagerToken?, _ connection: SimulatedConnection
    ) -> Client {
        let app = app(labelled: hello.app)
        let slot = clients.firstIndex { $0 == nil } ?? clients.count
        if slot == clients.count { clients.append(nil) }
        var client = Client(
            id: ManagerID(rawValue: Int32(slot)), app: app, label: hello.app, token: token, connection: connection)
        client.usage = hello.usageDescriptions
        client.takesEvents = hello.events
        clients[slot] = client
        decide(.managerOpened(client.id, ManagerRecord(app: app, presence: .background)))
        return client
    }

    /// Gives the connection its former manager back.
    private mutating func rejoin(
        _ slot: Int, _ hello: HelloParameters, _ id: RequestID, _ connection: SimulatedConnection
    ) {
        guard var client = clients[slot] else { return }
        let kept = client.kept
        client.kept = []
        client.usage = hello.usageDescriptions
        client.takesEvents = hello.events
        client.connection = connection
        clients[slot] = client
        answerHello(of: client, id, rejoined: true)
        let presence = hello.presence ?? engine.presence(of: client.id)
        let delivered = resumePoint(client.delivered)
        decide(.managerAttached(client.id, delivered: delivered, presence: presence))
        decide(.greeted(client.id, keepsEvents: hello.events))
        for notification in kept { notify(client.id, notification) }
    }

    private mutating func answerHello(of client: Client, _ id: RequestID, rejoined: Bool) {
        guard let token = client.token else { return }
        let authorization = engine.authorization(of: client.id)
        let result = HelloResult(
            version: locationdVersion, app: client.label, identity: "simulation", manager: token, rejoined: rejoined,
            authorizationStatus: authorization.status, accuracyAuthorization: authorization.accuracyOnTheWire,
            capabilities: engine.capabilities,
            eventsDropped: engine.eventsDropped(of: client.app))
        write(ReplyWriter.result(id, result), .reply, client.connection)
    }

    /// What the log knows of a sequence.
    func resumePoint(_ sequence: UInt64) -> ResumePoint { ResumePoint(sequence: sequence, location: log[sequence]) }

    // MARK: Losses

    /// Loses all connections.
    mutating func loseConnections(because reason: String) {
        note(.daemon, reason)
        for connection in strangers + clients.compactMap({ $0?.connection }) {
            disconnect(connection)
            connection.tell(.closed(.disconnected(SimulatedDaemon.address, reason: reason)))
        }
    }

    /// Nobody is there to answer.
    mutating func stop() {
        guard isRunning else { return }
        isRunning = false
        loseConnections(because: "the daemon stopped")
        isReceiverOn = false
    }

    /// A new process of the daemon, which finds what the former one left; without the managers, where those are to be lost.
    mutating func start(losingManagers: Bool) {
        guard !isRunning else { return }
        isRunning = true
        note(.daemon, "the daemon started" + (losingManagers ? " and knows no managers" : ""))
        let former = engine
        if losingManagers { clients = [] }
        let lastKnown = former.lastLocation.flatMap { last in former.lastFixAt.map { (location: last, at: $0) } }
        engine = Engine(
            configuration: former.configuration, newestSequence: former.newestSequence, last: lastKnown,
            reducedSequence: former.reducedSequence, travelled: log.travelled,
            authorizationRequests: former.newestAuthorizationRequest, at: clock.now)
        restore(from: former)
        for client in clients.compactMap({ $0 }) {
            var record = former.record(of: client.id)
            record.isAway = true
            decide(.managerOpened(client.id, record))
        }
        for (_, watcher) in watchers.sorted(by: { $0.key < $1.key }) { watcher() }
    }

    private mutating func restore(from former: Engine) {
        let (consent, isDecided) = former.consent(of: SimulatedDaemon.identity)
        decide(.servicesSwitched(former.areServicesEnabled))
        decide(
            .identityEntered(
                SimulatedDaemon.identity, decided: isDecided ? consent : nil, policy: Consent(.undecided)))
        for app in appNumbers.values.sorted() {
            decide(.appEntered(app, former.record(of: app)))
            for region in former.monitoredRegions(of: app) {
                let state = former.region(region.identifier, of: app)?.state ?? .unknown
                decide(.regionRestored(app, region, state))
            }
            for name in former.monitorNames(of: app) {
                decide(.monitorRestored(app, name: name))
                for condition in former.conditions(ofMonitor: name, of: app) {
                    decide(
                        .conditionRestored(
                            app, monitor: name,
                            RestoredCondition(
                                identifier: condition.identifier, shape: condition.shape,
                                lastEvent: condition.lastEvent)))
                }
            }
        }
        if let stay = former.stay { decide(.stayRestored(stay)) }
    }
}
