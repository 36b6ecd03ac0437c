// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Visits (Protocol 7.3, rules V1 to V4): one detector for the device, for all apps that want them.
///
/// The start on one manager serves all of its app, and outlives it. What the detector watches is stored, so that a visit goes on over a
/// restart; a fix moves that only every five minutes. A fix costs one step of the detector while some app wants visits.
struct Visits: Service {
    private(set) var detector = VisitDetector()
    /// The detector has seen fixes.
    private var hasWatched = false
    /// As it was stored last.
    private var saved: StoredStay?
    private var areWanted = PerSlot<AppID, Bool>(blank: false)

    // MARK: Requests

    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        switch request {
        case .startMonitoringVisits: start(manager, directory, &turn)
        case .stopMonitoringVisits:
            let app = directory.app(of: manager)
            areWanted[app] = false
            turn.append(.saveApp(app))
            turn.reply(manager, Reply(state: nil))
            turn.touch(directory[app].identity)
        default: return false
        }
        return true
    }

    private mutating func start(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        let app = directory.app(of: manager)
        let state = directory[app].authorization.serviceState
        areWanted[app] = true
        turn.append(.saveApp(app))
        turn.answer(manager, Reply(state: state))
        if state == .denied { turn.fail(manager, .denied, nil) }
        turn.questions.append(.service(manager))
        turn.touch(directory[app].identity)
    }

    // MARK: One fix

    mutating func watch(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {
        guard areWatched(directory) else {
            // After a restart clients are given the time to come back.
            let isYoung = turn.now - turn.intake.openedAt < turn.configuration.rejoinTime
            if isYoung, detector.stored != nil { return }
            // Nobody watched: whatever comes later was not seen from its beginning.
            guard hasWatched || detector.stored != nil else { return }
            hasWatched = false
            detector = VisitDetector()
            return save(&turn)
        }
        hasWatched = true
        var found: [Visit] = []
        detector.process(fix.location, at: turn.now, turn.configuration.visits, into: &found)
        save(&turn)
        for visit in found {
            for app in areWanted.ids where isWatched(app, directory) { tell(visit, to: app, directory, &turn) }
        }
    }

    /// The last fix inside moves on with every fix: after a restart it may be some minutes old.
    private mutating func save(_ turn: inout Turn) {
        let stay = detector.stored
        if let stay, let saved, stay.arrival == saved.arrival, stay.isTold == saved.isTold,
            stay.lastInside.milliseconds - saved.lastInside.milliseconds < Visits.savingMilliseconds
        {
            return
        }
        guard stay != saved else { return }
        saved = stay
        turn.append(.saveStay)
    }

    private static let savingMilliseconds: Int64 = 300_000

    /// Times are exact, the place is as coarse as the app may know it.
    private func tell(_ visit: Visit, to app: AppID, _ directory: Directory, _ turn: inout Turn) {
        var seen = visit
        if directory[app].authorization.accuracy == .reduced {
            let view = visit.reducedPlace
            seen.coordinate = view.coordinate
            seen.horizontalAccuracy = view.horizontalAccuracy
        }
        let date = turn.intake.lastLocation?.timestamp ?? visit.departure ?? visit.arrival
        turn.tell(app, .visit(seen), on: date ?? WallTime(milliseconds: 0), directory)
    }

    /// A search of the receiver found no sky.
    mutating func noteVainSearch(_ directory: Directory, at now: BootInstant) {
        if areWatched(directory) { detector.noteVainSearch(at: now) }
    }

    // MARK: Records

    mutating func restore(_ stay: StoredStay, _ settings: VisitSettings) {
        detector = VisitDetector(restoring: stay, settings)
    }

    mutating func enter(_ app: AppID, _ record: AppRecord, _ directory: Directory, _ turn: inout Turn) {
        areWanted[app] = record.monitorsVisits
    }

    func fill(_ record: inout AppRecord, of app: AppID, _ directory: Directory, _ turn: Turn) {
        record.monitorsVisits = areWanted[app]
    }

    mutating func forget(_ app: AppID, _ directory: Directory, _ turn: inout Turn) { areWanted[app] = false }

    // MARK: Questions

    func isWanted(_ app: AppID) -> Bool { areWanted[app] }

    private func isWatched(_ app: AppID, _ directory: Directory) -> Bool {
        areWanted[app] && directory[app].mayHaveEvents
    }

    func areWatched(_ directory: Directory) -> Bool { areWanted.ids.contains { isWatched($0, directory) } }

    func demand(_ directory: Directory, _ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand {
        guard areWatched(directory) else { return .none }
        if detector.isDecisionPending(turn.configuration.visits) { return .awake }
        let sleep = detector.longestSleep(turn.configuration.visits)
        // Before the first fix the search for it may be given up like any other.
        return .periodic(sleep: sleep == .zero ? turn.configuration.power.minimumSleep : sleep)
    }

    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool { areWanted[directory.app(of: manager)] }

    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool {
        areWanted.ids.contains { isWatched($0, directory) && isMeant(.visits($0)) }
    }
}

extension Visit {
    /// The place in the reduced view.
    var reducedPlace: Location {
        Location(coordinate: coordinate, horizontalAccuracy: horizontalAccuracy, timestamp: WallTime(milliseconds: 0))
            .reducedView
    }
}
