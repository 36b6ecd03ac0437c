// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

// The part of `status` about one connection, and about those for whom the receivers are on.
extension StatusDocument {
    func describe(_ manager: ClientManager) -> ManagerStatus {
        let report = service.engine.report(of: manager.id, at: now)
        let authorization = service.engine.authorization(of: manager.id)
        var status = ManagerStatus(
            connection: manager.connection, pid: manager.peer.pid == 0 ? nil : Int(manager.peer.pid),
            uid: manager.peer.uid,
            identity: manager.who.identity?.description ?? "", app: manager.label, presence: report.presence,
            properties: report.properties, authorizationStatus: authorization.status,
            accuracyAuthorization: authorization.accuracyOnTheWire,
            waitingToRejoin: report.waitsToRejoin != nil)
        status.user = service.userName(manager.peer.uid)
        status.services = services(of: manager, report)
        status.beaconsWanted = report.wantedBeacons
        status.request = report.request.map {
            ManagerStatus.Request(number: UInt64($0.number), timeLeft: $0.timeLeft.seconds)
        }
        status.deferral = report.deferral.map {
            ManagerStatus.Deferral(
                number: UInt64($0.number), held: UInt64($0.held), distanceLeft: $0.distanceLeft,
                timeLeft: $0.timeLeft?.seconds)
        }
        addStreams(to: &status, report)
        guard authorization.isAuthorized else { return status }
        status.delivered = manager.outbox.deliveredCount
        status.filtered = [:]
        if report.filteredByDistance > 0 { status.filtered?["distanceFilter"] = report.filteredByDistance }
        if report.filteredByPause > 0 { status.filtered?["paused"] = report.filteredByPause }
        status.dropped = manager.outbox.droppedCount
        status.lag = ManagerStatus.Lag(
            locations: UInt64(manager.outbox.waitingLocations), bytes: UInt64(manager.outbox.waitingBytes))
        return status
    }

    private func services(of manager: ClientManager, _ report: ManagerReport) -> [ManagerStatus.Service] {
        var services: [ManagerStatus.Service] = []
        func add(_ name: ServiceName, _ state: ServiceState?, as request: Request? = nil) {
            guard let state else { return }
            let reason = StateReason(service, manager, request)
            services.append(
                ManagerStatus.Service(
                    service: name, state: state, reason: reason.text(for: state), onlyBeacons: reason.isAboutBeacons))
        }
        // Of shapes, those around beacons alone need no receiver, so that nothing is wrong without one.
        func add(_ name: ServiceName, _ shapes: [RegionShape], _ state: ServiceState) {
            let decisive = shapes.first { $0.beacons == nil } ?? shapes.first
            add(name, state, as: decisive.map { .startMonitoring(Region(identifier: "", shape: $0)) })
        }
        add(.standard, report.standard)
        add(.significantChange, report.significantChange)
        add(.heading, report.heading)
        add(.ranging, report.ranging, as: .startRangingBeacons(BeaconIdentity(uuid: "")))
        let state = service.engine.authorization(of: manager.id).serviceState
        if !report.live.isEmpty { add(.liveUpdates, state) }
        guard let app = manager.app else { return services }
        if !report.monitors.isEmpty {
            let conditions = report.monitors.flatMap { service.engine.conditions(ofMonitor: $0.name, of: app) }
            add(.monitors, conditions.map(\.shape), state)
        }
        let regions = service.engine.monitoredRegions(of: app)
        if !regions.isEmpty { add(.regions, regions.map(\.shape), state) }
        if service.engine.monitorsVisits(app) { add(.visits, state) }
        return services
    }

    private func addStreams(to status: inout ManagerStatus, _ report: ManagerReport) {
        if report.standard != nil { status.paused = report.isPaused }
        if !report.sessions.isEmpty {
            status.sessions = report.sessions.map { session in
                switch session.kind {
                case .backgroundActivity:
                    ManagerStatus.Session(kind: .backgroundActivity, number: UInt64(session.number))
                case .service(let requirement, _):
                    ManagerStatus.Session(
                        kind: .service, number: UInt64(session.number), requirement: requirement,
                        fullAccuracyPurposeKey: session.purposeKey)
                }
            }
        }
        guard !report.live.isEmpty else { return }
        status.liveUpdates = report.live.map {
            ManagerStatus.LiveUpdates(
                updates: UInt64($0.number), configuration: $0.configuration, stationary: $0.isStationary)
        }
    }

    func power(seesAll: Bool, of manager: ClientManager) -> PowerStatus {
        let report = service.engine.powerReport(at: now)
        return PowerStatus(
            policy: report.policy.onTheWire, reason: report.policy.reason, on: report.isOn,
            nextOn: report.nextOn?.seconds, onTime: report.onTime.seconds,
            demands: service.engine.receiverUsers.compactMap { demand(of: $0, seesAll: seesAll, manager) })
    }

    private func demand(of user: ReceiverUser, seesAll: Bool, _ manager: ClientManager) -> PowerStatus.Demand? {
        func own(_ id: ManagerID, _ name: ServiceName) -> PowerStatus.Demand? {
            guard seesAll || id == manager.id else { return nil }
            return PowerStatus.Demand(
                connection: service.managers[id]?.connection, service: name,
                desiredAccuracy: service.engine.properties(of: id).desiredAccuracy)
        }
        func app(_ id: AppID, _ name: ServiceName) -> PowerStatus.Demand? {
            guard seesAll || id == manager.app, let key = service.apps.key(of: id) else { return nil }
            return PowerStatus.Demand(app: key.identity.description, service: name)
        }
        return switch user {
        case .locations(let id, let source): own(id, ServiceName(source))
        case .liveUpdates(let id): own(id, .liveUpdates)
        case .heading(let id): own(id, .heading)
        // It needs no receiver.
        case .ranging, .beacons: nil
        case .regions(let id): app(id, .regions)
        case .visits(let id): app(id, .visits)
        case .absentSignificantChange(let id): app(id, .significantChange)
        }
    }
}
