// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

extension Session {
    /// `locctl monitor`.
    func doMonitor(_ name: String, _ action: MonitorAction, _ app: String) throws(LocctlError) -> ExitCode {
        if case .watch(let options) = action { return try follow(MonitorService(name: name), options) }
        let connection = try connect(as: app)
        let monitor = try asking { () throws(LocationClientError) in try connection.openMonitor(name) }
        // Given back in order, whatever comes: a monitor whose holder vanishes is kept for it for a while.
        defer { try? connection.closeMonitor(monitor.monitor) }
        try act(action, on: monitor, connection)
        return .done
    }

    private func act(
        _ action: MonitorAction, on monitor: MonitorResult, _ connection: LocationConnection
    ) throws(LocctlError) {
        switch action {
        case .watch: break
        case .list: try listConditions(monitor, connection)
        case .add(let condition, let shape, let state):
            try order(
                .addCondition(
                    ConditionParameters(
                        monitor: monitor.monitor, identifier: condition, condition: shape, assuming: state)),
                on: connection)
        case .remove(let condition):
            guard monitor.identifiers.contains(condition) else {
                throw missing("condition", condition, among: monitor.identifiers)
            }
            try order(
                .removeCondition(ConditionName(monitor: monitor.monitor, identifier: condition)), on: connection)
        case .record(let condition): try printRecord(condition, monitor, connection)
        }
    }

    private func listConditions(_ monitor: MonitorResult, _ connection: LocationConnection) throws(LocctlError) {
        var records: [(name: String, shape: RegionShape, lastEvent: ConditionEvent)] = []
        for name in monitor.identifiers {
            let call = Call.monitorRecord(ConditionName(monitor: monitor.monitor, identifier: name))
            let reply = try asking { () throws(LocationClientError) in try connection.send(call) }
            if json, let record = JSONSlice.value(at: ["result"], in: reply.line[...]) {
                console.print(line: line(name, record))
            }
            let result = try asking { () throws(LocationClientError) in try reply.result(MonitorRecordResult.self) }
            if let record = result.record { records.append((name, record.condition, record.lastEvent)) }
        }
        guard !json else { return }
        console.print(
            records.isEmpty
                ? "no condition is kept\n"
                : RegionText.conditions(records, now: console.now, console.calendar, console.style))
    }

    // The daemon's record does not name its condition.
    private func line(_ name: String, _ record: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("identifier", name)
        writer.name("record")
        writer.raw(record)
        writer.endObject()
        return writer.bytes[...]
    }

    private func printRecord(
        _ name: String, _ monitor: MonitorResult, _ connection: LocationConnection
    ) throws(LocctlError) {
        guard monitor.identifiers.contains(name) else {
            throw missing("condition", name, among: monitor.identifiers)
        }
        let call = Call.monitorRecord(ConditionName(monitor: monitor.monitor, identifier: name))
        try printResult(of: call, on: connection) { (result: MonitorRecordResult) in
            let records = result.record.map { [(name: name, shape: $0.condition, lastEvent: $0.lastEvent)] } ?? []
            return RegionText.conditions(records, now: console.now, console.calendar, console.style)
        }
    }
}
