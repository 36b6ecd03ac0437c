// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The streams of live updates of one manager.
struct LiveService: ManagerService {
    struct Stream: Sendable {
        let number: UInt32
        let configuration: LiveConfiguration
        var startedAt: BootInstant
        /// It has told that the device is stationary, and is silent until it moves.
        var isStationary = false
        var hasToldLoss = false
        /// The flags that it told last.
        var toldFlags: DiagnosticFlags = []
    }

    let manager: ManagerID
    var streams: [Stream] = []
}

/// Live updates (Protocol 4.8, 6.8, rules L1 to L4): streams of locations that say why there is none, and fall silent while the device is
/// stationary.
///
/// A stream that falls silent has said so with one element. What keeps it from locations it says once, as flags. A stream begins to run when
/// it is opened, authorized or not. A fix costs one element for each stream that is not silent.
struct LiveUpdates: Service {
    /// The part of a manager's streams that outlives a turn.
    struct Record: Sendable, Codable {
        /// The number of the last one.
        var lastNumber: UInt32 = 0
        @Stored var streams: [LiveService.Stream] = []

        private enum CodingKeys: String, CodingKey { case lastNumber = "n", streams = "s" }

        var isUsable: Bool { lastNumber.isUsable }
    }

    private var running = ServiceTable<LiveService>()
    private var lastNumbers = PerSlot<ManagerID, UInt32>(blank: 0)

