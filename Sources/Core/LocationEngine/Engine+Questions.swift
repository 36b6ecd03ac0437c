// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Something that an app owns.
package enum AppBelonging: Sendable {
    case event(UInt64)
    case region
    case visits
    case monitor
}

// Questions of the shell, which the engine passes on to its parts.
extension Engine {
    /// The configuration in force.
    package var configuration: EngineConfiguration { turn.configuration }
    /// Turns that the caller began at an earlier time than the one before; they had that one's. Always 0 unless the caller is wrong.
    package var turnsBack: UInt64 { turn.turnsBack }

    // MARK: Fixes and the receiver

    /// No fix gets this number or a smaller one.
    package var newestSequence: UInt64 { turn.intake.newestSequence }
    /// The newest accepted fix, or the one that a former run of the daemon left.
    package var lastLocation: Location? { turn.intake.lastLocation }
    /// When it was accepted.
    package var lastFixAt: BootInstant? { turn.intake.lastFixAt }
    /// Fixes that were refused, by reason.
    package var rejected: [UInt64] { turn.intake.rejected }
    /// Fixes that were accepted.
    package var accepted: UInt64 { turn.intake.accepted }
    /// The choice between receivers.
    package var receivers: ReceiverChoice { turn.intake.receivers }
    /// Whether some receiver has told where the device points, and whether something hears beacons.
    package var has: (headings: Bool, beacons: Bool) { (services.headings.areAvailable, services.beacons.isAvailable) }
    /// The fix from which the reduced view in force was computed; 0: none yet.
    package var reducedSequence: UInt64 { turn.reducedView.sequence }
    /// Since when the device is stationary, by the activity that was the last to say so; nil: it moves, or no service asks.
    package var stationarySince: BootInstant? { turn.stationary.since }
    /// The receiver's power at `now`.
    package func powerReport(at now: BootInstant) -> PowerReport { PowerReport(power, at: now) }

    /// Calls `body` with each service that uses the location now, in any order, with some more than once.
    package func forEachReceiverUser(_ body: (ReceiverUser) -> Void) { services.forEachUser(directory, turn, body) }

    /// All services that use the location now.
    package var receiverUsers: [ReceiverUser] {
        var users: [ReceiverUser] = []
        forEachReceiverUser { if !users.contains($0) { users.append($0) } }
        return users.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
    }

    // MARK: Managers

    /// Whether the manager is there, with or without its connection.
    package func isOpen(_ manager: ManagerID) -> Bool { directory.isOpen(manager) }
    /// The authorization of the manager's app.
    package func authorization(of manager: ManagerID) -> Authorization { directory.authorization(of: manager) }
    /// Finishes that the client may not have seen: the shell reads no further request past a bound of them.
    package func unconfirmedFinishes(of manager: ManagerID) -> Int {
        services.standard.deferrals.records[manager].unconfirmed.count
    }

    /// The manager's properties in force.
    package func properties(of manager: ManagerID) -> ManagerProperties { directory[manager].properties }
    /// As the client last said.
    package func presence(of manager: ManagerID) -> Presence { directory[manager].presence }
    /// The manager as it is at `now`.
    package func report(of manager: ManagerID, at now: BootInstant) -> ManagerReport {
        var turn = turn
        turn.begin(at: now)
        var report = ManagerReport(directory[manager], at: now)
        services.fill(&report, of: manager, directory, turn)
        return report
    }

    /// All of the manager that outlives a turn.
    package func record(of manager: ManagerID) -> ManagerRecord {
        let entry = directory[manager]
        var record = ManagerRecord(app: entry.app, presence: entry.presence)
        record.properties = entry.properties
        record.keepsEvents = entry.keepsEvents
        record.isAway = entry.isAway
        record.allowance = authorizations.allowance(of: manager, directory)
        record.known = directory.authorization(of: manager)
        record.hasAnnouncedAuthorization = entry.hasAnnouncedAuthorization
        services.fill(&record, of: manager, directory, turn)
        return record
    }

    // MARK: Apps

