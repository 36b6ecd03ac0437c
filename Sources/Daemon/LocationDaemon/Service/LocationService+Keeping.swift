// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore

// What an orderly stop leaves to the next process of clients that stay connected, and how that one goes on (Protocol 8.2).
extension LocationService {
    // MARK: Leaving

    /// What another process needs to go on with a manager whose connection is there.
    func kept(_ manager: ClientManager) -> KeptConnection {
        let isAgent = agents.contains { $0 === manager }
        guard manager.app != nil, let saved = SavedManager(manager, engine.record(of: manager.id)) else {
            return KeptConnection(manager, nil, isAgent: isAgent)
        }
        return KeptConnection(manager, KeptConnection.Manager(saved: saved, slot: manager.slot), isAgent: isAgent)
    }

    /// What the connections of `managers` share, in the order in which they are kept.
    func keptSurroundings(of managers: [ClientManager]) -> KeptSurroundings {
        let requests = engine.authorizationRequests.compactMap { request -> KeptSurroundings.Request? in
            guard let question = questions[request.number], let key = apps.key(of: request.app) else { return nil }
            return KeptSurroundings.Request(
                question: question, uid: key.identity.uid, unit: key.identity.name, label: key.label,
                connection: request.manager.flatMap { id in managers.firstIndex { $0.id == id } },
                purposeKey: request.purposeKey, since: request.since.nanoseconds)
        }
        let anchor = engine.keptAnchor.map { [$0.latitude, $0.longitude] } ?? []
        return KeptSurroundings(
            requests: requests, held: keptEvents, view: engine.keptView, rests: engine.stationaryPlaces,
            nextConnection: nextConnection, anchor: anchor)
    }

    private var keptEvents: [KeptSurroundings.Held] {
        apps.kept.compactMap { app in
            guard let (event, since) = engine.heldEvent(of: app), let key = apps.key(of: app) else { return nil }
            let stored = StoredEventContent(event.content)
            return KeptSurroundings.Held(
                uid: key.identity.uid, unit: key.identity.name, label: key.label, event: event.number,
                date: event.date.milliseconds, kind: stored.kind, content: Data(stored.bytes),
                since: since.nanoseconds)
        }
    }

    // MARK: Going on

    /// Takes a connection up that a former process left, up to what the engine has to know, which is gathered in `clients`. nil: it is not
    /// what it was, or not to be understood; its client may come back with its token.
    func takeUp(
        _ kept: KeptConnection, peer: Peer, channel: Channel, into clients: inout KeptClients, at now: BootInstant
    ) -> ClientManager? {
        let manager = openManager(peer: peer, channel: channel)
        guard kept.restore(manager) else {
            remove(manager)
            return nil
        }
        guard let left = kept.manager else { return manager }
        do throws(RPCError) {
            try takeUp(left, manager, into: &clients, at: now)
        } catch {
            journal.info("cannot go on with the connection of pid \(peer.pid): \(error.message)")
            remove(manager)
            return nil
        }
        if kept.isAgent, mayBeAgent(manager) { agents.append(manager) }
        // Who takes its events need not be started for them.
        if kept.takesEvents, let name = manager.manifest?.identifier { wakeFiles.clear(name) }
        return manager
    }

    /// Who it is follows from the socket again, and from what is said of such a process now.
    private func takeUp(
        _ left: KeptConnection.Manager, _ manager: ClientManager, into clients: inout KeptClients, at now: BootInstant
    ) throws(RPCError) {
        let identity = try identity(of: manager)
        guard identity == left.saved.identity else {
            throw RPCError(
                .identityMismatch, "it was \(left.saved.identity.description) and is \(identity.description)")
        }
        let label = left.saved.label
        if let label, manifests.hasManifest(named: label) {
            throw RPCError(.identityMismatch, "\(quoted(label)) has a manifest now")
        }
        let app = try enter(identity, manager, label: label, at: now)
        manager.app = app
        manager.isApp = true
        manager.label = label
        apps.join(app)
        manager.token = left.saved.token
        if let token = manager.token {
            if keeper.holds(token, in: left.slot) { manager.slot = left.slot } else { keeper.keep(manager, journal) }
        }
        clients.managers.append((manager.id, left.saved.record(of: app, isAway: false)))
    }

    /// Goes on with all that were taken up: `managers` by their place among the kept ones.
    func goOn(
        with clients: KeptClients, _ surroundings: KeptSurroundings, managers: [ClientManager?], at now: BootInstant
    ) {
        var clients = clients
        let (surroundings, damaged) = surroundings.usable
        if damaged > 0 {
            journal.warning(
                "left out \(damaged) records of the former process: what they say cannot be", .storeRepaired)
        }
        clients.stationaryPlaces = surroundings.rests
        if surroundings.anchor.count == 2 {
            clients.anchor = Coordinate(latitude: surroundings.anchor[0], longitude: surroundings.anchor[1])
        }
        for request in surroundings.requests {
            let identity = PeerIdentity(uid: request.uid, name: request.unit)
            guard let app = try? enter(identity, nil, label: request.label, at: now),
                let number = apps.identity(of: app)
            else { continue }
            questions[request.question.request] = request.question
            let manager = request.connection.flatMap { managers.indices.contains($0) ? managers[$0]?.id : nil }
            clients.requests.append(
                LocationEngine.AuthorizationRequest(
                    number: request.question.request, identity: number, app: app, manager: manager,
                    level: request.question.level, purposeKey: request.purposeKey,
                    since: BootInstant(nanoseconds: request.since)))
        }
        clients.view = surroundings.view
        clients.held = surroundings.held.compactMap { held in
            let identity = PeerIdentity(uid: held.uid, name: held.unit)
            guard let content = StoredEventContent(kind: held.kind, bytes: Array(held.content)).content,
                let app = try? enter(identity, nil, label: held.label, at: now)
            else { return nil }
            let event = AppEvent(number: held.event, date: WallTime(milliseconds: held.date), content: content)
            return (app, event, BootInstant(nanoseconds: held.since))
        }
        decide(.clientsKept(clients), at: now)
        for case let manager? in managers { markDirty(manager) }
        // Only now, since whose are too many are closed, and who is to be closed is open.
        for case let manager? in clients.absent.map({ self.managers[Int($0.manager.rawValue)] }) {
            noteAway(manager, at: now)
        }
    }
}
