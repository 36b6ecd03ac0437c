// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Events of apps (Protocol 7.5, 7.6): crossings, visits, monitors' events and significant changes.
///
/// An app that may always know is told later what it missed: such an event is stored before it is told, until one of the app's clients
/// acknowledges it; an app without a connection is woken. Other apps are told while they are in use, and else not at all. For an app
/// whose "always" is provisional the newest event is held until a person confirms (rule A3). All events of an app share one count of
/// numbers. What is stored is bounded by number and bytes; the oldest goes first. A fix costs nothing.
struct StoredEvents: Sendable {
    /// The events of one app.
    struct OfApp: Sendable {
        /// The number of the next one.
        var next: UInt64 = 1
        /// Numbers before this one are on record as given, so that telling an event without storing it needs no write.
        var reserved: UInt64 = 1
        /// Bytes that the stored ones take.
        var size = 0
        /// Stored events that are not acknowledged, oldest first.
        var stored: [AppEvent] = []
        /// Exact events of a former process, until it is known whether a use goes on in which the app may see them.
        var exact: [AppEvent] = []
        /// The newest event for which the app was woken again after it had gone without acknowledging it.
        var lastLeft: UInt64 = 0
        /// The newest event that waits for a person to say that "always" is meant, and when it happened.
        var held: (event: AppEvent, since: BootInstant)?
        /// Events that were dropped because nobody came for them.
        var dropped: UInt64 = 0

        func contains(_ number: UInt64) -> Bool { number != 0 && stored.contains { $0.number == number } }
    }

    private var apps = PerSlot<AppID, OfApp>(blank: OfApp())

    subscript(app: AppID) -> OfApp {
        _read { yield apps[app] }
        _modify { yield &apps[app] }
    }

    /// Bytes of all apps.
    fileprivate var size: Int { apps.ids.reduce(0) { $0 + apps[$1].size } }

    /// Apps of which something was kept.
    var known: some Sequence<AppID> { apps.ids }

    /// Numbers that are reserved at once.
    fileprivate static let reservation: UInt64 = 1 << 16
    /// Notices of an app, and of all apps of a user, that wait to be shown.
    static let (noticesPerApp, noticesPerUser) = (20, 64)

    mutating func clear(_ app: AppID) { apps.clear(app) }
}

extension Turn {
    // MARK: Telling

    /// Tells the clients of an app what happened. `holder`: only the manager that has the monitor open. Returns the event; nil: it may not be told, or
    /// waits for a person.
    @discardableResult
    mutating func tell(
        _ app: AppID, _ content: AppEvent.Content, on date: WallTime, holder: Monitors.Holder? = nil,
        _ directory: Directory
    ) -> AppEvent? {
        guard directory[app].mayHaveEvents else { return nil }
        let event = newEvent(of: app, content, on: date)
        let isStored = directory[app].storesEvents
        if isStored {
            if event.isNotice { makeRoomForNotice(of: app, directory) }
            store(event, of: app)
        } else {
            append(.saveApp(app))
            guard directory.isInUse(app) else {
                hold(event, of: app, directory)
                return nil
            }
        }
        if !event.isSignificantChange { announce(event, of: app, holder: holder, directory) }
        if isStored, !event.isNotice, !directory.hasConnection(app) { append(.wake(app)) }
        return event
    }

    /// An event with the next number; it is neither stored nor told yet.
    mutating func newEvent(of app: AppID, _ content: AppEvent.Content, on date: WallTime) -> AppEvent {
        let event = AppEvent(number: events[app].next, date: date, content: content)
        events[app].next += 1
        return event
    }

    /// Reserves numbers for events that are told without being stored. A client can cause these as fast as it likes, so a block of numbers is
    /// reserved with one write.
    mutating func reserveEvents(of app: AppID) {
        guard events[app].next > events[app].reserved else { return }
        events[app].reserved = events[app].next + StoredEvents.reservation
        append(.saveApp(app))
    }

    mutating func announce(_ event: AppEvent, of app: AppID, holder: Monitors.Holder?, _ directory: Directory) {
        if case .monitor = event.content {
            // A holder that is away is told of what is pending when it is back.
            guard let holder, !directory.isAway(holder.manager) else { return }
            return append(.event(holder.manager, index: effects.add(event), monitor: holder.number))
        }
        let index = effects.add(event)
        if event.isNotice { return append(.raiseNotice(app, index: index)) }
        for manager in directory.listeners(of: app) {
            // A client that is away and takes stored events is told of this one when it is back.
            if directory.isAway(manager), directory[manager].keepsEvents, directory[app].storesEvents { continue }
            append(.event(manager, index: index, monitor: 0))
        }
    }

