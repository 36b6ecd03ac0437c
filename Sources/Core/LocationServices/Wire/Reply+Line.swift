// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
package import LocationProtocol

extension LocationEngine.Reply {
    /// The reply to the request `id`, which asked `asked` of a manager of `app`. `isAsked`: somebody is there who is asked what nobody has
    /// decided; `reason`: why a service is in a state.
    package func line(
        to id: RequestID, _ asked: Request, of manager: ManagerID, _ app: AppID, _ engine: borrowing Engine,
        isAsked: @autoclosure () -> Bool = false, reason: (ServiceState) -> String? = { _ in nil }
    ) -> [UInt8] {
        if let refusal { return ReplyWriter.refusal(id, refusal.onTheWire(asked)) }
        switch asked {
        case .openMonitor(let name):
            let identifiers = engine.conditions(ofMonitor: name, of: app).map(\.identifier)
            return ReplyWriter.result(id, MonitorResult(monitor: UInt64(opened), identifiers: identifiers))
        case .setProperties: return ReplyWriter.result(id, engine.properties(of: manager))
        default: break
        }
        guard let state else {
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
