// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices

// Connections come and go; managers wait for theirs.
extension SimulatedDaemon {
    /// Errors name it in the place of a socket.
    static let address = DaemonAddress(path: "(simulation)")

    func connect(_ connection: SimulatedConnection) {
        activity += 1
        guard isRunning else {
            return connection.tell(.closed(.cannotConnect(SimulatedDaemon.address, reason: "the daemon is stopped")))
        }
        let manager = service.openManager(peer: .app, channel: SimulatedChannel(self, connection))
        manager.who.identity = SimulatedDaemon.app
        connections.append((connection, manager))
        connection.tell(.opened)
    }

    func receive(_ call: Call, _ id: RequestID, from connection: SimulatedConnection) {
        activity += 1
        note(.request, "\(call)")
        // Nobody listens to what a connection says after its end.
        guard let index = connections.firstIndex(where: { $0.connection === connection }) else { return }
        connections[index].manager = service.receive(
            .success(RequestEnvelope(id: id, call: call)), from: connections[index].manager, at: clock.now)
        service.markDirty(connections[index].manager)
        service.flush()
    }

    /// The session closed its connection, or the connection is to be lost.
    func disconnect(_ connection: SimulatedConnection) {
        activity += 1
        guard let index = connections.firstIndex(where: { $0.connection === connection }) else { return }
        service.disconnect(connections.remove(at: index).manager, at: clock.now)
    }

    // MARK: Losses

    /// Loses all connections.
    func loseConnections(because reason: String) {
        note(.daemon, reason)
        for (connection, _) in connections {
            disconnect(connection)
            connection.tell(.closed(.disconnected(SimulatedDaemon.address, reason: reason)))
        }
    }

    /// Nobody is there to answer.
    func stop() {
        guard isRunning else { return }
        isRunning = false
        loseConnections(because: "the daemon stopped")
        isReceiverOn = false
    }

    /// A new process of the daemon, which finds what the former one left; without the managers, where those are to be lost.
    func start(losingManagers: Bool) {
        guard !isRunning else { return }
        isRunning = true
        note(.daemon, "the daemon started" + (losingManagers ? " and knows no managers" : ""))
        if losingManagers { for manager in service.managers.all where manager.app != nil { service.remove(manager) } }
        let last = service.engine.lastLocation
        let lastKnown = service.engine.lastFixAt.flatMap { at in last.map { (location: $0, at: at) } }
        var former = Engine(
            configuration: service.engine.configuration, newestSequence: service.engine.newestSequence, last: lastKnown,
            reducedSequence: service.engine.reducedSequence, travelled: memory.travelled,
            authorizationRequests: service.engine.newestAuthorizationRequest, at: clock.now)
        swap(&former, &service.engine)
        restore(from: former)
        handle(.deviceHears(hearsBeacons))
        for manager in service.managers.all where manager.app != nil {
            var record = former.record(of: manager.id)
            record.isAway = true
            handle(.managerOpened(manager.id, record))
        }
        for (_, watcher) in watchers.sorted(by: { $0.key < $1.key }) { watcher() }
    }

    /// Tells the engine what a daemon has on its disk.
    private func restore(from former: borrowing Engine) {
        let (consent, isDecided) = former.consent(of: identity)
        handle(.servicesSwitched(former.areServicesEnabled))
        handle(
            .identityEntered(
                identity, user: SimulatedDaemon.app.uid, decided: isDecided ? consent : nil,
                policy: Consent(.undecided)))
        for app in service.apps.apps(of: identity) {
            handle(.appEntered(app, former.record(of: app)))
            for region in former.monitoredRegions(of: app) {
                let state = former.region(region.identifier, of: app)?.state ?? .unknown
                handle(.regionRestored(app, region, state))
            }
            for name in former.monitorNames(of: app) {
                handle(.monitorRestored(app, name: name))
                for condition in former.conditions(ofMonitor: name, of: app) {
                    handle(
                        .conditionRestored(
                            app, monitor: name,
                            RestoredCondition(
                                identifier: condition.identifier, shape: condition.shape,
                                lastEvent: condition.lastEvent, pendingNumber: condition.pendingNumber,
                                found: condition.found)))
                }
            }
        }
        if let stay = former.stay { handle(.stayRestored(stay)) }
    }
}
