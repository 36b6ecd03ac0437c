// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
import LocationProtocol

extension Authorization {
    /// nil while not determined, when accuracy means nothing.
    package var accuracyOnTheWire: AccuracyAuthorization? { status == .notDetermined ? nil : accuracy }
}

extension EngineRefusal {
    /// As the error that `request` is answered with.
    func onTheWire(_ request: Request) -> RPCError {
        switch self {
        case .notFound: .notFound(request.subject)
        case .limitExceeded:
            RPCError(.limitExceeded, "cannot open another one: the connection has as many as it may")
        case .tooManyConstraints:
            RPCError(
                .limitExceeded,
                "cannot range more beacons: at most \(BeaconLimits.constraints) constraints of a connection are allowed"
            )
        case .tooManyReports:
            RPCError(
                .limitExceeded,
                "cannot take another report of beacons: at most \(BeaconLimits.reportsPerSecond) a second are allowed")
        case .notOffered:
            RPCError(.notFound, "cannot take reports of beacons: offerBeacons comes first on the same connection")
        case .held: RPCError(.unavailable, "cannot open the monitor: another connection of the app has it open")
        }
    }
}

extension Request {
    /// The region, event, condition or other object that it is about, in words for an error.
    fileprivate var subject: String {
        switch self {
        case .stopMonitoring(let identifier), .requestState(let identifier): "the region '\(identifier)'"
        case .acknowledge(let event): "event \(event)"
        case .acknowledgeNotice(let name): "notice \(name.event)"
        case .removeCondition(let name): "the condition '\(name.identifier)' of monitor \(name.monitor)"
        case .addCondition(let condition): "monitor \(condition.monitor)"
        default: numbered.map { "\($0.kind) \($0.number)" } ?? "what it is about"
        }
    }
}
