// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Questions to all services, with their answers merged.
extension Services {
    /// The first service that carries a request out answers it; false: none does.
    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        var visitor = Take(request: request, manager: manager)
        forEach(&visitor, directory, &turn)
        return visitor.isTaken
    }

    /// How often the services need a fix.
    mutating func demand(_ directory: Directory, _ turn: inout Turn, _ power: ReceiverPower) -> ReceiverDemand {
        var visitor = Demand(power: power)
        forEach(&visitor, directory, &turn)
        return visitor.merged
    }

    /// Whether somebody may have to be told of a loss.
    mutating func canBeAtLoss(_ directory: Directory, _ turn: inout Turn) -> Bool {
        var visitor = CanBeAtLoss()
        forEach(&visitor, directory, &turn)
        return visitor.can
    }

    /// When something is due, if nothing else happens; nil: never.
    mutating func deadline(_ directory: Directory, _ turn: inout Turn) -> WakeWindow? {
        var visitor = Deadline()
        forEach(&visitor, directory, &turn)
        return visitor.next
    }

    /// The longest sleeps while no sky is found. A device that came by car may be far beyond a border when it is back, or a significant
    /// change late.
    func blindSleep(_ power: ReceiverPower, _ borders: Borders, _ directory: Directory) -> BlindSleep {
        var longest = BlindSleep()
        let isOnFoot = power.pace.isOnFoot
        if significant.areWanted {
            let isAlone = !standard.canBeAtLoss && !live.canBeAtLoss
            let onFoot = isAlone ? .seconds(600) : longest.hot
            longest.hot = isOnFoot ? onFoot : (power.search.worthwhileSleep ?? .seconds(80))
            if isAlone, !borders.areWatched, !visits.areWatched(directory) { longest.firstCold = .seconds(200) }
        }
        if borders.areWatched {
            longest.hot = min(longest.hot, .seconds(isOnFoot ? 200 : 120))
            longest.cold = min(longest.cold, .seconds(240))
        }
        if visits.areWatched(directory) {
            longest.hot = min(longest.hot, .seconds(120))
            longest.cold = min(longest.cold, .seconds(300))
        }
        return longest
    }

    /// Whether something of the manager waits for consent.
    func wants(_ manager: ManagerID, _ directory: Directory, _ turn: Turn) -> Bool {
        ask(Wants(manager: manager), directory, turn).wants
    }

    /// Calls `body` with each service that needs the receiver now, with some more than once.
    func forEachUser(_ directory: Directory, _ turn: Turn, _ body: (ReceiverUser) -> Void) {
        _ = hasUser(directory, turn) { user in
            body(user)
            return false
        }
    }

    /// Whether the receiver is needed now for somebody who `isMeant`.
    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool {
        withoutActuallyEscaping(isMeant) { ask(HasUser(isMeant: $0), directory, turn).has }
    }

    /// Fills in what outlives a turn of a manager's services.
    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        record = ask(FillRecord(manager: manager, record: record), directory, turn).record
    }

    /// Fills in what is on record of an app's services.
    func fill(_ record: inout AppRecord, of app: AppID, _ directory: Directory, _ turn: Turn) {
        record = ask(FillAppRecord(app: app, record: record), directory, turn).record
    }

    /// Fills in what `status` tells of a manager's services.
    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        report = ask(FillReport(manager: manager, report: report), directory, turn).report
    }

    /// A visitor may change services and turn; one that only asks gets copies, which cost no more than counting references.
    private func ask<Asking: ServiceVisitor>(_ visitor: Asking, _ directory: Directory, _ turn: Turn) -> Asking {
        var (services, visitor, turn) = (self, visitor, turn)
        services.forEach(&visitor, directory, &turn)
        return visitor
    }
}

private struct Take: ServiceVisitor {
    let request: Request
    let manager: ManagerID
    var isTaken = false

    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        isTaken = isTaken || service.take(request, of: manager, directory, &turn)
    }
}

private struct Demand: ServiceVisitor {
    let power: ReceiverPower
    var merged = ReceiverDemand.none

    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        guard merged != .continuous else { return }
        merged = merged.merged(with: service.demand(directory, turn, power))
    }
}

private struct CanBeAtLoss: ServiceVisitor {
    var can = false

    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        can = can || service.canBeAtLoss
    }
}

private struct Deadline: ServiceVisitor {
    var next: WakeWindow?

    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        guard let window = service.deadline(directory, turn) else { return }
        next = next?.merged(with: window) ?? window
    }
}

private struct Wants: ServiceVisitor {
    let manager: ManagerID
    var wants = false

    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        wants = wants || service.wants(manager, directory)
    }
}

private struct HasUser: ServiceVisitor {
    let isMeant: (ReceiverUser) -> Bool
    var has = false

    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        has = has || service.hasUser(directory, turn, where: isMeant)
    }
}

private struct FillRecord: ServiceVisitor {
    let manager: ManagerID
    var record: ManagerRecord

    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.fill(&record, of: manager, directory, turn)
    }
}

private struct FillAppRecord: ServiceVisitor {
    let app: AppID
    var record: AppRecord

    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.fill(&record, of: app, directory, turn)
    }
}

private struct FillReport: ServiceVisitor {
    let manager: ManagerID
    var report: ManagerReport

    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.fill(&report, of: manager, directory, turn)
    }
}
