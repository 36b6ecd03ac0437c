// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationProtocol

extension SessionDiagnostics {
    /// Takes in what a session of the class `type` is told.
    func note(_ event: SharedEvent, ofA type: String) {
        switch event {
        case .session(.told(.serviceSessionDiagnostic(_, let flags))):
            tell(flags)
        case .session(.refused(.startServiceSession, let error)),
            .session(.refused(.startBackgroundActivitySession, let error)):
            ApplicationLog.write("\(type) has no effect: \(error)")
            finish(throwing: LocationClientError.refused(error))
        case .session, .serviceSessionRequired, .serviceSessionHeld: break
        }
    }
}
