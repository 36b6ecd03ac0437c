// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

extension Session {
    /// `locctl region`.
    func doRegion(_ action: RegionAction, _ app: String) throws(LocctlError) -> ExitCode {
        switch action {
        case .watch(let options): return try follow(RegionsService(), options)
        case .add(let region): try addRegion(region, app)
        case .list: try listRegions(app)
        case .remove(let name): try removeRegion(name, app)
        case .state(let name): try printState(of: name, app)
        }
        return .done
    }

    /// `locctl visits stop`.
    func stopVisits(_ app: String) throws(LocctlError) -> ExitCode {
        let connection = try connect(as: app)
        try order(.stopMonitoringVisits, on: connection)
        return .done
    }

    /// A connection that has said hello as `app`.
    func connect(as app: String) throws(LocctlError) -> LocationConnection {
        let connection = try connect()
        try asking { () throws(LocationClientError) in _ = try connection.hello(asLocctl: app) }
        return connection
    }

    private func addRegion(_ region: Region, _ app: String) throws(LocctlError) {
        let connection = try connect(as: app)
        let reply = try order(.startMonitoring(region), on: connection)
        let result = try asking { () throws(LocationClientError) in try reply.result(StateResult.self) }
        let answer: Notification?
        if result.state == .waitingForAuthorization {
            answer = nil
        } else {
            answer = try wait(connection, seconds: 2) { notification in
                switch notification {
                case .didStartMonitoring(let other), .monitoringDidFail(let other, _):
                    other.identifier == region.identifier
                default: false
                }
            }?.notification
        }
        if case .monitoringDidFail(_, let error)? = answer {
            throw LocctlError(NotificationText.sentence(error), .refused)
        }
        if let failure = LocctlError(refusing: result) { throw failure }
        console.tell(result)
    }

    private func listRegions(_ app: String) throws(LocctlError) {
        let connection = try connect(as: app)
        try printResult(of: .monitoredRegions, on: connection) { (result: MonitoredRegions) in
            result.regions.isEmpty
                ? "no region is kept for \(printable(app))\n" : RegionText.list(result.regions, console.style)
        }
    }

    private func removeRegion(_ name: String, _ app: String) throws(LocctlError) {
        let connection = try connect(as: app)
        // To stop what is not there is nothing to the daemon; who types a name wants to know.
        let regions = try asking { () throws(LocationClientError) in try connection.monitoredRegions() }
        guard regions.contains(where: { $0.identifier == name }) else {
            throw missing("region", name, among: regions.map(\.identifier))
        }
        try order(.stopMonitoring(identifier: name), on: connection)
    }

    func missing(_ kind: String, _ name: String, among names: [String]) -> LocctlError {
        let present =
            names.isEmpty ? "there is none" : "there are " + names.map { printable($0) }.joined(separator: ", ")
        return LocctlError("cannot find a \(kind) \"\(printable(name))\": \(present)", .refused)
    }

    private func printState(of name: String, _ app: String) throws(LocctlError) {
        let connection = try connect(as: app)
        let result = try asking { () throws(LocationClientError) in try connection.requestState(name) }
        if let failure = LocctlError(refusing: result) { throw failure }
        let answer = try wait(connection, seconds: 30) { notification in
            switch notification {
            case .didDetermineState(let region, _), .monitoringDidFail(let region, _): region.identifier == name
            default: false
            }
        }
        switch answer?.notification {
        case .didDetermineState(_, let state)? where json:
            console.print(line: stateLine(name, state)[...])
        case .didDetermineState(_, let state)?: console.print("\(printable(name)): \(state.word)\n")
        case .monitoringDidFail(_, let error)?: throw LocctlError(NotificationText.sentence(error), .refused)
        default:
            let why = result.reason.map { ": " + printable($0) } ?? ""
            throw LocctlError("cannot tell the state of \(printable(name)) in time\(why)", .refused)
        }
    }

    private func stateLine(_ name: String, _ state: RegionState) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("identifier", name)
        writer.member("state", state.word)
        writer.endObject()
        return writer.bytes
    }

    /// The first notification that `isWanted`, nil if none comes within `seconds`.
    private func wait(
        _ connection: LocationConnection, seconds: Double, for isWanted: (Notification) -> Bool
    ) throws(LocctlError) -> ReceivedNotification? {
        let deadline = LocationConnection.now + .seconds(seconds)
        while true {
            let arrival = try asking { () throws(LocationClientError) in
                try connection.nextNotification(by: deadline)
            }
            guard case .notification(let received) = arrival else { return nil }
            if isWanted(received.notification) { return received }
        }
    }
}
