// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

extension EngineBench {
    /// An orderly stop, and a new process that was handed all connections and knows of the others what was saved of them.
    mutating func restart(authorizing changed: Authorization? = nil) {
        if let changed { store.consents[IdentityID(rawValue: 0)] = changed.consent }
        let open = connections.keys.sorted().filter { engine.isOpen($0) }
        var clients = KeptClients()
        clients.managers = open.filter { connections[$0]?.isThere == true }
            .map { ($0, engine.state(of: $0), engine.kept($0)) }
        clients.requests = engine.authorizationRequests
        clients.rests = engine.keptRests
        clients.anchor = engine.keptAnchor
        let away = open.map { ($0, engine.state(of: $0)) }.filter { $0.1.isAway }
        let last = log.entries.last
        engine = Engine(
            configuration: configuration, newestSequence: last?.fix.location.sequence ?? 0,
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
            if changed != nil {
                people[identity] = BenchPerson(
                    choice: consent?.choice ?? .undecided, accuracy: consent?.accuracy ?? .full)
            }
            handle(.identityEntered(identity, decided: consent, policy: Consent(.undecided)))
        }
        for event in store.restoration { handle(event) }
        isRestoring = false
        handle(.clientsKept(clients))
        for (manager, state) in away { handle(.managerOpened(manager, state)) }
    }
}