    /// A client said `events: true`: what nobody acknowledged, oldest first. A significant change waits for the start of its service, a
    /// monitor's event for the opening of its monitor.
    mutating func tellStoredEvents(to manager: ManagerID, _ directory: Directory) {
        let app = directory.app(of: manager)
        guard directory[app].storesEvents else { return }
        for event in events[app].stored {
            switch event.content {
            case .region, .visit: append(.event(manager, index: effects.add(event), monitor: 0))
            case .monitor, .significantChange, .notice: break
            }
        }
    }

    /// Wakes an app whose last connection ended before it had acknowledged all events, because one may have come while it was ending. It
    /// does so once for each event, so that an app that never acknowledges is not started for ever.
    mutating func wakeForWhatIsLeft(of app: AppID, _ directory: Directory) {
        guard directory.apps.indices.contains(app.index), directory[app].storesEvents, !directory.hasConnection(app),
            let newest = events[app].stored.filter({ !$0.isNotice }).map(\.number).max(), newest > events[app].lastLeft
        else { return }
        events[app].lastLeft = newest
        append(.wake(app))
    }

    // MARK: Storing

    mutating func store(_ event: AppEvent, of app: AppID) {
        if event.isSignificantChange {
            for old in events[app].stored where old.isSignificantChange { forgetEvent(old.number, of: app) }
        }
        let size = event.storedSize
        // A notice pushes out no event that its app waits for.
        while !hasRoom(forEventOf: size, app),
            let oldest = events[app].stored.first(where: { $0.isNotice || !event.isNotice })
        {
            forgetEvent(oldest.number, of: app)
            if !oldest.isNotice { events[app].dropped += 1 }
        }
        if event.isNotice, !hasRoom(forEventOf: size, app) { return }
        events[app].stored.append(event)
        events[app].size += size
        append(.saveApp(app))
        append(.storeEvent(app, index: effects.add(event)))
    }

    private func hasRoom(forEventOf size: Int, _ app: AppID) -> Bool {
        guard events[app].stored.count < configuration.eventsPerApp,
            events[app].size + size <= configuration.eventBytesPerApp
        else { return false }
        return events.size + size <= configuration.eventBytes
    }

    mutating func forgetEvent(_ number: UInt64, of app: AppID) {
        guard let index = events[app].stored.firstIndex(where: { $0.number == number }) else { return }
        events[app].size -= events[app].stored.remove(at: index).storedSize
        append(.forgetEvent(app, number))
    }

    /// Forgets events from before `date`, which is the system's: a receiver's date may be anything.
    mutating func forgetEvents(before date: WallTime) {
        for app in events.known {
            let aged = events[app].stored.filter { $0.date < date }
            for event in aged { forgetEvent(event.number, of: app) }
            let lost = aged.count { !$0.isNotice }
            guard lost > 0 else { continue }
            events[app].dropped += UInt64(lost)
            append(.saveApp(app))
        }
    }

    // MARK: Notices

    /// Notices that nobody shows must not push out what apps wait for: they have bounds of their own, and the oldest goes.
    private mutating func makeRoomForNotice(of app: AppID, _ directory: Directory) {
        forgetOldNotices(of: [app], beyond: StoredEvents.noticesPerApp)
        guard let user = directory[directory[app].identity].user else { return }
        let ofUser = events.known.filter {
            directory.apps.indices.contains($0.index) && directory[$0].identity.rawValue >= 0
                && directory[directory[$0].identity].user == user
        }
        forgetOldNotices(of: ofUser, beyond: StoredEvents.noticesPerUser)
    }

    /// Makes room for one more.
    private mutating func forgetOldNotices(of apps: [AppID], beyond limit: Int) {
        let notices = apps.flatMap { app in events[app].stored.filter(\.isNotice).map { (app: app, event: $0) } }
            .sorted { $0.event.date < $1.event.date }
        for (app, event) in notices.prefix(max(0, notices.count + 1 - limit)) { forgetEvent(event.number, of: app) }
    }