    /// All that is to be stored of an app.
    package func record(of app: AppID) -> AppRecord {
        var record = AppRecord(identity: directory[app].identity)
        let events = turn.events[app]
        record.nextEvent = max(events.next, events.reserved)
        record.eventsDropped = events.dropped
        record.events = events.stored
        services.fill(&record, of: app, directory, turn)
        return record
    }

    /// Whether nothing of the app has to be kept, `last` not counted, which it has.
    package func isEmpty(_ app: AppID, but last: AppBelonging? = nil) -> Bool {
        var record = record(of: app)
        var (regions, monitors) = (regionCount(of: app), monitorNames(of: app).count)
        switch last {
        case .event(let number): record.events.removeAll { $0.number == number }
        case .region: regions -= 1
        case .visits: record.monitorsVisits = false
        case .monitor: monitors -= 1
        case nil: break
        }
        return record.events.isEmpty && record.eventsDropped == 0 && !record.monitorsVisits
            && record.significantChange == nil && turn.events[app].held == nil && regions == 0 && monitors == 0
    }

    /// Whether silence of beacons is measured.
    package var awaitsSilence: Bool { turn.borders.beacons.quietSince != nil }
    /// Whether a client of the app is connected.
    package func hasConnection(_ app: AppID) -> Bool { directory.hasConnection(app) }
    /// Whether events of the app are stored until they are acknowledged.
    package func storesEvents(_ app: AppID) -> Bool { directory[app].storesEvents }
    /// Events stored for an app, oldest first.
    package func events(of app: AppID) -> [AppEvent] { turn.events[app].stored }
    /// Events that were dropped because nobody came for them.
    package func eventsDropped(of app: AppID) -> UInt64 { turn.events[app].dropped }
    /// The newest event of an app that waits for a person to say that "always" is meant, and since when; nil: none waits.
    package func heldEvent(of app: AppID) -> (event: AppEvent, since: BootInstant)? { turn.events[app].held }
    /// Bytes that an app's regions, conditions, monitors and events take in the store.
    package func storedSize(of app: AppID) -> Int {
        turn.borders.storedSize[app] + turn.events[app].size
            + services.monitors.names(of: app).count * StoredSize.monitor
    }

    /// Whether the app may have locations at some time, by a decision or by a rule.
    package func isAllowed(_ app: AppID) -> Bool {
        directory[directory[app].identity].consent.allowsMore(than: Consent(.undecided))
    }

    /// Whether the app has asked for visits.
    package func monitorsVisits(_ app: AppID) -> Bool { services.visits.isWanted(app) }
    /// The stay that the detector of visits is watching, for the store; nil: none.
    package var stay: StoredStay? { services.visits.detector.stored }

    // MARK: Regions

    /// Why a region cannot be monitored; nil: it can. The shell stores a region before it is acknowledged, so it asks first.
    package func objection(to region: Region, of manager: ManagerID) -> RegionObjection? {
        services.regions.objection(to: region, of: directory.app(of: manager), directory, turn.configuration)
    }

    /// The regions of an app, by identifier.
    package func monitoredRegions(of app: AppID) -> [Region] {
        services.regions.identifiers(of: app).compactMap { region($0, of: app)?.region }
    }

    /// How many regions an app has.
    package func regionCount(of app: AppID) -> Int { services.regions.count(of: app) }
    /// A region of an app and where the device is; nil: there is none.
    package func region(_ identifier: String, of app: AppID) -> (region: Region, state: RegionState)? {
        services.regions.region(identifier, of: app, turn.borders)
    }

    /// The region behind a handle and where the device is; nil: it is gone, or a condition.
    package func region(_ handle: RegionHandle) -> (region: Region, state: RegionState)? { turn.borders.region(handle) }

    // MARK: Monitors

    /// The names of an app's monitors.
    package func monitorNames(of app: AppID) -> [String] { services.monitors.names(of: app) }
    /// Monitors of an app that nobody has open and that watch nothing.
    package func emptyMonitors(of app: AppID) -> [String] { services.monitors.empty(of: app) }
    /// Whether the manager may open the monitor; the shell keeps a new name before it is acknowledged, so it asks first.
    package func mayOpenMonitor(_ name: String, _ manager: ManagerID) -> Bool {
        services.monitors.mayOpen(name, manager, directory, turn.configuration)
    }

