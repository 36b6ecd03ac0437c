// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationWire

// What a client asks, up to the reply.
extension SimulatedDaemon {
    /// The time that a `requestLocation` takes at most unless it says so.
    private static let requestTimeout = TimeSpan.seconds(10)

    mutating func receive(_ call: Call, _ id: RequestID, from connection: SimulatedConnection) {
        activity += 1
        note(.request, "\(call)")
        do throws(RPCError) {
            if case .hello(let hello) = call {
                guard strangers.contains(where: { $0 === connection }) else {
                    throw RPCError(
                        .invalidRequest, "cannot say hello now: it is the first request of a connection or none")
                }
                return greet(hello, id, connection)
            }
            let isStranger = strangers.contains { $0 === connection }
            // Nobody listens to what a connection says after its end.
            guard let manager = isStranger ? openUngreeted(connection) : manager(on: connection) else { return }
            if engine.unconfirmedFinishes(of: manager) > 0 { decide(.finishesConfirmed(manager)) }
            try carryOut(call, id, manager, connection)
        } catch {
            write(ReplyWriter.refusal(id, error), .reply, connection)
        }
    }

    private mutating func carryOut(
        _ call: Call, _ id: RequestID, _ manager: ManagerID, _ connection: SimulatedConnection
    ) throws(RPCError) {
        let request = call.managerRequest(
            properties: engine.properties(of: manager), requestTimeout: SimulatedDaemon.requestTimeout,
            resumePoint: { resumePoint($0) })
        if let request {
            if case .setProperties = call {
                return ask(request, id, manager, stateless: .properties(engine.properties(of: manager)))
            }
            return ask(request, id, manager)
        }
        switch call {
        case .getProperties:
            write(ReplyWriter.result(id, engine.properties(of: manager)), .reply, connection)
        case .location: write(ReplyWriter.result(id, try lastLocation(for: manager)), .reply, connection)
        case .status: write(ReplyWriter.result(id, status), .reply, connection)
        case .monitoredRegions:
            let regions = client(manager).map { engine.monitoredRegions(of: $0.app) } ?? []
            write(ReplyWriter.result(id, MonitoredRegions(regions)), .reply, connection)
        case .monitorRecord(let name):
            let record = try record(of: name, manager)
            write(ReplyWriter.result(id, MonitorRecordResult(record)), .reply, connection)
        default: try carryOutForApp(call, id, manager)
        }
    }

    /// What all connections of the app share.
    private mutating func carryOutForApp(_ call: Call, _ id: RequestID, _ manager: ManagerID) throws(RPCError) {
        switch call {
        case .startMonitoring(let region): ask(.startMonitoring(region), id, manager)
        case .stopMonitoring(let identifier): ask(.stopMonitoring(identifier: identifier), id, manager)
        case .requestState(let identifier): ask(.requestState(identifier: identifier), id, manager)
        case .startMonitoringVisits: ask(.startMonitoringVisits, id, manager)
        case .stopMonitoringVisits: ask(.stopMonitoringVisits, id, manager)
        case .acknowledge(let event): ask(.acknowledge(event: event), id, manager)
        case .openMonitor(let name): ask(.openMonitor(name: name), id, manager, stateless: .monitor(identifiers: []))
        case .closeMonitor(let number): ask(.closeMonitor(UInt32(clamping: number)), id, manager)
        case .addCondition(let condition):
            ask(
                .addCondition(
                    monitor: UInt32(clamping: condition.monitor), identifier: condition.identifier,
                    condition.condition, assuming: condition.assuming, on: clock.wallTime), id, manager)
        case .removeCondition(let name):
            ask(.removeCondition(monitor: UInt32(clamping: name.monitor), identifier: name.identifier), id, manager)
        default: try carryOutForConsent(call, id, manager)
        }
    }

