// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Ranging of beacons (Protocol 4.12, rules H2 to H4): once a second all that was heard lately, while somebody who may know it is there.
///
/// Programs hear beacons for it, which are managers, too: they are told of which UUIDs somebody wants to know, so that no radio
/// listens for nobody. They hear for `BeaconWatch` as well, whose crossings `Regions` and `Monitors` tell.
struct BeaconRanging: Service {
    /// A manager's part of it that outlives a turn.
    struct Record: Sendable, Codable {
        @Stored var ranged: [BeaconIdentity] = []
        /// The manager hears beacons.
        var hears = false

        private enum CodingKeys: String, CodingKey { case ranged = "b", hears = "h" }

        var isUsable: Bool { ranged.count <= BeaconLimits.constraints }
    }

    /// A manager that ranges.
    private struct Ranger: Sendable {
        let manager: ManagerID
        var beacons: [BeaconIdentity] = []
        /// Why it is told nothing, as it was told last.
        var told: RangingObstacle?
    }

    /// UUIDs that those who hear are told; of more they are told that all are wanted.
    private static let toldUUIDs = 100
    private static let interval = TimeSpan.seconds(1)
    /// Nobody notices that they come so much late, and the device may wake for more than this.
    private static let slack = TimeSpan.milliseconds(50)
    private static let exitSlack = TimeSpan.seconds(1)

    /// By manager.
    private var rangers: [Ranger] = []
    private var ears = BeaconEars()
    private var heard = HeardBeacons()
    /// Those who hear were told this.
    private var wanted = WantedBeacons()
    private var nextTick: BootInstant?

    /// Whether beacons can be ranged.
    var isAvailable: Bool { ears.hear }

    // MARK: What is heard

    /// Takes the events of a device that hears by itself.
    mutating func handle(_ event: Event, _ directory: Directory, _ turn: inout Turn) {
        switch event {
        case .deviceHears(let hears):
            ears.deviceHears = hears
            settle(directory, &turn)
        case .beaconsHeard(let sightings): hear(sightings, &turn)
        default: break
        }
    }

    private mutating func hear(_ sightings: [BeaconSighting], _ turn: inout Turn) {
        turn.borders.beacons.note(sightings, at: turn.now)
        for sighting in sightings where rangers.contains(where: { $0.beacons.contains { $0.means(sighting.beacon) } }) {
            heard.note(sighting, at: turn.now)
        }
    }