    /// The name of a monitor that a manager has open; nil: it has none of that number.
    package func monitorName(_ number: UInt64, of manager: ManagerID) -> String? {
        services.monitors.name(of: number, manager)
    }

    /// The conditions of a monitor, by identifier.
    package func conditions(ofMonitor name: String, of app: AppID) -> [Condition] {
        services.monitors.conditions(ofMonitor: name, of: app, turn.borders)
    }

    /// How many conditions an app has in all its monitors.
    package func conditionCount(of app: AppID) -> Int { services.monitors.apps[app].conditionCount }
    /// Whether a condition can be added; the shell stores it before it is acknowledged, so it asks first.
    package func hasRoom(forCondition identifier: String, ofMonitor name: String, of app: AppID) -> Bool {
        services.monitors.hasRoom(for: identifier, inMonitor: name, of: app, turn.configuration)
    }

    /// The condition behind a handle; nil: it is gone, or a region.
    package func condition(_ handle: RegionHandle) -> Condition? { turn.borders.condition(handle) }
    /// The condition that an event is about, as it is when that is acknowledged; nil: it is about none.
    package func condition(taking event: UInt64, of app: AppID) -> Condition? {
        services.monitors.taking(event, of: app, turn.borders)?.condition
    }
    /// The condition of a monitor that a manager has open; nil: there is none.
    package func condition(_ identifier: String, inMonitor number: UInt64, of manager: ManagerID) -> Condition? {
        guard let name = monitorName(number, of: manager) else { return nil }
        return conditions(ofMonitor: name, of: directory.app(of: manager)).first { $0.identifier == identifier }
    }

    // MARK: Consent

    /// Whether location services are on for everyone.
    package var areServicesEnabled: Bool { directory.areServicesEnabled }
    /// Questions that wait for a person, oldest first.
    package var authorizationRequests: [AuthorizationRequest] { authorizations.pending }
    /// The number given last to such a question.
    package var newestAuthorizationRequest: UInt64 { authorizations.newest }
    /// The question of this number; nil: it is answered.
    package func authorizationRequest(_ number: UInt64) -> AuthorizationRequest? { authorizations.request(number) }
    /// The decision that an answer would put on record; nil: it changes nothing there.
    package func decision(by answer: AuthorizationAnswer, to number: UInt64) -> Consent? {
        authorizations.decision(by: answer, to: number, directory)
    }

    /// The consent that the rules give an identity; it is in force while nobody has decided.
    package func policy(of identity: IdentityID) -> Consent { directory[identity].policy }
    /// The consent in force for an identity and whether somebody decided it.
    package func consent(of identity: IdentityID) -> (consent: Consent, isDecided: Bool) {
        (directory[identity].consent, directory[identity].decided != nil)
    }

    /// The authorization that would follow from a decision.
    package func authorization(for consent: Consent) -> Authorization {
        var identity = Identity()
        identity.decided = consent
        return identity.authorization(servicesEnabled: directory.areServicesEnabled)
    }

    /// The authorization that follows for an identity's apps.
    package func authorization(of identity: IdentityID) -> Authorization { directory.authorization(of: identity) }
    /// The status that a decision or a rule gives an identity, also while location services are off.
    package func decision(about identity: IdentityID) -> AuthorizationStatus {
        directory[identity].authorization(servicesEnabled: true).status
    }
    /// Whether a service of the identity runs now.
    package func isUsingLocation(_ identity: IdentityID) -> Bool { directory[identity].isUsingLocation }
    /// Whether it may only as long as it is in use now.
    package func isAllowedOnce(_ identity: IdentityID) -> Bool { directory[identity].isOnce }
    /// Whether the identity is in use: it has a connection, or a background activity session within the rejoin time.
    package func isInUse(_ identity: IdentityID) -> Bool {
        directory.identities.indices.contains(identity.index) && directory[identity].uses > 0
    }

    // MARK: Another process

    /// Where travel counts from.
    package var keptAnchor: Coordinate? { turn.intake.odometer.anchor }
    /// The reduced view that was computed last.
    package var keptView: KeptView? { turn.reducedView.kept }
    /// Where the device is stationary.
    package var stationaryPlaces: [StationaryPlace] { turn.stationary.kept }
}
