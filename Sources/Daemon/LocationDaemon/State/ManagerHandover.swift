// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import LocationStore
import SystemSupport

/// Leaves the clients that stay connected to the next process at an orderly stop, and goes on in that one with them and with those that
/// have to come back.
struct ManagerHandover {
    let service: LocationService
    let keeper: StateKeeper
    let now: BootInstant
    /// The managers that were taken up, and the state that they share, gathered for the engine.
    private var clients = KeptClients()

    init(_ service: LocationService, _ keeper: StateKeeper, at now: BootInstant) {
        (self.service, self.keeper) = (service, keeper)
        self.now = now
    }

    // MARK: Leaving

    /// Returns the record by which another process goes on with a manager whose connection is there.
    func kept(_ manager: ClientManager) -> KeptConnection {
        var kept: KeptConnection.Manager?
        if manager.app != nil, let saved = SavedManager(manager, service.engine.record(of: manager.id)) {
            kept = KeptConnection.Manager(saved: saved, slot: manager.slot)
        }
        return KeptConnection(
            manager, kept, isAgent: service.prompts.isAgent(manager),
            takesNotices: service.prompts.takesNotices(manager))
    }

    /// Returns the state that the connections of `managers` share; `managers` are in the order in which they are kept.
    func keptSurroundings(of managers: [ClientManager]) -> KeptSurroundings {
        let requests = service.engine.authorizationRequests.compactMap { request -> KeptSurroundings.Request? in
            guard let question = service.prompts[request.number], let key = service.apps.key(of: request.app) else {
                return nil
            }
            return KeptSurroundings.Request(
                question: question, uid: key.identity.uid, unit: key.identity.name, label: key.label,
                connection: request.manager.flatMap { id in managers.firstIndex { $0.id == id } },
                purposeKey: request.purposeKey, since: request.since.nanoseconds)
        }
        let anchor = service.engine.keptAnchor.map { [$0.latitude, $0.longitude] } ?? []
        return KeptSurroundings(
            requests: requests, held: keptEvents, view: service.engine.keptView, rests: service.engine.stationaryPlaces,
            nextConnection: service.managers.nextConnection, anchor: anchor)
    }

    private var keptEvents: [KeptSurroundings.Held] {
        service.apps.kept.compactMap { app in
            guard let (event, since) = service.engine.heldEvent(of: app), let key = service.apps.key(of: app) else {
                return nil
            }
            let stored = StoredEventContent(event.content)
            return KeptSurroundings.Held(
                uid: key.identity.uid, unit: key.identity.name, label: key.label, event: event.number,
                date: event.date.milliseconds, kind: stored.kind, content: KeptBytes(stored.bytes),
                since: since.nanoseconds)
        }
    }

    // MARK: Going on

    /// Takes a connection up that a former process left, up to what the engine has to know, which is gathered in `clients`. nil: it is not
    /// what it was, or not to be understood; its client may come back with its token.
    mutating func takeUp(_ kept: KeptConnection, peer: Peer, channel: any Channel) -> ClientManager? {
        let manager = service.openManager(peer: peer, channel: channel)
        guard kept.restore(manager) else {
            service.remove(manager)
            return nil
        }
        guard let left = kept.manager else { return manager }
        do throws(RPCError) {
            try takeUp(left, manager)
        } catch {
            service.journal.info("cannot go on with the connection of pid \(peer.pid): \(error.message)")
            service.remove(manager)
            return nil
        }
        if kept.isAgent { try? service.prompts.register(manager) }
        if kept.takesNotices { try? service.prompts.takeNotices(manager) }
        // An app that takes its events need not be started for them.
        if kept.takesEvents, let name = manager.who.manifest?.identifier { service.host.clearWake(name) }
        return manager
    }