    // MARK: Requests

    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        switch request {
        case .startLiveUpdates(let configuration): start(manager, configuration, directory, &turn)
        case .stopLiveUpdates(let number): stop(manager, number, directory, &turn)
        default: return false
        }
        return true
    }

    private mutating func start(
        _ manager: ManagerID, _ configuration: LiveConfiguration, _ directory: Directory, _ turn: inout Turn
    ) {
        guard running[of: manager]?.streams.count ?? 0 < turn.configuration.liveUpdatesPerManager else {
            return turn.refuse(manager, .limitExceeded)
        }
        lastNumbers[manager] += 1
        let number = lastNumbers[manager]
        turn.answer(manager, Reply(state: directory.authorization(of: manager).serviceState, opened: number))
        insert(manager, number, configuration, directory, &turn)
        turn.questions.append(.stream(manager))
        tellFlags(of: manager, directory, &turn)
        tellViewInForce(to: manager, from: number, directory, &turn)
        turn.noteServiceStart()
        turn.save(manager)
    }

    private mutating func insert(
        _ manager: ManagerID, _ number: UInt32, _ configuration: LiveConfiguration, _ directory: Directory,
        _ turn: inout Turn
    ) {
        var service = running[of: manager] ?? LiveService(manager: manager)
        service.streams.append(
            LiveService.Stream(number: number, configuration: configuration, startedAt: turn.now))
        running.insert(service)
        turn.stationary.count(configuration.activity, by: 1)
        turn.touch(directory.identity(of: manager))
    }

    private mutating func stop(
        _ manager: ManagerID, _ number: UInt64, _ directory: Directory, _ turn: inout Turn
    ) {
        guard let position = running.position(of: manager),
            let index = running[position].streams.firstIndex(where: { $0.number == number })
        else { return turn.refuse(manager, .notFound) }
        turn.stationary.count(running[position].streams[index].configuration.activity, by: -1)
        running[position].streams.remove(at: index)
        if running[position].streams.isEmpty { running.remove(manager) }
        turn.touch(directory.identity(of: manager))
        turn.save(manager)
        turn.reply(manager, Reply(state: nil))
    }

    // MARK: One fix

    mutating func deliver(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {
        guard !running.isEmpty else { return }
        if turn.stationary.isPauseDue { fallSilent(directory, &turn) }
        for position in running.indices {
            let manager = running[position].manager
            guard directory.mayStream(manager) else { continue }
            if directory.isAway(manager) {
                forgetStationary(position, turn)
                continue
            }
            let isReduced = directory.hasReducedView(manager)
            if isReduced, !fix.flags.contains(.reducedView) { continue }
            let flags: DiagnosticFlags = isReduced ? .accuracyLimited : []
            for index in running[position].streams.indices {
                let stream = running[position].streams[index]
                let isStationary = turn.stationary.isStationary(stream.configuration.activity)
                if stream.isStationary, isStationary, !isReduced { continue }
                running[position].streams[index].isStationary = false
                running[position].streams[index].toldFlags = flags
                turn.tell(manager, LiveElement(updates: stream.number, sequence: fix.location.sequence, flags: flags))
            }
        }
    }

    /// The device moved while the client was away: that it is stationary is news when the client is back.
    private mutating func forgetStationary(_ position: Int, _ turn: Turn) {
        for index in running[position].streams.indices where running[position].streams[index].isStationary {
            let activity = running[position].streams[index].configuration.activity
            running[position].streams[index].isStationary = turn.stationary.isStationary(activity)
        }
    }

    /// One element that says that the device is stationary, then silence (rule L1).
    private mutating func fallSilent(_ directory: Directory, _ turn: inout Turn) {
        for position in running.indices {
            let manager = running[position].manager
            // Reduced accuracy must not reveal when the device is stationary (Protocol 6.6).
            guard directory.mayStream(manager), !directory.hasReducedView(manager), !directory.isAway(manager)
            else { continue }
            for index in running[position].streams.indices where !running[position].streams[index].isStationary {
                let stream = running[position].streams[index]
                let activity = stream.configuration.activity
                guard activity != .airborne, turn.stationary.isStationary(activity) else { continue }
                let due = stream.startedAt + turn.configuration.stationary(for: activity).time
                guard due <= turn.now else {
                    turn.stationary.lookAgain(at: due)
                    continue
                }
                running[position].streams[index].isStationary = true
                let sequence = turn.intake.newestAccepted
                turn.tell(manager, LiveElement(updates: stream.number, sequence: sequence, isStationary: true))
            }
        }
    }

    // MARK: Elements

    /// Why there is no location, once for each reason (rules L3, L4).
    mutating func tellFlags(of manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard let position = running.position(of: manager), !directory.isAway(manager) else { return }
        // A stream that may know more from now on has to be told whether the device is stationary.
        turn.stationary.lookAtNextFix()
        let flags = directory.streamFlags(of: directory.app(of: manager))
        for index in running[position].streams.indices where running[position].streams[index].toldFlags != flags {
            running[position].streams[index].toldFlags = flags
            guard !flags.isEmpty else { continue }
            running[position].streams[index].isStationary = false
            turn.tell(manager, LiveElement(updates: running[position].streams[index].number, flags: flags))
        }
    }

    /// The reduced view may be minutes from being computed again: streams that begin have the one in force.
    private func tellViewInForce(
        to manager: ManagerID, from first: UInt32 = 0, _ directory: Directory, _ turn: inout Turn
    ) {
        guard let service = running[of: manager], directory.mayStream(manager), directory.hasReducedView(manager),
            !directory.isAway(manager), turn.reducedView.isInForce(at: turn.now), let view = turn.reducedViewInLog
        else { return }
        for stream in service.streams where stream.number >= first && !stream.isStationary {
            turn.tell(manager, LiveElement(updates: stream.number, sequence: view, flags: .accuracyLimited))
        }
    }

    mutating func propertiesChanged(
        of manager: ManagerID, hadReducedView: Bool, _ directory: Directory, _ turn: inout Turn
    ) {
        if !hadReducedView { tellViewInForce(to: manager, directory, &turn) }
    }

    // MARK: Rights

    mutating func rightsChanged(
        of manager: ManagerID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn
    ) {
        if change.isGranted { tellViewInForce(to: manager, directory, &turn) }
        tellFlags(of: manager, directory, &turn)
        if change.old.isAuthorized, change.old.accuracy == .full { tellViewInForce(to: manager, directory, &turn) }
    }

    mutating func diagnosisChanged(of manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        tellFlags(of: manager, directory, &turn)
        tellViewInForce(to: manager, directory, &turn)
    }

    // MARK: The life of a manager

    /// Tells where the device is now.
    mutating func tellMissed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard let position = running.position(of: manager) else { return }
        for index in running[position].streams.indices { running[position].streams[index].toldFlags = [] }
        tellFlags(of: manager, directory, &turn)
        // The device may have become stationary meanwhile.
        turn.stationary.lookAtNextFix()
        let isReduced = directory.hasReducedView(manager)
        let sequence = isReduced ? turn.reducedViewInLog ?? 0 : turn.intake.newestAccepted
        guard directory.mayStream(manager), turn.intake.accepted > 0, sequence != 0 else { return }
        for stream in running[position].streams where !stream.isStationary {
            turn.tell(
                manager,
                LiveElement(updates: stream.number, sequence: sequence, flags: isReduced ? .accuracyLimited : []))
        }
    }

    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        lastNumbers.clear(manager)
        guard let service = running.remove(manager) else { return }
        for stream in service.streams { turn.stationary.count(stream.configuration.activity, by: -1) }
    }

    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        lastNumbers[manager] = record.live.lastNumber
        for stream in record.live.streams { insert(manager, stream.number, stream.configuration, directory, &turn) }
    }

    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        guard let position = running.position(of: manager) else { return }
        for left in record.live.streams {
            guard let index = running[position].streams.firstIndex(where: { $0.number == left.number }) else {
                continue
            }
            running[position].streams[index] = left
            if left.hasToldLoss { turn.loss.noteTold() }
        }
    }

    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        record.live = Record(lastNumber: lastNumbers[manager], streams: running[of: manager]?.streams ?? [])
    }

    // MARK: Time

    mutating func tellLoss(onSince: BootInstant, _ directory: Directory, _ turn: inout Turn) {
        for position in running.indices {
            let manager = running[position].manager
            guard !directory.isAway(manager), directory.mayStream(manager) else { continue }
            for index in running[position].streams.indices where !running[position].streams[index].hasToldLoss {
                let stream = running[position].streams[index]
                guard !stream.isStationary, turn.isLost(startedAt: stream.startedAt, onSince: onSince) else { continue }
                running[position].streams[index].hasToldLoss = true
                running[position].streams[index].toldFlags = .locationUnavailable
                turn.loss.noteTold()
                turn.tell(manager, LiveElement(updates: stream.number, flags: .locationUnavailable))
            }
        }
    }

    mutating func forgetLoss() {
        for position in running.indices {
            for index in running[position].streams.indices { running[position].streams[index].hasToldLoss = false }
        }
    }

    var canBeAtLoss: Bool { !running.isEmpty }

    // MARK: Questions

    func demand(_ directory: Directory, _ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand {
        var merged = ReceiverDemand.none
        for service in running.services where directory.mayStream(service.manager) {
            let isReduced = directory.authorization(of: service.manager).accuracy == .reduced
            let wish = isReduced ? ReceiverDemand(for: .reduced, turn.configuration.power) : .continuous
            let isSilent = service.streams.allSatisfy(\.isStationary)
            merged = merged.merged(with: isSilent ? wish.whileStationary(turn.configuration) : wish)
            if merged == .continuous { break }
        }
        return merged
    }

    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool { running.contains(manager) }

    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool {
        running.services.contains { directory.mayStream($0.manager) && isMeant(.liveUpdates($0.manager)) }
    }

    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        report.live = running[of: manager]?.streams.map { ($0.number, $0.configuration, $0.isStationary) } ?? []
    }
}