    /// Forgets a notice that was shown; another event is its app's to acknowledge.
    mutating func forgetNotice(_ number: UInt64, of app: AppID) {
        guard events[app].stored.contains(where: { $0.number == number && $0.isNotice }) else { return }
        forgetEvent(number, of: app)
    }

    /// Forgets what would be shown of a region that is gone, or has no longer that notice.
    mutating func forgetNotices(ofRegion identifier: String, _ app: AppID, but kept: RegionNotice? = nil) {
        for event in events[app].stored {
            guard case .notice(let notice, region: identifier, _) = event.content, notice != kept else { continue }
            forgetEvent(event.number, of: app)
        }
    }

    // MARK: Holding

    /// Holds an event until a person confirms "always"; a newer one replaces it (rule A3).
    private mutating func hold(_ event: AppEvent, of app: AppID, _ directory: Directory) {
        guard directory[app].authorization.isProvisional else { return }
        // A notice holds no place that an event of the app could have.
        guard !event.isNotice else { return questions.append(.heldEvent(app)) }
        // Beacons tell of this moment; all else happened with the last fix.
        events[app].held = (event, event.date == date ? now : intake.lastFixAt ?? intake.openedAt)
        questions.append(.heldEvent(app))
    }

    /// A person has confirmed "always" or refused it. Returns the held event if it is to be told now; one that is too old is dropped.
    mutating func settleHeldEvent(of app: AppID, _ directory: Directory) -> AppEvent? {
        guard let held = events[app].held, !directory[app].authorization.isProvisional else { return nil }
        events[app].held = nil
        guard directory[app].storesEvents, now - held.since <= configuration.heldEventAge else { return nil }
        store(held.event, of: app)
        return held.event
    }

    // MARK: Rights

    mutating func discardEvents(of app: AppID, _ change: RightsChange, _ directory: Directory) {
        if change.isLost {
            // Consent is gone: nothing that was stored may be seen (Protocol 6.5).
            dropStored(of: app)
            events[app].held = nil
        } else if change.isReduced {
            // Exact events tell more than the app may know now.
            for event in events[app].stored where !event.isCoarse { forgetEvent(event.number, of: app) }
            if events[app].held?.event.isCoarse == false { events[app].held = nil }
        }
        if !directory[app].storesEvents { dropStored(of: app) }
    }

    private mutating func dropStored(of app: AppID) {
        for event in events[app].stored { append(.forgetEvent(app, event.number)) }
        events[app].stored.removeAll()
        events[app].size = 0
    }

    // MARK: Records

    /// Consent may have changed while no daemon ran.
    mutating func enterEvents(of app: AppID, _ record: AppRecord, _ directory: Directory) {
        events.clear(app)
        events[app].next = record.nextEvent
        events[app].dropped = record.eventsDropped
        let (stores, isFull) = (directory[app].storesEvents, directory[app].authorization.accuracy == .full)
        for event in record.events {
            if stores, isFull || event.isReduced {
                events[app].stored.append(event)
                events[app].size += event.storedSize
            } else if stores {
                events[app].exact.append(event)
            } else {
                append(.forgetEvent(app, event.number))
            }
        }
    }

    /// Stores exact events of a former process again if the app still has full accuracy, and forgets them if not. Returns those that it
    /// stores.
    mutating func settleExactEvents(of app: AppID, _ directory: Directory) -> [AppEvent] {
        let exact = events[app].exact
        guard !exact.isEmpty else { return [] }
        events[app].exact = []
        guard directory[app].authorization.accuracy == .full, directory[app].storesEvents else {
            for event in exact { append(.forgetEvent(app, event.number)) }
            return []
        }
        events[app].stored = (events[app].stored + exact).sorted { $0.number < $1.number }
        return exact
    }

    mutating func forgetEvents(of app: AppID) {
        events[app].stored.removeAll()
        events[app].size = 0
        events[app].exact.removeAll()
        events[app].held = nil
        events[app].dropped = 0
    }
}

extension AppEvent {
    /// Tells no more than the reduced view does.
    var isReduced: Bool { if case .significantChange(_, isReduced: true) = content { true } else { false } }
    /// Whether all that it says of the place is in the reduced view of it.
    package var isCoarse: Bool {
        switch content {
        case .region, .monitor, .notice: false
        case .significantChange(_, let isReduced): isReduced
        case .visit(let visit): visit.reducedPlace.coordinate == visit.coordinate
        }
    }

    var isSignificantChange: Bool { if case .significantChange = content { true } else { false } }
}
