// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Headings of one manager, which run now.
struct HeadingService: ManagerService {
    let manager: ManagerID
    /// Degrees that were told last; nil: nothing yet.
    var told: Double?
}

/// Headings (Protocol 4.10, rule H1): where the device points, which only some receivers know.
///
/// They are unavailable until a receiver has told one: nothing else shows that there is a compass. Each manager has its own filter, in
/// degrees. The receiver runs at full rate while somebody wants them.
struct Headings: Service {
    /// The part of a manager's headings that outlives a turn.
    struct Record: Sendable, Codable {
        var isWanted = false
        /// Degrees that were told last; nil: nothing yet.
        var told: Double?

        private enum CodingKeys: String, CodingKey { case isWanted = "w", told = "d" }
    }

    private var areWanted = PerSlot<ManagerID, Bool>(blank: false)
    private var running = ServiceTable<HeadingService>()
    /// Some receiver has told where the device points.
    private(set) var areAvailable = false

    mutating func receive(_ heading: Heading, _ directory: Directory, _ turn: inout Turn) {
        guard let degrees = heading.trueHeading ?? heading.magneticHeading, degrees.isFinite else { return }
        areAvailable = true
        turn.effects.heading = heading
        for position in running.indices {
            let manager = running[position].manager
            // Reduced accuracy is a place of kilometres and nothing else (Protocol 6.6).
            guard !directory.isAway(manager), directory.authorization(of: manager).accuracy == .full else { continue }
            let filter = directory[manager].properties.headingFilter
            if let told = running[position].told, filter > 0, Headings.turn(from: told, to: degrees) < filter {
                continue
            }
            running[position].told = degrees
            turn.append(.heading(manager))
        }
    }

    /// Degrees, 0 to 180.
    private static func turn(from one: Double, to other: Double) -> Double {
        let difference = abs(other - one).truncatingRemainder(dividingBy: 360)
        return min(difference, 360 - difference)
    }

    // MARK: Requests

    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        switch request {
        case .startUpdatingHeading: start(manager, directory, &turn)
        case .stopUpdatingHeading:
            areWanted[manager] = false
            running.remove(manager)
            turn.touch(directory.identity(of: manager))
            turn.save(manager)
            turn.reply(manager, Reply(state: nil))
        default: return false
        }
        return true
    }

    private mutating func start(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard areAvailable else { return turn.answer(manager, Reply(state: .unavailable)) }
        let state = directory.authorization(of: manager).serviceState
        turn.answer(manager, Reply(state: state))
        areWanted[manager] = true
        if state == .running { run(manager, directory, &turn) }
        if state == .denied { turn.fail(manager, .denied, nil) }
        turn.questions.append(.service(manager))
        turn.save(manager)
    }

    private mutating func run(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard !running.contains(manager) else { return }
        running.insert(HeadingService(manager: manager))
        turn.touch(directory.identity(of: manager))
    }

    // MARK: Rights

    mutating func rightsChanged(
        of manager: ManagerID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn
    ) {
        if change.isLost {
            running.remove(manager)
            deny(manager, directory, &turn)
        } else if change.isGranted, areWanted[manager] {
            run(manager, directory, &turn)
        } else if change.old.serviceState == .waitingForAuthorization, !change.new.isAuthorized {
            deny(manager, directory, &turn)
        }
    }

    private func deny(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard areWanted[manager], directory.isDenied(manager) else { return }
        turn.fail(manager, .denied, nil)
    }

    // MARK: The life of a manager

    mutating func attached(
        _ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn
    ) {
        deny(manager, directory, &turn)
    }

    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        running.remove(manager)
        areWanted.clear(manager)
    }

    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        areWanted[manager] = record.heading.isWanted
        guard record.heading.isWanted, directory.authorization(of: manager).isAuthorized else { return }
        run(manager, directory, &turn)
    }

    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        guard let position = running.position(of: manager) else { return }
        running[position].told = record.heading.told
        areAvailable = true
    }

    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        record.heading = Record(isWanted: areWanted[manager], told: running[of: manager]?.told)
    }

    // MARK: Questions

    func demand(_ directory: Directory, _ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand {
        running.isEmpty ? .none : .continuous
    }

    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool { areWanted[manager] }

    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool {
        running.services.contains {
            directory.authorization(of: $0.manager).isAuthorized && isMeant(.heading($0.manager))
        }
    }

    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        report.heading = areWanted[manager] ? directory.authorization(of: manager).serviceState : nil
    }
}