    // MARK: Requests

    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        switch request {
        case .startRangingBeacons(let beacons): start(beacons, for: manager, directory, &turn)
        case .stopRangingBeacons(let beacons):
            if let index = index(of: manager) { rangers[index].beacons.removeAll { $0 == beacons } }
            rangers.removeAll { $0.beacons.isEmpty }
            finish(manager, directory, &turn)
        case .offerBeacons:
            ears.add(manager, at: turn.now)
            turn.save(manager)
            turn.reply(manager, Reply(state: nil))
            settle(directory, &turn, telling: manager)
        case .withdrawBeacons(let reason):
            ears.remove(manager, because: reason)
            finish(manager, directory, &turn)
        case .reportBeacons(let sightings):
            if let refusal = ears.charge(manager, at: turn.now) {
                turn.refuse(manager, refusal)
            } else {
                turn.reply(manager, Reply(state: nil))
                hear(sightings, &turn)
            }
        default: return false
        }
        return true
    }

    private mutating func start(
        _ beacons: BeaconIdentity, for manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) {
        var ranger = index(of: manager).map { rangers.remove(at: $0) } ?? Ranger(manager: manager)
        defer { settle(directory, &turn) }
        if !ranger.beacons.contains(beacons), ranger.beacons.count >= BeaconLimits.constraints {
            insert(ranger)
            return turn.refuse(manager, .tooManyConstraints)
        }
        if !ranger.beacons.contains(beacons) { ranger.beacons.append(beacons) }
        ranger.told = obstacle(to: manager, directory)
        insert(ranger)
        turn.answer(manager, Reply(state: ranger.told?.state ?? .running))
        if let obstacle = ranger.told { tell(obstacle, ranger, [beacons], &turn) }
        turn.questions.append(.service(manager))
        turn.touch(directory.identity(of: manager))
        turn.save(manager)
    }

    private mutating func finish(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        turn.touch(directory.identity(of: manager))
        turn.save(manager)
        turn.reply(manager, Reply(state: nil))
        settle(directory, &turn)
    }

    private func index(of manager: ManagerID) -> Int? { rangers.firstIndex { $0.manager == manager } }

    /// In the order of managers, whenever they came: the same events give the same effects in another process.
    private mutating func insert(_ ranger: Ranger) {
        rangers.insert(ranger, at: rangers.firstIndex { ranger.manager < $0.manager } ?? rangers.count)
    }

    // MARK: Who is told

    private func obstacle(to manager: ManagerID, _ directory: Directory) -> RangingObstacle? {
        let authorization = directory.authorization(of: manager)
        guard authorization.isAuthorized else {
            return authorization.serviceState == .denied ? .isDenied : .isUndecided
        }
        // Reduced accuracy is a place of kilometres and nothing else (Protocol 6.6).
        if authorization.accuracy == .reduced { return .isReduced }
        return ears.hear ? nil : .isDeaf
    }

    private func ranges(_ ranger: Ranger, _ directory: Directory) -> Bool {
        !directory.isAway(ranger.manager) && obstacle(to: ranger.manager, directory) == nil
    }

    /// Tells what stands in the way now and did not before, and those who hear what is wanted.
    mutating func settle(_ directory: Directory, _ turn: inout Turn, telling newEar: ManagerID? = nil) {
        for index in rangers.indices where !directory.isAway(rangers[index].manager) {
            let obstacle = obstacle(to: rangers[index].manager, directory)
            guard obstacle != rangers[index].told else { continue }
            rangers[index].told = obstacle
            if let obstacle { tell(obstacle, rangers[index], rangers[index].beacons, &turn) }
        }
        // One that is away reports nothing, which must not be taken for silence.
        turn.borders.beacons.listen(
            ears.deviceHears || ears.managers.contains { !directory.isAway($0) }, at: turn.now)
        let active = rangers.filter { ranges($0, directory) }
        let now = WantedBeacons(
            ranged: active.lazy.flatMap(\.beacons).map(\.uuid), monitored: turn.borders.beacons.wanted,
            upTo: BeaconRanging.toldUUIDs)
        if active.isEmpty {
            nextTick = nil
            heard.forgetAll()
        } else if nextTick == nil {
            nextTick = turn.now + BeaconRanging.interval
        }
        let isNews = now != wanted
        wanted = now
        turn.effects.wantedBeacons = now
        for ear in ears.managers where (isNews || ear == newEar) && !directory.isAway(ear) {
            // The turn tells how it is at its end: once is enough.
            if !turn.effects.tellWanted(ear) { turn.append(.beaconsWanted(ear)) }
        }
    }

    private func tell(
        _ obstacle: RangingObstacle, _ ranger: Ranger, _ beacons: [BeaconIdentity], _ turn: inout Turn
    ) {
        // Whether somebody decides is told as the authorization.
        guard obstacle != .isUndecided else { return }
        turn.effects.deafness = ears.reason
        for constraint in beacons {
            turn.append(.rangingFailed(ranger.manager, index: turn.effects.add(constraint, []), obstacle))
        }
    }

    // MARK: Time

    mutating func serveTimers(_ directory: Directory, _ turn: inout Turn) {
        turn.borders.beacons.noteSilence(at: turn.now, patience: turn.configuration.regions.beaconExit)
        guard let tick = nextTick, tick <= turn.now else { return }
        let next = tick + BeaconRanging.interval
        nextTick = next > turn.now ? next : turn.now + BeaconRanging.interval
        // Managers that range the same are told the same.
        var told: [BeaconIdentity: Int] = [:]
        for ranger in rangers where ranges(ranger, directory) {
            for constraint in ranger.beacons {
                let known = told[constraint]
                let index =
                    known
                    ?? turn.effects.add(
                        constraint,
                        heard.satisfying(constraint, at: turn.now, turn.date ?? WallTime(milliseconds: 0)))
                told[constraint] = index
                turn.append(.rangedBeacons(ranger.manager, index: index))
            }
        }
    }

    func deadline(_ directory: Directory, _ turn: Turn) -> WakeWindow? {
        let tick = nextTick.map { WakeWindow(earliest: $0, latest: $0 + BeaconRanging.slack) }
        let exit = turn.borders.beacons.quietSince.map { quiet in
            let due = quiet + turn.configuration.regions.beaconExit
            return WakeWindow(earliest: due, latest: due + BeaconRanging.exitSlack)
        }
        guard let tick, let exit else { return tick ?? exit }
        return tick.merged(with: exit)
    }

    // MARK: Rights

    mutating func rightsChanged(
        of manager: ManagerID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn
    ) {
        if index(of: manager) != nil { settle(directory, &turn) }
    }

    // MARK: The life of a manager

    mutating func detached(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        if ears.contains(manager) || index(of: manager) != nil { settle(directory, &turn) }
    }

    mutating func attached(
        _ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn
    ) {
        let hears = ears.contains(manager)
        // It may never have got the last failure.
        if let index = index(of: manager) { rangers[index].told = nil }
        if hears || index(of: manager) != nil { settle(directory, &turn, telling: hears ? manager : nil) }
    }

    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        let isConcerned = ears.contains(manager) || index(of: manager) != nil
        ears.remove(manager)
        guard isConcerned else { return }
        rangers.removeAll { $0.manager == manager }
        settle(directory, &turn)
    }

    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        if record.ranging.hears { ears.add(manager, at: turn.now) }
        guard !record.ranging.ranged.isEmpty else { return }
        var ranger = Ranger(manager: manager, beacons: record.ranging.ranged)
        ranger.told = obstacle(to: manager, directory)
        insert(ranger)
    }

    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        // All are open: nobody is told that nobody hears because who does was opened last.
        for index in rangers.indices { rangers[index].told = obstacle(to: rangers[index].manager, directory) }
        settle(directory, &turn)
    }

    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        record.ranging = Record(
            ranged: index(of: manager).map { rangers[$0].beacons } ?? [], hears: ears.contains(manager))
    }

    // MARK: Questions

    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool { index(of: manager) != nil }

    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool {
        rangers.contains { ranges($0, directory) && isMeant(.ranging($0.manager)) }
    }

    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        (report.wantedBeacons, report.deafness) = (ears.contains(manager) ? wanted : nil, ears.reason)
        guard index(of: manager) != nil else { return }
        report.ranging = obstacle(to: manager, directory)?.state ?? .running
    }
}

/// Why a manager is told of no beacons.
package enum RangingObstacle: Sendable, Hashable, BitwiseCopyable {
    /// Nobody has decided about the app.
    case isUndecided
    case isDenied
    /// The app may know only roughly where the device is.
    case isReduced
    /// Nothing here hears beacons.
    case isDeaf

    var state: ServiceState {
        switch self {
        case .isUndecided: .waitingForAuthorization
        case .isDenied: .denied
        case .isReduced, .isDeaf: .unavailable
        }
    }

    /// Core Location's code for it.
    package var code: LocationErrorCode {
        switch self {
        case .isUndecided, .isDenied: .denied
        case .isReduced: .rangingFailure
        case .isDeaf: .rangingUnavailable
        }
    }
}

extension KeyedDecodingContainer {
    /// Nobody ranged when the record was written that has none.
    func decode(_ type: BeaconRanging.Record.Type, forKey key: Key) throws -> BeaconRanging.Record {
        try decodeIfPresent(type, forKey: key) ?? BeaconRanging.Record()
    }
}