extension Turn {
    mutating func tell(_ manager: ManagerID, _ element: LiveElement) { append(.liveUpdate(manager, element)) }
}

/// The number and the configuration; where the stream stands (0: nowhere, its client has to come back): since when, 1 stationary and 2 loss
/// told, and the flags that were told.
extension LiveService.Stream: Recorded {
    var coded: [Int64] {
        let names = [Int64(number), Int64(configuration.rawValue)]
        guard startedAt.nanoseconds != 0 else { return names }
        return names + [
            startedAt.nanoseconds, (isStationary ? 1 : 0) + (hasToldLoss ? 2 : 0), Int64(toldFlags.rawValue),
        ]
    }

    init?(coded: [Int64]) {
        guard coded.count == 2 || coded.count == 5, let number = UInt32(exactly: coded[0]), number.isUsable,
            let configuration = Int(exactly: coded[1]).flatMap({ LiveConfiguration(rawValue: $0) })
        else { return nil }
        self.init(
            number: number, configuration: configuration,
            startedAt: BootInstant(nanoseconds: coded.count == 5 ? coded[2] : 0))
        guard coded.count == 5 else { return }
        guard let flags = UInt16(exactly: coded[4]) else { return nil }
        isStationary = coded[3] & 1 != 0
        hasToldLoss = coded[3] & 2 != 0
        toldFlags = DiagnosticFlags(rawValue: flags)
    }
}
