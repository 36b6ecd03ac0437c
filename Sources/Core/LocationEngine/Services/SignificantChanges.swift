// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Significant changes of one manager, which run now.
struct SignificantChangeService: ManagerService {
    let manager: ManagerID
    let startedAt: BootInstant
    var hasToldLoss = false
    var reference = SignificantReference(place: nil, date: nil)
    /// The newest change that came while no connection was there; 0: none.
    var pending: UInt64 = 0
}

/// Significant changes (Protocol 4.7, 7.5, rules G1 to G7): the stored location, then the current one, then one after every 500 m and not before
/// 300 s. They ignore the manager's properties.
///
/// The service of an app that said `events: true` outlives its connection: the newest change is stored, and told at the next start. The
/// receiver may sleep as long as the device cannot have come farther than a second threshold beyond the first. A fix costs one distance
/// for each manager.
struct SignificantChanges: Service {
    /// The part of a manager's significant changes that outlives a turn.
    struct Record: Sendable, Codable {
        var isWanted = false
        @Stored var reference = SignificantReference(place: nil, date: nil)
        /// A change that came while no connection was there; 0: none.
        var pending: UInt64 = 0
        var hasToldLoss = false
        /// The stored change that this connection was told of.
        var toldEvent: UInt64 = 0

        private enum CodingKeys: String, CodingKey {
            case isWanted = "w", reference = "r", pending = "p", hasToldLoss = "l", toldEvent = "e"
        }

        var isUsable: Bool { pending.isUsable && toldEvent.isUsable }
    }

    private struct Wish: Sendable {
        var isWanted = false
        var toldEvent: UInt64 = 0
    }

    private var wishes = PerSlot<ManagerID, Wish>(blank: Wish())
    private var running = ServiceTable<SignificantChangeService>()
    /// The services of absent apps, by app; nil: none.
    private var absent = PerSlot<AppID, SignificantReference?>(blank: nil)
    /// Apps that have one.
    private var absentApps: [AppID] = []

