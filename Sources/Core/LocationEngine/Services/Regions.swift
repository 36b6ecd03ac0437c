// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Regions of apps (Protocol 7.1, 7.2, rules M1 to M10): shared by all connections of an app, kept over restarts, watched while the app may
/// know exactly where the device is.
///
/// `Borders` finds the crossings, by fixes or by beacons, for regions and for the conditions of `Monitors` alike; this service decides who is
/// told. A region that may not be watched costs nothing and begins anew later. The receiver may sleep as long as the device hardly reaches
/// the nearest border.
struct Regions: Service {
    /// The part of a manager's regions, which are its app's, that outlives a turn.
    struct Record: Sendable, Codable {
        /// Regions whose state was asked for when nobody could tell.
        var awaitedStates: [String] = []
        /// Where the device is with respect to the app's regions; what is not known is left out. Only in a manager's record.
        var states: [RegionStanding] = []

        private enum CodingKeys: String, CodingKey { case awaitedStates = "a", states = "s" }
    }

    private struct OfApp: Sendable {
        /// By identifier; looked up, never walked in the order of the table.
        var handles: [String: RegionHandle] = [:]
        var isWatching = false
    }

    private var apps = PerSlot<AppID, OfApp>(blank: OfApp())
    private var awaitedStates = PerSlot<ManagerID, [String]>(blank: [])

