// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import LocationEngine
import LocationModel

extension EngineBench {
    /// An orderly stop, and a new process that was handed all connections and knows of the others what was saved of them.
    mutating func restart(authorizing changed: Authorization? = nil) {
        if let changed { store.consents[IdentityID(rawValue: 0)] = changed.consent }
        let open = connections.keys.sorted().filter { engine.isOpen($0) }
        var clients = KeptClients()
        clients.managers = open.filter { connections[$0]?.isThere == true }
            .map { ($0, written(engine.record(of: $0))) }
        clients.absent = open.map { ($0, written(engine.record(of: $0))) }.filter { $0.1.isAway }
        clients.requests = engine.authorizationRequests
        clients.stationaryPlaces = engine.stationaryPlaces
        clients.anchor = engine.keptAnchor
        clients.view = engine.keptView
        clients.held = store.apps.keys.sorted().compactMap { app in
            engine.heldEvent(of: app).map { (app, $0.event, $0.since) }
        }
        keptUses = []
        beginAnew(takesPeople: changed != nil)
        handle(.clientsKept(clients))
    }

    /// `kill -9` and a new process: what was saved, the log and the places of the cursors are all that is left.
    mutating func kill(
        unwritten: [ManagerID: Int] = [:], skipping skipped: UInt64 = 0, authorizing changed: Authorization? = nil
    ) {
        if let changed { store.consents[IdentityID(rawValue: 0)] = changed.consent }
        prompts = [:]
        for manager in connections.keys.sorted() {
            connections[manager]?.isThere = false
            connections[manager]?.outbox = []
        }
        keptUses = []
        beginAnew(skipping: skipped, takesPeople: true)
        var clients = KeptClients()
        for manager in saved.keys.sorted() where !closed.contains(manager) {
            guard var state = saved[manager] else { continue }
            connections[manager]?.lose(unwritten[manager] ?? 0)
            state = written(state)
            state.isAway = true
            clients.absent.append((manager, state))
        }
        handle(.clientsKept(clients))
    }

    /// The record as another process reads it.
    private mutating func written(_ record: ManagerRecord) -> ManagerRecord {
        do {
            var read = try JSONDecoder().decode(ManagerRecord.self, from: try JSONEncoder().encode(record))
            if !read.isUsable { violations.append("a record is not usable") }
            read.app = record.app
            read.isAway = record.isAway
            return read
        } catch {
            violations.append("\(error)")
            return record
        }
    }

    /// `takesPeople`: what people allowed is as it was stored.
    private mutating func beginAnew(skipping skipped: UInt64 = 0, takesPeople: Bool) {
        let last = log.entries.last
        engine = Engine(
            configuration: configuration, newestSequence: (last?.fix.location.sequence ?? 0) + skipped,
            last: last.map { ($0.fix.location, $0.at) },
            reducedSequence: log.entries.last { $0.fix.flags.contains(.reducedView) }?.fix.location.sequence ?? 0,
            travelled: last?.fix.odometer ?? 0, authorizationRequests: newestPrompt, at: now)
        isReceiverOn = false
        using = []
        isRestoring = true
        handle(.dated(wallTime))
        if !areServicesEnabled { handle(.servicesSwitched(false)) }
        for identity in people.keys.sorted() {
            let consent = store.consents[identity]
            if takesPeople {
                people[identity] = BenchPerson(
                    choice: consent?.choice ?? .undecided, accuracy: consent?.accuracy ?? .full)
            }
            handle(.identityEntered(identity, decided: consent, policy: Consent(.undecided)))
            if requiringSessions.contains(identity) { handle(.sessionsRequired(identity, true)) }
        }
        for event in store.restoration { handle(event) }
        isRestoring = false
    }
}
