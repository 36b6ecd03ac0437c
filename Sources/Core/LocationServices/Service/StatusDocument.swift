// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationEngine
package import LocationModel
package import LocationProtocol
import SystemSupport

/// The parts of `status` that the service itself does not know.
package struct StatusSurroundings {
    package var startedAt = BootInstant(nanoseconds: 0)
    package var gpsd = GPSDStatus(connected: false)
    package var receivers: [ReceiverStatus] = []
    /// nil: nothing is to be kept.
    package var history: HistoryStatus?
    /// `all`: also whose they are.
    package var connections: (_ all: Bool) -> ConnectionsStatus = { _ in ConnectionsStatus(total: 0) }
    /// `all`: also which apps they are, and what is wrong with a file.
    package var providers: (_ all: Bool) -> [ProviderStatus] = { _ in [] }

    /// Nothing is around.
    package init() {}
}

/// The answer to `status`, and what it is made of. Changes nothing.
package struct StatusDocument {
    let service: LocationService
    let now: BootInstant

    init(_ service: LocationService, at now: BootInstant) {
        self.service = service
        self.now = now
    }

    /// The document for one client: everything to an administrator who asks for all, else what concerns the client and the device.
    func status(_ scope: StatusScope, for manager: ClientManager) -> Status {
        let around = service.host.surroundings()
        let seesAll = scope == .all && manager.peer.isAdmin()
        let authorization = service.engine.authorization(of: manager.id)
        // A client with reduced accuracy may not see when the device moves, count its fixes, or know whether others need them.
        let seesDevice = seesAll || authorization.isAuthorized && authorization.accuracy == .full
        // Files may be readable for few, so that only administrators are told what is in them.
        let problems =
            StatusDocument.problems(of: service) + [around.history?.problem].compactMap { $0 }
            + (seesAll ? service.rules.manifests.problems + service.rules.unknownNames : [])
        var status = Status(
            daemon: DaemonStatus(
                version: locationdVersion, uptime: (now - around.startedAt).seconds, pid: Int(getpid()),
                memory: seesAll ? ProcessMemory.now : nil,
                stateProblems: problems.isEmpty ? nil : problems,
                stateRepairs: seesAll && !service.records.repairs.isEmpty ? service.records.repairs : nil),
            locationServicesEnabled: service.engine.areServicesEnabled,
            gpsd: seesDevice ? around.gpsd : GPSDStatus(connected: around.gpsd.connected),
            connections: around.connections(seesAll))
        // An app may know its own authorization, whatever that is.
        status.apps = seesAll ? apps : ownApp(manager).map { [$0] }
        guard seesAll || authorization.isAuthorized else { return status }
        let shown = scope == .all && seesAll ? service.managers.all : siblings(of: manager)
        status.managers = shown.filter { $0.app != nil }.map { describe($0) }
        guard seesDevice else { return status }
        status.power = power(seesAll: seesAll, of: manager)
        status.device = device
        status.receivers = around.receivers
        // Which apps others use is no app's to know, nor what is in a file that few may read.
        let providers = around.providers(seesAll)
        status.providers = providers.isEmpty ? nil : providers
        status.history = around.history
        status.fixes = fixes(seesAll: seesAll)
        return status
    }

    /// Returns problems with the directories, with what apps own, and with what people decided: everybody is told.
    package static func problems(of service: LocationService) -> [String] {
        var own = service.records.problem.map { [$0] } ?? []
        if let problem = service.consents.problem {
            // One sentence says it.
            if service.records.unreadable != nil { own.removeAll() }
            own.insert(problem, at: 0)
        }
        let owed = service.records.owedDecisions
        if owed > 0 {
            let (verb, holds, it) = owed == 1 ? (" is", "it holds", "it") : ("s are", "they hold", "them")
            own.append(
                "\(owed) decision\(verb) in force that the disk has not taken yet; "
                    + (service.consents.areInMemoryAlone
                        ? "nor does the runtime directory keep \(it): \(holds) only until the daemon ends"
                        : "without it a reboot forgets \(it)"))
        }
        return service.keeper.problems.filter { !own.contains($0) } + own
    }

    private func ownApp(_ manager: ClientManager) -> AppStatus? {
        manager.who.identity.flatMap { service.apps.number(of: $0) }.flatMap { status(of: $0) }
    }

    /// Proof of life: the device may rest, and still be looked at.
    private var device: DeviceStatus {
        let wall = service.host.date()
        return DeviceStatus(
            stationary: service.engine.stationarySince != nil,
            since: service.engine.stationarySince.map {
                WallTime(milliseconds: wall.milliseconds - (now - $0).nanoseconds / 1_000_000)
            },
            lastCheckAge: service.engine.accepted > 0 ? service.engine.lastFixAt.map { (now - $0).seconds } : nil)
    }

    // This connection and its app.
    private func siblings(of manager: ClientManager) -> [ClientManager] {
        service.managers.all.filter { $0.app == manager.app }
    }

    private func fixes(seesAll: Bool) -> FixesStatus {
        var fixes = FixesStatus(
            accepted: service.engine.accepted, rejected: rejections,
            newestSequence: service.engine.newestSequence == 0 ? nil : service.engine.newestSequence)
        if service.engine.accepted > 0 {
            fixes.lastFixAge = service.engine.lastFixAt.map { (now - $0).seconds }
            fixes.horizontalAccuracy = service.engine.lastLocation?.horizontalAccuracy
        }
        guard seesAll else { return fixes }
        fixes.delivered = service.managers.deliveredCount
        fixes.dropped = service.managers.droppedCount
        return fixes
    }

    // Also those that count none: whoever draws a count has to see the first one as a step from 0.
    private var rejections: [String: UInt64] {
        Dictionary(
            uniqueKeysWithValues: FixRejection.allCases.map { ("\($0)", service.engine.rejected[$0.rawValue]) })
    }
}

extension PowerPolicy {
    var onTheWire: PowerStatus.Policy {
        switch self {
        case .off: .off
        case .fullRate: .fullRate
        case .dutyCycled: .dutyCycled
        }
    }

    var reason: String {
        switch self {
        case .off: "nobody needs a location"
        case .fullRate: "somebody needs every fix"
        case .dutyCycled: "those who need locations can wait between fixes"
        }
    }
}

/// The memory that the process takes, by the kernel's count.
enum ProcessMemory {
    static var now: DaemonStatus.Memory? {
        guard let text = SmallFile(at: "/proc/self/statm").text else { return nil }
        let fields = text.split(separator: " ").compactMap { UInt64($0) }
        guard fields.count >= 3, fields[1] >= fields[2] else { return nil }
        let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        return DaemonStatus.Memory(resident: fields[1] * page, anonymous: (fields[1] - fields[2]) * page)
    }
}
