// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
package import LocationProtocol

/// What a request is answered with when the engine's answer names no state.
package enum StatelessResult: Sendable {
    /// The number that was opened, or nothing.
    case number
    /// The manager's properties.
    case properties(ManagerProperties)
    /// A monitor that was opened, with the identifiers of its conditions.
    case monitor(identifiers: [String])
}

extension LocationEngine.Reply {
    /// The reply to the request `id`. `isAsked`: somebody is there who is asked what nobody has decided; `reason`: why a service is in a
    /// state.
    package func line(
        to id: RequestID, stateless: StatelessResult, isAsked: @autoclosure () -> Bool = false,
        reason: (ServiceState) -> String?
    ) -> [UInt8] {
        if let refusal { return ReplyWriter.refusal(id, refusal.onTheWire) }
        if case .monitor(let identifiers) = stateless {
            return ReplyWriter.result(id, MonitorResult(monitor: UInt64(opened), identifiers: identifiers))
        }
        guard let state else {
            if case .properties(let properties) = stateless { return ReplyWriter.result(id, properties) }
            return opened != 0
                ? ReplyWriter.result(id, SessionResult(session: UInt64(opened))) : ReplyWriter.empty(id)
        }
        return ReplyWriter.result(
            id,
            StateResult(
                state, reason: reason(state),
                asked: state == .waitingForAuthorization && isAsked() ? true : nil,
                request: request == 0 ? nil : UInt64(request),
                deferral: deferral == 0 ? nil : UInt64(deferral), updates: opened == 0 ? nil : UInt64(opened)))
    }
}
