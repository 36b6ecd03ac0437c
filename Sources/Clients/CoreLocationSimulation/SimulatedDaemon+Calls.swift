// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices

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
        if case .status = call { return write(ReplyWriter.result(id, status), .reply, connection) }
        guard let app = clients[Int(manager.rawValue)]?.app else { return }
        let answer = try engine.answer(to: id, call, of: manager, app) { log[$0] }
        if let answer { return write(answer, .reply, connection) }
        decide(.asked(manager, try request(call, manager)), for: (id, call))
    }

    /// The engine's request for a call. The simulation itself answers for the person.
    private func request(_ call: Call, _ manager: ManagerID) throws(RPCError) -> Request {
        switch call {
        case .requestWhenInUseAuthorization: try requireUsage(manager, \.whenInUse, "whenInUse")
        case .requestAlwaysAuthorization:
            try requireUsage(manager, \.whenInUse, "whenInUse")
            try requireUsage(manager, \.always, "always")
        case .startServiceSession(let session):
            if let key = session.fullAccuracyPurposeKey, !isDeclared(key, manager) {
                throw missingUsage("temporaryFullAccuracy.\(key)")
            }
        default: break
        }
        let request = call.engineRequest(
            properties: engine.properties(of: manager), requestTimeout: SimulatedDaemon.requestTimeout,
            on: clock.wallTime, isDeclared: { isDeclared($0, manager) }, canAsk: true, resumePoint: { resumePoint($0) })
        guard let request else {
            throw RPCError(
                .unavailable, "cannot carry out \(call.method.name): a simulation offers what an app may ask for")
        }
        return request
    }

    /// What every client may know; who uses the device is not simulated.
    private var status: Status {
        Status(
            daemon: DaemonStatus(version: locationdVersion, uptime: clock.elapsed.seconds, pid: 0),
            locationServicesEnabled: engine.areServicesEnabled, gpsd: GPSDStatus(connected: true),
            connections: ConnectionsStatus(total: clients.count { $0?.connection != nil }))
    }

    // MARK: What for

    private func requireUsage(
        _ manager: ManagerID, _ text: KeyPath<UsageDescriptions, String?>, _ member: String
    ) throws(RPCError) {
        guard requiresUsageDescriptions, clients[Int(manager.rawValue)]?.usage[keyPath: text] == nil else { return }
        throw missingUsage(member)
    }

    private func isDeclared(_ key: String, _ manager: ManagerID) -> Bool {
        !requiresUsageDescriptions || clients[Int(manager.rawValue)]?.usage.temporaryFullAccuracy[key] != nil
    }

    private func missingUsage(_ member: String) -> RPCError {
        RPCError(
            .missingUsageDescription,
            "cannot ask for authorization: the app does not say what for (\(member)); say it in its Info.plist")
    }
}