    /// Takes up a manager, if its client's identity, which is found anew by the socket, is the one in the record.
    private mutating func takeUp(_ left: KeptConnection.Manager, _ manager: ClientManager) throws(RPCError) {
        let identity = try service.identity(of: manager)
        guard identity == left.saved.identity else {
            throw RPCError(
                .identityMismatch, "it was \(left.saved.identity.description) and is \(identity.description)")
        }
        let label = left.saved.label
        if let label, service.rules.manifests.hasManifest(named: label) {
            throw RPCError(.identityMismatch, "'\(label)' has a manifest now")
        }
        let app = try service.enter(identity, manager, label: label, at: now)
        manager.app = app
        manager.isApp = true
        manager.label = label
        service.apps.join(app)
        manager.token = left.saved.token
        if let token = manager.token {
            if keeper.holds(token, in: left.slot) {
                manager.slot = left.slot
            } else {
                keeper.keep(manager, service.journal.unlimited)
            }
        }
        clients.managers.append((manager.id, left.saved.record(of: app, isAway: false)))
    }

    /// Goes on with all that were taken up: `managers` by their place among the kept ones.
    mutating func goOn(_ surroundings: KeptSurroundings, managers: [ClientManager?]) {
        let (surroundings, damaged) = surroundings.usable
        if damaged > 0 {
            service.journal.warning(
                "left out \(damaged) records of the former process: what they say cannot be", .storeRepaired)
        }
        clients.stationaryPlaces = surroundings.rests
        if surroundings.anchor.count == 2 {
            clients.anchor = Coordinate(latitude: surroundings.anchor[0], longitude: surroundings.anchor[1])
        }
        for request in surroundings.requests {
            let identity = PeerIdentity(uid: request.uid, name: request.unit)
            guard let app = try? service.enter(identity, nil, label: request.label, at: now),
                let number = service.apps.identity(of: app)
            else { continue }
            service.prompts.add(request.question)
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
            guard let content = StoredEventContent(kind: held.kind, bytes: held.content.bytes).content,
                let app = try? service.enter(identity, nil, label: held.label, at: now)
            else { return nil }
            let event = AppEvent(number: held.event, date: WallTime(milliseconds: held.date), content: content)
            return (app, event, BootInstant(nanoseconds: held.since))
        }
        service.decide(.clientsKept(clients), at: now)
        for case let manager? in managers { service.markDirty(manager) }
        // Only now, since whose are too many are closed, and who is to be closed is open.
        for case let manager? in clients.absent.map({ service.managers[$0.manager] }) {
            service.noteAway(manager, at: now)
        }
    }

    // MARK: Those who have to come back

    /// Takes the managers up that a former process left, but for those whose clients never went, up to what the engine has to know, which is
    /// gathered in `clients`; each waits for its client as if the connection had just been lost.
    mutating func restoreManagers() {
        let taken = Set(service.managers.all.compactMap(\.slot))
        for (slot, saved, delivered) in keeper.savedManagers(service.journal.unlimited)
        where !taken.contains(slot) {
            let uid = saved.identity.uid
            let peer = Peer(
                pid: 0, uid: uid, controlGroup: { nil }, isMember: { Accounts.groups(of: uid).contains($0) },
                isAdmin: { false })
            let manager = service.openManager(peer: peer, channel: nil)
            manager.slot = slot
            manager.token = saved.token
            manager.who.identity = saved.identity
            manager.who.isSystemUnit = saved.wasSystemUnit
            service.rules.note(saved.identity, isSystemUnit: saved.wasSystemUnit)
            manager.hasAsked = true
            manager.outbox.delivered = delivered
            do throws(RPCError) {
                try restore(saved, manager)
            } catch {
                service.remove(manager)
            }
        }
    }

    private mutating func restore(_ saved: SavedManager, _ manager: ClientManager) throws(RPCError) {
        let app = try service.enter(saved.identity, nil, label: saved.label, at: now)
        manager.app = app
        manager.isApp = true
        manager.label = saved.label
        service.apps.join(app)
        clients.absent.append((manager.id, saved.record(of: app, isAway: true)))
    }
}