    // MARK: Requests

    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        switch request {
        case .startMonitoring(let region): start(manager, region, directory, &turn)
        case .stopMonitoring(let identifier): stop(manager, identifier, directory, &turn)
        case .requestState(let identifier): requestState(manager, identifier, directory, &turn)
        case .acknowledgeNotice(let name):
            guard let owner = turn.circumstances.noticeOwner else {
                turn.refuse(manager, .notFound)
                return true
            }
            turn.forgetNotice(name.event, of: owner)
            turn.reply(manager, Reply(state: nil))
        default: return false
        }
        return true
    }

    /// Why a region cannot be monitored; nil: it can.
    func objection(
        to region: Region, of app: AppID, _ directory: Directory, _ configuration: EngineConfiguration
    ) -> RegionObjection? {
        if directory[app].authorization.serviceState == .denied { return .isDenied }
        if apps[app].handles[region.identifier] == nil, apps[app].handles.count >= configuration.regionsPerApp {
            return .hasTooMany(limit: configuration.regionsPerApp)
        }
        if case .circle(_, let radius) = region.shape, radius > configuration.maximumRegionRadius {
            return .isTooLarge(maximum: configuration.maximumRegionRadius)
        }
        return nil
    }

    private mutating func start(
        _ manager: ManagerID, _ region: Region, _ directory: Directory, _ turn: inout Turn
    ) {
        let app = directory.app(of: manager)
        let objection = objection(to: region, of: app, directory, turn.configuration)
        let isFailure = objection?.code == .regionMonitoringFailure
        turn.answer(manager, Reply(state: isFailure ? .running : directory[app].authorization.serviceState))
        let index = turn.effects.add(region)
        if let objection { return turn.append(.regionFailed(manager, index: index, objection)) }
        // A person is told nothing that the app has taken back; an app that only says again what it wants has not.
        let former = self.region(region.identifier, of: app, turn.borders)?.region
        let isSamePlace = former.map { $0.shape == region.shape } ?? true
        turn.forgetNotices(ofRegion: region.identifier, app, but: isSamePlace ? region.notice : nil)
        if let handle = sameBeacons(as: region, of: app, turn) {
            turn.borders.change(handle, to: .region(app, region))
            turn.append(.saveRegionState(app, handle))
        } else {
            if let former = apps[app].handles[region.identifier] { turn.borders.remove(former) }
            insert(region, of: app, state: .unknown, directory, &turn)
        }
        turn.append(.regionStarted(manager, index: index))
        turn.questions.append(.service(manager))
        turn.touch(directory[app].identity)
    }

    /// A region of that name around the same beacons, of which only silence could tell anew what is known; nil: there is none.
    private func sameBeacons(as region: Region, of app: AppID, _ turn: Turn) -> RegionHandle? {
        guard region.shape.beacons != nil, let handle = apps[app].handles[region.identifier],
            case .region(_, let former)? = turn.borders.owner(of: handle), former.shape == region.shape
        else { return nil }
        return handle
    }

    private mutating func stop(
        _ manager: ManagerID, _ identifier: String, _ directory: Directory, _ turn: inout Turn
    ) {
        let app = directory.app(of: manager)
        if let handle = apps[app].handles.removeValue(forKey: identifier) { turn.borders.remove(handle) }
        turn.forgetNotices(ofRegion: identifier, app)
        turn.reply(manager, Reply(state: nil))
        turn.touch(directory[app].identity)
    }

    /// Tells the state that is known. If it is unknown, the client that asked is told again as soon as a fix decides it.
    private mutating func requestState(
        _ manager: ManagerID, _ identifier: String, _ directory: Directory, _ turn: inout Turn
    ) {
        guard let (region, state) = region(identifier, of: directory.app(of: manager), turn.borders) else {
            return turn.refuse(manager, .notFound)
        }
        turn.answer(manager, Reply(state: directory.authorization(of: manager).serviceState))
        let known =
            apps[directory.app(of: manager)].handles[identifier].map { turn.borders.knownState(of: $0) } ?? state
        turn.append(.regionState(manager, index: turn.effects.add(region), known))
        guard known == .unknown, !awaitedStates[manager].contains(identifier) else { return }
        awaitedStates[manager].append(identifier)
    }

    private mutating func insert(
        _ region: Region, of app: AppID, state: RegionState, _ directory: Directory, _ turn: inout Turn
    ) {
        apps[app].isWatching = directory[app].mayWatchRegions
        apps[app].handles[region.identifier] = turn.borders.add(
            region.shape, hysteresis: region.hysteresis, state: state, isWatched: apps[app].isWatching,
            .region(app, region))
    }

    // MARK: One fix

    /// First all that was entered and left, then states.
    mutating func watch(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {
        for crossing in turn.borders.crossings {
            var place = fix.location
            place.timestamp = crossing.date
            if crossing.isInterpolated { place.coordinate = crossing.coordinate }
            tellCrossing(crossing.side, place, on: crossing.date, directory, &turn)
        }
        for crossing in turn.borders.crossings { tellState(crossing.side, directory, &turn) }
    }

    /// The same of beacons, whose crossings no fix tells.
    mutating func watch(_ crossings: [BorderSide], on date: WallTime, _ directory: Directory, _ turn: inout Turn) {
        for crossing in crossings { tellCrossing(crossing, nil, on: date, directory, &turn) }
        for crossing in crossings { tellState(crossing, directory, &turn) }
    }

    private mutating func tellCrossing(
        _ crossing: BorderSide, _ place: Location?, on date: WallTime, _ directory: Directory, _ turn: inout Turn
    ) {
        guard case .region(let app, var region)? = turn.borders.owner(of: crossing.handle), crossing.isNews
        else { return }
        turn.append(.saveRegionState(app, crossing.handle))
        guard crossing.previous != .unknown else { return }
        if let notice = region.notice, notice.isFor(crossing.state) {
            raise(notice, of: region, crossing, on: date, app, directory, &turn)
        }
        guard crossing.state == .inside ? region.notifyOnEntry : region.notifyOnExit else { return }
        region.notice = nil
        turn.tell(app, .region(region, crossing.state, place), on: date, directory)
    }

    /// Has a person told, whatever the app is told. A notice that comes once is gone with it, and its region if that tells the app nothing.
    private mutating func raise(
        _ notice: RegionNotice, of region: Region, _ crossing: BorderSide, on date: WallTime, _ app: AppID,
        _ directory: Directory, _ turn: inout Turn
    ) {
        let content = AppEvent.Content.notice(notice, region: region.identifier, crossing.state)
        guard turn.tell(app, content, on: date, directory) != nil, !notice.repeats else { return }
        if region.notifyOnEntry || region.notifyOnExit {
            var rest = region
            rest.notice = nil
            turn.borders.change(crossing.handle, to: .region(app, rest))
        } else {
            apps[app].handles[region.identifier] = nil
            turn.borders.remove(crossing.handle)
        }
        turn.append(.saveRegion(app, index: turn.effects.add(region)))
        turn.append(.saveRegionState(app, crossing.handle))
        turn.touch(directory[app].identity)
    }

    /// Only to connected clients: a state is never a reason to start an app (rule M7).
    private mutating func tellState(_ crossing: BorderSide, _ directory: Directory, _ turn: inout Turn) {
        guard case .region(let app, let region)? = turn.borders.owner(of: crossing.handle),
            directory[app].mayHaveEvents
        else { return }
        var listeners = directory.listeners(of: app).filter { !directory.isAway($0) }
        if crossing.previous == .unknown || !crossing.isNews {
            listeners.removeAll { !awaitedStates[$0].contains(region.identifier) }
        }
        guard !listeners.isEmpty else { return }
        for manager in listeners { awaitedStates[manager].removeAll { $0 == region.identifier } }
        let index = turn.effects.add(region)
        for manager in listeners { turn.append(.regionState(manager, index: index, crossing.state)) }
    }

    // MARK: Rights

    /// Regions that may not be watched cost nothing, and begin anew later.
    mutating func rightsChanged(of app: AppID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn) {
        let isWatching = directory[app].mayWatchRegions
        turn.touch(directory[app].identity)
        guard isWatching != apps[app].isWatching else { return }
        apps[app].isWatching = isWatching
        for identifier in apps[app].handles.keys.sorted() {
            guard let handle = apps[app].handles[identifier] else { continue }
            // When consent is back, in this or another process, a crossing must not be judged by where the device was before.
            if turn.borders.state(of: handle) != .unknown { turn.append(.saveRegionState(app, handle)) }
            turn.borders.setWatched(handle, isWatching)
        }
    }

    // MARK: Records

    mutating func restore(
        _ region: Region, of app: AppID, state: RegionState, _ directory: Directory, _ turn: inout Turn
    ) {
        guard directory.apps.indices.contains(app.index), apps[app].handles[region.identifier] == nil else { return }
        insert(region, of: app, state: state, directory, &turn)
        turn.touch(directory[app].identity)
    }

    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        awaitedStates.clear(manager)
    }

    /// A region that could not be watched before a use of the app was there begins where it stood.
    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        awaitedStates[manager] = record.regions.awaitedStates
        let app = directory.app(of: manager)
        for left in record.regions.states where apps[app].isWatching {
            guard let handle = apps[app].handles[left.identifier], turn.borders.state(of: handle) == .unknown,
                case .region(_, let region)? = turn.borders.owner(of: handle)
            else { continue }
            turn.borders.remove(handle)
            insert(region, of: app, state: left.state, directory, &turn)
        }
    }

    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        awaitedStates.clear(manager)
    }

    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        let handles = apps[directory.app(of: manager)].handles
        record.regions.awaitedStates = awaitedStates[manager]
        record.regions.states = handles.keys.sorted().compactMap { identifier in
            guard let handle = handles[identifier], turn.borders.state(of: handle) != .unknown else { return nil }
            return RegionStanding(identifier: identifier, state: turn.borders.state(of: handle))
        }
    }

    mutating func enter(_ app: AppID, _ record: AppRecord, _ directory: Directory, _ turn: inout Turn) {
        for handle in apps[app].handles.values.sorted() { turn.borders.remove(handle) }
        apps.clear(app)
    }

    mutating func forget(_ app: AppID, _ directory: Directory, _ turn: inout Turn) {
        for handle in apps[app].handles.values.sorted() { turn.borders.remove(handle) }
        apps[app].handles.removeAll()
    }

    // MARK: Questions

    /// Of conditions, too: their borders are in the same index.
    func demand(_ directory: Directory, _ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand {
        turn.borders.demand(turn, power)
    }

    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool {
        !apps[directory.app(of: manager)].handles.isEmpty
    }

    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool {
        apps.ids.contains { app in
            guard apps[app].isWatching else { return false }
            let handles = apps[app].handles.values
            return handles.contains { $0.beaconSlot == nil } && isMeant(.regions(app))
                || handles.contains { $0.beaconSlot != nil } && isMeant(.beacons(app))
        }
    }

    /// The identifiers of an app's regions, in their order.
    func identifiers(of app: AppID) -> [String] { apps[app].handles.keys.sorted() }

    func count(of app: AppID) -> Int { apps[app].handles.count }

    /// A region of an app and where the device is; nil: there is none.
    func region(_ identifier: String, of app: AppID, _ borders: Borders) -> (region: Region, state: RegionState)? {
        apps[app].handles[identifier].flatMap { borders.region($0) }
    }
}

/// Where the device is with respect to a region.
struct RegionStanding: Sendable, Codable {
    var identifier: String
    @Stored var state: RegionState

    private enum CodingKeys: String, CodingKey { case identifier = "i", state = "s" }
}

extension Borders {
    /// The region behind a handle and where the device is; nil: it is gone, or a condition.
    func region(_ handle: RegionHandle) -> (region: Region, state: RegionState)? {
        guard case .region(_, let region)? = owner(of: handle) else { return nil }
        return (region, state(of: handle))
    }
}
