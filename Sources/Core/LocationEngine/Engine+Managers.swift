// SPDX-License-Identifier: Apache-2.0
import LocationModel

// The life of a manager (Protocol 8.1): opened, without its connection for a while, taken back, closed; and in another process (8.2).
extension Engine {
    mutating func open(_ manager: ManagerID, _ record: ManagerRecord) {
        enter(manager, record)
        authorizations.refreshSessions(of: record.app, &directory, &services, &turn)
    }

    /// Opens the manager, but for what its app's other managers have to say, too.
    private mutating func enter(_ manager: ManagerID, _ record: ManagerRecord) {
        while directory.managers.count <= manager.index { directory.managers.append(Directory.Manager()) }
        directory[manager] = Directory.Manager()
        directory[manager].isOpen = true
        directory[manager].app = record.app
        directory[manager].presence = record.presence
        directory[manager].properties = record.properties
        directory[manager].keepsEvents = record.keepsEvents
        directory[manager].awayUntil = record.isAway ? turn.now + turn.configuration.rejoinTime : nil
        if record.isAway { directory.away.append(manager) }
        // Whether the manager is a use of its app depends on its sessions, and what its services may have on that.
        services.sessions.open(manager, record, directory, &turn)
        authorizations.refreshUse(manager, &directory, &services, &turn)
        if let allowance = record.allowance {
            authorizations.takeUp(allowance, of: manager, &directory, &services, &turn)
        }
        // A manager that comes from a record is told later what its services begin with.
        let told = turn.effects.effects.count
        services.tell(.open(manager, record), directory, &turn)
        turn.effects.effects.removeSubrange(told...)
    }

    mutating func detach(_ manager: ManagerID) {
        directory[manager].awayUntil = turn.now + turn.configuration.rejoinTime
        directory.away.append(manager)
        services.tell(.detached(manager), directory, &turn)
        let app = directory.app(of: manager)
        authorizations.refreshUse(manager, &directory, &services, &turn)
        authorizations.refreshSessions(of: app, &directory, &services, &turn)
        turn.wakeForWhatIsLeft(of: app, directory)
        turn.save(manager)
    }

    /// First what ended while the client was away, each finish with what is left of its batch, then what it has not seen.
    mutating func attach(_ manager: ManagerID, delivered: ResumePoint, presence: Presence) {
        let app = directory.app(of: manager)
        directory[manager].awayUntil = nil
        directory[manager].keepsUse = false
        directory[manager].presence = presence
        directory[manager].hasAnnouncedAuthorization = false
        directory.away.removeAll { $0 == manager }
        turn.firstEvent = turn.events[app].next
        defer { turn.firstEvent = .max }
        authorizations.refreshUse(manager, &directory, &services, &turn)
        announceAuthorization(to: manager)
        services.tell(.attached(manager, delivered), directory, &turn)
        authorizations.refreshSessions(of: app, returning: manager, &directory, &services, &turn)
        services.tell(.tellMissed(manager), directory, &turn)
        if services.wants(manager, directory, turn) { turn.questions.append(.service(manager)) }
        services.tell(.resume(manager, delivered), directory, &turn)
    }

    /// Once, right after the answer to the first `hello`, `start…` or `request…` (Protocol 4.2).
    mutating func announceAuthorization(to manager: ManagerID) {
        guard !directory[manager].hasAnnouncedAuthorization else { return }
        directory[manager].hasAnnouncedAuthorization = true
        turn.append(.announceAuthorization(manager, initial: true))
    }

    mutating func closeOverdue() {
        while let manager = directory.away.first, let end = directory[manager].awayUntil, end <= turn.now {
            directory.away.removeFirst()
            close(manager)
            turn.append(.closeManager(manager))
        }
    }

    mutating func close(_ manager: ManagerID) {
        guard directory.isOpen(manager) else { return }
        let (app, wasAway) = (directory.app(of: manager), directory.isAway(manager))
        if wasAway { services.tell(.expired(manager), directory, &turn) }
        directory[manager].isOpen = false
        turn.touch(directory[app].identity)
        authorizations.refreshUse(manager, &directory, &services, &turn)
        services.tell(.closed(manager), directory, &turn)
        directory.away.removeAll { $0 == manager }
        directory[manager] = Directory.Manager()
        authorizations.refreshSessions(of: app, &directory, &services, &turn)
        if !wasAway { turn.wakeForWhatIsLeft(of: app, directory) }
    }

    mutating func enter(_ app: AppID, _ record: AppRecord) {
        while directory.apps.count <= app.index { directory.apps.append(Directory.App()) }
        directory[app] = Directory.App()
        directory[app].identity = record.identity
        directory[app].authorization = directory.authorization(of: record.identity)
        turn.enterEvents(of: app, record, directory)
        services.tell(.enter(app, record), directory, &turn)
        turn.touch(record.identity)
    }

    // MARK: Another process

    /// Goes on with the managers of a former process as if it were that one: nothing that was told is told again. What changed meanwhile (an
    /// authorization, by the configuration or a manifest) is told as if it had changed now.
    ///
    /// All managers are open before anything is judged: a session of one is a reason for another's stream, and a use of one for its question.
    mutating func goOn(with clients: KeptClients) {
        authorizations.restore(clients, &directory)
        for index in directory.apps.indices {
            let app = AppID(rawValue: Int32(index))
            for event in turn.settleExactEvents(of: app, directory) {
                services.monitors.notePending(event, of: app, &turn)
            }
        }
        for (manager, record) in clients.managers {
            var record = record
            record.isAway = false
            record.allowance = nil
            enter(manager, record)
        }
        for (manager, record) in clients.absent { enter(manager, record) }
        let apps = clients.apps
        for app in apps {
            directory[app].sessionFlags = services.sessions.flags(of: app, directory)
            services.tell(.appRights(app, directory[app].unchanged), directory, &turn)
        }
        for (manager, record) in clients.managers {
            directory[manager].hasAnnouncedAuthorization = record.hasAnnouncedAuthorization
            services.tell(.goOn(manager, record), directory, &turn)
        }
        turn.stationary.restore(clients.stationaryPlaces)
        turn.reducedView.restore(clients.view, newestSequence: turn.intake.newestSequence, at: turn.now)
        for held in clients.held where directory[held.app].authorization.isProvisional {
            turn.events[held.app].held = (held.event, held.since)
        }
        if let anchor = clients.anchor { turn.intake.takeUp(anchor: anchor) }
        authorizations.tellChanges(of: apps, &directory, &services, &turn)
        for (manager, _) in clients.managers {
            services.live.tellFlags(of: manager, directory, &turn)
            turn.save(manager)
        }
        turn.haveSessionsToTell = true
        if !clients.managers.isEmpty { turn.noteServiceStart() }
        for request in clients.requests where directory[request.identity].uses == 0 {
            // Its client went while no daemon ran.
            authorizations.withdrawRequests(of: request.identity, &directory, &turn)
        }
    }
}
