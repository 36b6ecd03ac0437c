// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import LocationEngine

/// The example of Documentation/Architecture.md, "To add a service": hands out a location at each kilometre that the device travels.
private struct Milestones: Service {
    private struct OfManager {
        var isWanted = false
        /// Kilometres on the odometer that were told last.
        var told = 0.0
    }

    private var managers = PerSlot<ManagerID, OfManager>(blank: OfManager())

    /// Ranging beacons stands in for a request of its own: a test cannot add a case to `Request`.
    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        guard case .startRangingBeacons = request else { return false }
        managers[manager] = OfManager(isWanted: true, told: kilometres(turn.intake.odometer.travelled))
        turn.answer(manager, Reply(state: directory.authorization(of: manager).serviceState))
        turn.questions.append(.service(manager))
        return true
    }

    mutating func deliver(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {
        let reached = kilometres(fix.odometer)
        for manager in managers.ids where managers[manager].isWanted && reached > managers[manager].told {
            guard directory.authorization(of: manager).isAuthorized, !directory.isAway(manager) else { continue }
            managers[manager].told = reached
            let sequence = fix.location.sequence
            turn.append(.deliver(manager, Delivery(first: sequence, last: sequence, source: .standard)))
        }
    }

    mutating func rightsChanged(
        of manager: ManagerID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn
    ) {
        if change.isLost, managers[manager].isWanted { turn.fail(manager, .denied, nil) }
    }

    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) { managers.clear(manager) }

    func demand(_ directory: Directory, _ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand {
        managers.ids.contains { wants($0, directory) && directory.authorization(of: $0).isAuthorized }
            ? .continuous : .none
    }

    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool { managers[manager].isWanted }

    private func kilometres(_ metres: Double) -> Double { (metres / 1000).rounded(.down) }
}

@Suite("A service of the engine")
struct ServiceTests {
    private let manager = ManagerID(rawValue: 0)
    private var directory = Directory()
    private var turn: Turn
    private var service = Milestones()

    /// One client, of an app that is authorized always.
    init() {
        let now = BootInstant(nanoseconds: 1_000_000_000_000)
        let intake = Intake(newestSequence: 0, last: nil, travelled: 400, at: now)
        turn = Turn(EngineConfiguration(), intake, reducedSequence: 0, at: now)
        directory.identities = [Identity()]
        directory.apps = [Directory.App()]
        directory.apps[0].identity = IdentityID(rawValue: 0)
        directory.apps[0].authorization = .always
        directory.managers = [Directory.Manager()]
        directory.managers[0].isOpen = true
    }

    /// What the service is told of by the same message as all services are.
    private mutating func tell(_ message: ServiceMessage) { message.visit(&service, directory, &turn) }

    private mutating func fix(_ sequence: UInt64, odometer: Double) {
        let location = Location(
            coordinate: .origin, horizontalAccuracy: 5, timestamp: WallTime(milliseconds: 0), sequence: sequence)
        tell(.deliver(AcceptedFix(location: location, odometer: odometer, flags: [])))
    }

    /// The sequences that were delivered.
    private var delivered: [UInt64] {
        turn.effects.effects.compactMap { if case .deliver(_, let delivery) = $0 { delivery.first } else { nil } }
    }

    private var demand: ReceiverDemand {
        service.demand(directory, turn, ReceiverPower())
    }

    @Test("takes its own request, answers it, and leaves others to others")
    mutating func requests() {
        #expect(!service.take(.startMonitoringVisits, of: manager, directory, &turn))
        #expect(turn.effects.effects.isEmpty && !service.wants(manager, directory))
        #expect(service.take(.startRangingBeacons(.some(1)), of: manager, directory, &turn))
        guard case .reply(manager, let reply)? = turn.effects.effects.first else {
            Issue.record("the request has no answer")
            return
        }
        #expect(reply.state == .running && service.wants(manager, directory) && turn.questions.count == 1)
    }

    @Test("needs the receiver while somebody who may know wants it, and has a part in nothing that it does not say")
    mutating func asked() {
        #expect(demand == .none)
        _ = service.take(.startRangingBeacons(.some(1)), of: manager, directory, &turn)
        #expect(demand == .continuous)
        directory.apps[0].authorization = .denied
        #expect(demand == .none)
        #expect(service.deadline(directory, turn) == nil && !service.canBeAtLoss)
    }

    @Test("is told of fixes, of rights and of the end of a manager as all services are")
    mutating func told() {
        _ = service.take(.startRangingBeacons(.some(1)), of: manager, directory, &turn)
        fix(1, odometer: 900)
        fix(2, odometer: 1100)
        fix(3, odometer: 1900)
        fix(4, odometer: 2000)
        #expect(delivered == [2, 4])
        tell(.managerRights(manager, RightsChange(old: .always, new: .denied)))
        guard case .fail(manager, code: .denied, source: nil, request: 0)? = turn.effects.effects.last else {
            Issue.record("the denial is not told")
            return
        }
        tell(.closed(manager))
        fix(5, odometer: 3000)
        #expect(delivered == [2, 4] && demand == .none)
    }

    @Test("is told of everything once it is a property of Services and in the list there: no property is left out")
    mutating func listed() {
        var names = Names()
        var services = Services()
        services.forEach(&names, directory, &turn)
        #expect(names.visited == Mirror(reflecting: services).children.map { "\(type(of: $0.value))" })
    }
}

/// The types of the services that it visits.
private struct Names: ServiceVisitor {
    var visited: [String] = []

    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        visited.append("\(type(of: service))")
    }
}
