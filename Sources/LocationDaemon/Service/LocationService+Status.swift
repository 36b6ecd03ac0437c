// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationEngine
import LocationModel
import LocationProtocol

/// What `status` says that the service itself does not know.
struct StatusSurroundings {
    var startedAt = BootInstant(nanoseconds: 0)
    var gpsd = GPSDStatus(connected: false)
    var receivers: [ReceiverStatus] = []
    var connections = ConnectionsStatus(total: 0)
}

extension LocationService {
    /// The document for one client: everything to an administrator who asks for all, else what concerns the client and the device.
    func status(_ scope: StatusScope, for manager: ClientManager, at now: BootInstant) -> Status {
        let around = surroundings()
        let seesAll = scope == .all && manager.peer.isAdmin()
        let isAuthorized = engine.authorization(of: manager.id).isAuthorized
        var status = Status(
            daemon: DaemonStatus(
                version: locationdVersion, uptime: (now - around.startedAt).seconds, pid: Int(getpid()),
                memory: seesAll ? ProcessMemory.now : nil,
                stateProblems: keeper.problems.isEmpty ? nil : keeper.problems),
            locationServicesEnabled: true,
            gpsd: seesAll || isAuthorized ? around.gpsd : GPSDStatus(connected: around.gpsd.connected),
            connections: ConnectionsStatus(
                total: around.connections.total, limit: seesAll ? around.connections.limit : nil))
        guard seesAll || isAuthorized else { return status }
        status.receivers = around.receivers
        status.power = power(seesAll: seesAll, of: manager, at: now)
        status.fixes = FixesStatus(
            accepted: engine.accepted, rejected: rejections,
            newestSequence: engine.newestSequence == 0 ? nil : engine.newestSequence,
            lastFixAge: engine.accepted > 0 ? engine.lastFixAt.map { (now - $0).seconds } : nil)
        let shown = scope == .all && seesAll ? managers.compactMap { $0 } : siblings(of: manager)
        status.managers = shown.filter { $0.app != nil }.map { describe($0, at: now) }
        return status
    }

    // This connection and its app.
    private func siblings(of manager: ClientManager) -> [ClientManager] {
        managers.compactMap { $0 }.filter { $0.app == manager.app }
    }

    private var rejections: [String: UInt64] {
        var counts: [String: UInt64] = [:]
        for reason in FixRejection.allCases where engine.rejected[reason.rawValue] > 0 {
            counts["\(reason)"] = engine.rejected[reason.rawValue]
        }
        return counts
    }

    private func power(seesAll: Bool, of manager: ClientManager, at now: BootInstant) -> PowerStatus {
        let report = engine.powerReport(at: now)
        let users = engine.receiverUsers.filter { seesAll || $0.manager == manager.id }
        return PowerStatus(
            policy: report.policy.onTheWire, reason: report.policy.reason, on: report.isOn,
            nextOn: report.nextOn?.seconds,
            demands: users.map { user in
                PowerStatus.Demand(
                    connection: UInt64(user.manager.rawValue), service: ServiceName(user.source),
                    desiredAccuracy: engine.state(of: user.manager).properties.desiredAccuracy)
            })
    }

    private func describe(_ manager: ClientManager, at now: BootInstant) -> ManagerStatus {
        let report = engine.report(of: manager.id, at: now)
        let authorization = engine.authorization(of: manager.id)
        var status = ManagerStatus(
            connection: UInt64(manager.id.rawValue), pid: manager.peer.pid == 0 ? nil : Int(manager.peer.pid),
            uid: manager.peer.uid,
            identity: manager.identity?.description ?? "", app: manager.label, presence: report.presence,
            properties: report.properties, authorizationStatus: authorization.status,
            accuracyAuthorization: authorization.status == .notDetermined ? nil : authorization.accuracy,
            waitingToRejoin: report.waitsToRejoin != nil)
        func add(_ source: LocationSource, _ state: LocationEngine.ServiceState?) {
            guard let state else { return }
            status.services.append(
                ManagerStatus.Service(
                    service: ServiceName(source), state: state.onTheWire, reason: reason(for: state, manager)))
        }
        add(.standard, report.standard)
        add(.significantChange, report.significantChange)
        status.request = report.request.map {
            ManagerStatus.Request(number: UInt64($0.number), timeLeft: $0.timeLeft.seconds)
        }
        status.deferral = report.deferral.map {
            ManagerStatus.Deferral(
                number: UInt64($0.number), held: UInt64($0.held), distanceLeft: $0.distanceLeft,
                timeLeft: $0.timeLeft?.seconds)
        }
        guard authorization.isAuthorized else { return status }
        status.delivered = manager.outbox.deliveredCount
        status.filtered = report.filteredByDistance > 0 ? ["distanceFilter": report.filteredByDistance] : [:]
        status.dropped = manager.outbox.droppedCount
        status.lag = ManagerStatus.Lag(
            locations: UInt64(manager.outbox.waitingLocations), bytes: UInt64(manager.outbox.waitingBytes))
        return status
    }

    /// Whether nothing runs or is pending for the manager.
    func isIdle(_ manager: ClientManager) -> Bool {
        guard manager.app != nil else { return true }
        let state = engine.state(of: manager.id)
        return !state.wantsStandard && !state.wantsSignificant && state.request == nil
    }
}

extension PowerPolicy {
    fileprivate var onTheWire: PowerStatus.Policy {
        switch self {
        case .off: .off
        case .fullRate: .fullRate
        case .dutyCycled: .dutyCycled
        }
    }

    fileprivate var reason: String {
        switch self {
        case .off: "nobody needs a location"
        case .fullRate: "somebody needs every fix"
        case .dutyCycled: "those who need locations can wait between fixes"
        }
    }
}

/// What the process takes, by the kernel's count.
enum ProcessMemory {
    static var now: DaemonStatus.Memory? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let fields = String(decoding: bytes[0..<count], as: UTF8.self).split(separator: " ").compactMap { UInt64($0) }
        guard fields.count >= 3, fields[1] >= fields[2] else { return nil }
        let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        return DaemonStatus.Memory(resident: fields[1] * page, anonymous: (fields[1] - fields[2]) * page)
    }
}
