// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
package import LocationProtocol

extension Authorization {
    /// nil while not determined, when accuracy means nothing.
    package var accuracyOnTheWire: AccuracyAuthorization? { status == .notDetermined ? nil : accuracy }
}

extension EngineRefusal {
    /// As an error reply.
    package var onTheWire: RPCError {
        switch self {
        case .notFound: RPCError(.notFound, "cannot find that number or name: there is none")
        case .limitExceeded:
            RPCError(.limitExceeded, "cannot open another one: the connection has as many as it may")
        case .held: RPCError(.unavailable, "cannot open the monitor: another connection of the app has it open")
        }
    }
}