    private mutating func carryOutForConsent(_ call: Call, _ id: RequestID, _ manager: ManagerID) throws(RPCError) {
        switch call {
        case .requestWhenInUseAuthorization:
            try requireUsage(manager, \.whenInUse, "whenInUse")
            ask(.requestWhenInUseAuthorization, id, manager)
        case .requestAlwaysAuthorization:
            try requireUsage(manager, \.whenInUse, "whenInUse")
            try requireUsage(manager, \.always, "always")
            ask(.requestAlwaysAuthorization, id, manager)
        case .requestTemporaryFullAccuracyAuthorization(let key):
            clients[Int(manager.rawValue)]?.purposeKey = key
            ask(
                .requestTemporaryFullAccuracyAuthorization(
                    purposeKey: key, isDeclared: isDeclared(key, manager), canAsk: true), id, manager)
        case .startBackgroundActivitySession: ask(.startBackgroundActivitySession, id, manager)
        case .startServiceSession(let session):
            if let key = session.fullAccuracyPurposeKey, !isDeclared(key, manager) {
                throw missingUsage("temporaryFullAccuracy.\(key)")
            }
            ask(
                .startServiceSession(session.requirement, purposeKey: session.fullAccuracyPurposeKey, canAsk: true), id,
                manager)
        case .invalidateBackgroundActivitySession(let number), .invalidateServiceSession(let number):
            ask(.invalidateSession(UInt32(clamping: number)), id, manager)
        default:
            throw RPCError(
                .unavailable, "cannot carry out \(call.method.name): a simulation offers what an app may ask for")
        }
    }

    private mutating func ask(
        _ request: Request, _ id: RequestID, _ manager: ManagerID, stateless: StatelessResult = .number
    ) {
        clients[Int(manager.rawValue)]?.replyID = id
        clients[Int(manager.rawValue)]?.stateless = stateless
        decide(.asked(manager, request))
    }

    /// What every client may know; who uses the device is not simulated.
    private var status: Status {
        Status(
            daemon: DaemonStatus(version: locationdVersion, uptime: clock.elapsed.seconds, pid: 0),
            locationServicesEnabled: engine.areServicesEnabled, gpsd: GPSDStatus(connected: true),
            connections: ConnectionsStatus(total: clients.count { $0?.connection != nil }))
    }

    private func client(_ manager: ManagerID) -> Client? { clients[Int(manager.rawValue)] }

    /// The last known location; nothing is powered up for it.
    private func lastLocation(for manager: ManagerID) throws(RPCError) -> LocationResult {
        let authorization = engine.authorization(of: manager)
        guard authorization.isAuthorized else {
            throw RPCError(.notPermitted, "cannot tell the location: this app is not authorized")
        }
        let isReduced =
            authorization.accuracy == .reduced || engine.properties(of: manager).desiredAccuracy == .reduced
        return LocationResult(isReduced ? log[engine.reducedSequence]?.reducedView : engine.lastLocation)
    }

    private func record(of name: ConditionName, _ manager: ManagerID) throws(RPCError) -> MonitorRecord? {
        let number = UInt32(clamping: name.monitor)
        guard engine.monitorName(number, of: manager) != nil else {
            throw RPCError(.notFound, "cannot find monitor \(name.monitor): there is none")
        }
        return engine.condition(name.identifier, inMonitor: number, of: manager).map {
            MonitorRecord(condition: $0.shape, lastEvent: $0.lastEvent)
        }
    }

    // MARK: What for

    private func requireUsage(
        _ manager: ManagerID, _ text: KeyPath<UsageDescriptions, String?>, _ member: String
    ) throws(RPCError) {
        guard requiresUsageDescriptions, client(manager)?.usage[keyPath: text] == nil else { return }
        throw missingUsage(member)
    }

    private func isDeclared(_ key: String, _ manager: ManagerID) -> Bool {
        !requiresUsageDescriptions || client(manager)?.usage.temporaryFullAccuracy[key] != nil
    }

    private func missingUsage(_ member: String) -> RPCError {
        RPCError(
            .missingUsageDescription,
            "cannot ask for authorization: the app does not say what for (\(member)); say it in its Info.plist")
    }
}
