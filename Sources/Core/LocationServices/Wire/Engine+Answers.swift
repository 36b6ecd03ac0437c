// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
package import LocationProtocol

extension Engine {
    /// The answer to a question about the device, and about what a manager of `app` owns; nil: the call is no such question.
    ///
    /// - Parameter location: The log's location of a sequence.
    package func answer(
        to id: RequestID, _ call: Call, of manager: ManagerID, _ app: AppID, location: (UInt64) -> Location?
    ) throws(RPCError) -> [UInt8]? {
        switch call {
        case .getProperties: return ReplyWriter.result(id, properties(of: manager))
        case .location: return ReplyWriter.result(id, try lastLocation(for: manager, location))
        case .monitoredRegions: return ReplyWriter.result(id, MonitoredRegions(monitoredRegions(of: app)))
        case .monitorRecord(let name):
            guard monitorName(name.monitor, of: manager) != nil else { throw .notFound("monitor \(name.monitor)") }
            let condition = condition(name.identifier, inMonitor: name.monitor, of: manager)
            return ReplyWriter.result(
                id,
                MonitorRecordResult(condition.map { MonitorRecord(condition: $0.shape, lastEvent: $0.lastEvent) }))
        default: return nil
        }
    }

    /// The last known location; nothing is powered up for it.
    private func lastLocation(
        for manager: ManagerID, _ location: (UInt64) -> Location?
    ) throws(RPCError) -> LocationResult {
        let authorization = authorization(of: manager)
        guard authorization.isAuthorized else {
            throw RPCError(.notPermitted, "cannot tell the location: this app is not authorized")
        }
        let isReduced = authorization.accuracy == .reduced || properties(of: manager).desiredAccuracy == .reduced
        return LocationResult(isReduced ? location(reducedSequence)?.reducedView : lastLocation)
    }

    /// The services that work here and their bounds, for the answer to `hello`.
    package var capabilities: Capabilities {
        Capabilities(
            regionMonitoring: true, visits: true, heading: has.headings, ranging: has.beacons,
            maximumRegionMonitoringDistance: configuration.maximumRegionRadius,
            maximumRegions: configuration.regionsPerApp, maximumConditions: configuration.conditionsPerApp)
    }
}

extension RPCError {
    /// There is nothing of a name or a number.
    package static func notFound(_ what: String) -> RPCError {
        RPCError(.notFound, "cannot find \(what): there is none")
    }
}