    // MARK: Requests

    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        switch request {
        case .startMonitoringSignificantLocationChanges: start(manager, directory, &turn)
        case .stopMonitoringSignificantLocationChanges: stop(manager, directory, &turn)
        default: return false
        }
        return true
    }

    private mutating func start(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        let authorization = directory.authorization(of: manager)
        turn.answer(manager, Reply(state: authorization.serviceState))
        if !wishes[manager].isWanted {
            wishes[manager].isWanted = true
            if authorization.isAuthorized { run(manager, directory, &turn) }
        }
        turn.questions.append(.service(manager))
        if authorization.serviceState == .denied { turn.fail(manager, .denied, .significantChange) }
        turn.save(manager)
    }

    private mutating func stop(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        let app = directory.app(of: manager)
        let wasWanted = wishes[manager].isWanted || absent[app] != nil
        wishes[manager].isWanted = false
        running.remove(manager)
        endAbsent(app, directory, &turn)
        turn.touch(directory[app].identity)
        if wasWanted, directory[manager].keepsEvents { turn.append(.saveApp(app)) }
        turn.save(manager)
        turn.reply(manager, Reply(state: nil))
    }

    /// The change that the app missed while it was away is told in place of the stored location.
    private mutating func run(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        let app = directory.app(of: manager)
        running.insert(SignificantChangeService(manager: manager, startedAt: turn.now))
        endAbsent(app, directory, &turn)
        turn.noteServiceStart()
        turn.touch(directory[app].identity)
        if directory[manager].keepsEvents { turn.append(.saveApp(app)) }
        guard !directory.isAway(manager) else { return }
        if tellStored(to: manager, directory, &turn) { return }
        let isCached = turn.deliverCached(to: manager, source: .significantChange, directory)
        // The reduced view tells no place twice: a fix in the same cell is no current location either (rule G7).
        guard isCached, directory.hasReducedView(manager), let position = running.position(of: manager) else { return }
        let place = turn.reducedView.place
        running[position].reference = SignificantReference(
            place: place, date: place == nil ? nil : turn.now - turn.configuration.significantChange.interval)
    }

    // MARK: One fix

    mutating func deliver(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {
        guard !fix.location.isCoarse else { return }
        for position in running.indices { examine(position, fix, directory, &turn) }
        for app in absentApps { examineAbsent(app, fix, directory, &turn) }
    }

    private mutating func examine(
        _ position: Int, _ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn
    ) {
        let (manager, location) = (running[position].manager, fix.location)
        let app = directory.app(of: manager)
        let isReduced = directory.hasReducedView(manager)
        guard directory[app].mayHaveEvents, !isReduced || fix.flags.contains(.reducedView) else { return }
        let place = isReduced ? location.reducedView.coordinate : location.coordinate
        let settings = turn.configuration.significantChange
        guard
            running[position].reference.isChange(
                to: place, accuracy: location.horizontalAccuracy, at: turn.now, settings)
        else { return }
        // The same cell again is no change (rule G7).
        if isReduced, running[position].reference.place == place { return }
        running[position].reference = SignificantReference(place: place, date: turn.now)
        let isAway = directory.isAway(manager)
        if isAway, directory[manager].keepsEvents, directory[app].storesEvents, !directory.hasConnection(app) {
            let seen = isReduced ? location.reducedView : location
            turn.tell(app, .significantChange(seen, isReduced: isReduced), on: location.timestamp, directory)
        } else if isAway {
            running[position].pending = location.sequence
        } else {
            deliver(location.sequence, to: manager, directory, &turn)
        }
        turn.save(manager)
    }

    private mutating func examineAbsent(
        _ app: AppID, _ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn
    ) {
        guard var reference = absent[app] else { return }
        let location = fix.location
        let isReduced = directory[app].authorization.accuracy == .reduced
        guard !isReduced || fix.flags.contains(.reducedView) else { return }
        let seen = isReduced ? location.reducedView : location
        let isFirst = reference.place == nil
        let settings = turn.configuration.significantChange
        reference.date = reference.date ?? turn.now - settings.interval
        guard
            reference.isChange(
                to: seen.coordinate, accuracy: location.horizontalAccuracy, at: turn.now, settings)
        else { return }
        absent[app] = SignificantReference(place: seen.coordinate, date: turn.now)
        // The place that the app was told last is not known any more: changes count from this fix.
        if isFirst {
            turn.append(.saveApp(app))
        } else {
            turn.tell(app, .significantChange(seen, isReduced: isReduced), on: location.timestamp, directory)
        }
    }

    private func deliver(_ sequence: UInt64, to manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        turn.append(
            .deliver(
                manager,
                Delivery(
                    first: sequence, last: sequence, source: .significantChange,
                    flags: directory.hasReducedView(manager) ? .reduced : [])))
    }

    /// The change that the app missed, once on each connection, at the start of the service. Returns whether there was one.
    @discardableResult
    private mutating func tellStored(to manager: ManagerID, _ directory: Directory, _ turn: inout Turn) -> Bool {
        guard directory[manager].keepsEvents,
            let missed = turn.events[directory.app(of: manager)].stored.last(where: { $0.isSignificantChange }),
            missed.number > wishes[manager].toldEvent
        else { return false }
        wishes[manager].toldEvent = missed.number
        turn.append(.event(manager, index: turn.effects.add(missed), monitor: 0))
        return true
    }

    // MARK: While no connection is there

    /// Ends the service of an absent app: a client runs it again, or none wants it.
    private mutating func endAbsent(_ app: AppID, _ directory: Directory, _ turn: inout Turn) {
        guard absent[app] != nil else { return }
        absent[app] = nil
        absentApps.removeAll { $0 == app }
        turn.touch(directory[app].identity)
    }

    /// The client did not come back: its app's service goes on without it.
    mutating func expired(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        let app = directory.app(of: manager)
        let isOthers = running.services.contains { $0.manager != manager && directory.app(of: $0.manager) == app }
        guard directory[manager].keepsEvents, directory[app].authorization.status == .authorizedAlways,
            let service = running[of: manager], !isOthers
        else { return }
        if absent[app] == nil { absentApps.append(app) }
        absent[app] = service.reference
        turn.append(.saveApp(app))
    }

    // MARK: Rights

    mutating func rightsChanged(of app: AppID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn) {
        guard absent[app] != nil, change.new.status != .authorizedAlways else { return }
        endAbsent(app, directory, &turn)
        turn.append(.saveApp(app))
    }

    mutating func rightsChanged(
        of manager: ManagerID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn
    ) {
        if change.isLost || change.isReduced, let position = running.position(of: manager) {
            running[position].pending = 0
        }
        if change.isLost {
            running.remove(manager)
            deny(manager, directory, &turn)
        } else if change.isGranted, wishes[manager].isWanted {
            run(manager, directory, &turn)
        } else if change.old.serviceState == .waitingForAuthorization, !change.new.isAuthorized {
            deny(manager, directory, &turn)
        }
    }

    private func deny(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard wishes[manager].isWanted, directory.isDenied(manager) else { return }
        turn.fail(manager, .denied, .significantChange)
    }

    // MARK: The life of a manager

    mutating func attached(
        _ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn
    ) {
        wishes[manager].toldEvent = 0
        deny(manager, directory, &turn)
    }

    /// The newest change that the client missed.
    mutating func tellMissed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard let position = running.position(of: manager) else { return }
        tellStored(to: manager, directory, &turn)
        guard running[position].pending != 0 else { return }
        if turn.isInLog(running[position].pending) {
            deliver(running[position].pending, to: manager, directory, &turn)
        }
        running[position].pending = 0
    }

    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        running.remove(manager)
        wishes.clear(manager)
    }

    // MARK: Records

    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        wishes[manager].isWanted = record.significantChange.isWanted
        guard wishes[manager].isWanted, directory.authorization(of: manager).isAuthorized else { return }
        run(manager, directory, &turn)
        guard let position = running.position(of: manager) else { return }
        running[position].reference = record.significantChange.reference
        running[position].pending = record.significantChange.pending
    }

    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        wishes[manager].toldEvent = record.significantChange.toldEvent
        guard let position = running.position(of: manager) else { return }
        running[position].hasToldLoss = record.significantChange.hasToldLoss
        if record.significantChange.hasToldLoss { turn.loss.noteTold() }
    }

    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        record.significantChange.isWanted = wishes[manager].isWanted
        record.significantChange.toldEvent = wishes[manager].toldEvent
        guard let service = running[of: manager] else { return }
        record.significantChange.reference = service.reference
        record.significantChange.pending = service.pending
        record.significantChange.hasToldLoss = service.hasToldLoss
    }

    mutating func enter(_ app: AppID, _ record: AppRecord, _ directory: Directory, _ turn: inout Turn) {
        absentApps.removeAll { $0 == app }
        absent[app] = directory[app].authorization.status == .authorizedAlways ? record.significantChange : nil
        if absent[app] != nil { absentApps.append(app) }
    }

    func fill(_ record: inout AppRecord, of app: AppID, _ directory: Directory, _ turn: Turn) {
        record.significantChange = absent[app] ?? referenceToKeep(of: app, directory)
    }

    /// The place to put on record, from which the service goes on after a power cut; nil: no client of the app wants that.
    private func referenceToKeep(of app: AppID, _ directory: Directory) -> SignificantReference? {
        running.services.first { directory.app(of: $0.manager) == app && directory[$0.manager].keepsEvents }?.reference
    }

    mutating func forget(_ app: AppID, _ directory: Directory, _ turn: inout Turn) { endAbsent(app, directory, &turn) }

    // MARK: Time

    mutating func tellLoss(onSince: BootInstant, _ directory: Directory, _ turn: inout Turn) {
        for position in running.indices where !running[position].hasToldLoss {
            let service = running[position]
            if directory.isAway(service.manager) { continue }
            guard turn.isLost(startedAt: service.startedAt, onSince: onSince) else { continue }
            running[position].hasToldLoss = true
            turn.loss.noteTold()
            turn.fail(service.manager, .locationUnknown, .significantChange)
        }
    }

    mutating func forgetLoss() {
        for position in running.indices { running[position].hasToldLoss = false }
    }

    var canBeAtLoss: Bool { !running.isEmpty }

    /// Whether a connection or an absent app waits for changes.
    var areWanted: Bool { !(running.isEmpty && absentApps.isEmpty) }

    // MARK: Questions

    func demand(_ directory: Directory, _ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand {
        var merged = ReceiverDemand.none
        for service in running.services {
            let isReduced = directory.hasReducedView(service.manager)
            merged = merged.merged(with: service.reference.demand(isReduced: isReduced, turn, power))
        }
        for app in absentApps {
            guard let reference = absent[app] else { continue }
            let isReduced = directory[app].authorization.accuracy == .reduced
            merged = merged.merged(with: reference.demand(isReduced: isReduced, turn, power))
        }
        return merged
    }

    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool { wishes[manager].isWanted }

    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool {
        running.services.contains {
            directory.authorization(of: $0.manager).isAuthorized
                && isMeant(.locations($0.manager, .significantChange))
        } || absentApps.contains { isMeant(.absentSignificantChange($0)) }
    }

    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        guard wishes[manager].isWanted else { return }
        report.significantChange = directory.authorization(of: manager).serviceState
    }
}
