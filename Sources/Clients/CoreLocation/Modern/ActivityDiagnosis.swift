// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// The reasons for which a background activity has no effect, as far as this process knows.
///
/// The daemon tells diagnostics of service sessions only. To begin one in order to hear them would itself let through all that
/// waits for a service session, so they are put together here.
final class ActivityDiagnosis: Sendable {
    private struct State {
        /// Nil: nobody has said yet what the application may do.
        var authorization: AuthorizationStatus?
        var needsServiceSession = false

        var flags: DiagnosticFlags? {
            guard let authorization else { return nil }
            var flags: DiagnosticFlags = needsServiceSession ? .serviceSessionRequired : []
            switch authorization {
            case .denied: flags.insert(.authorizationDenied)
            case .restricted: flags.insert(.authorizationRestricted)
            // Streams and monitors say the same.
            case .notDetermined: if !needsServiceSession { flags.insert(.authorizationRequestInProgress) }
            case .authorizedAlways, .authorizedWhenInUse: break
            }
            return flags
        }
    }

    private let state = Mutex(State())

    /// Returns the reasons why the activity has no effect after `event`, which its user of the shared session is told; nil:
    /// nobody has said yet.
    func flags(after event: SharedEvent) -> DiagnosticFlags? {
        state.withLock { state in
            switch event {
            case .session(.connected(let hello)): state.authorization = hello.authorizationStatus
            case .session(.told(.didChangeAuthorization(let change))): state.authorization = change.authorizationStatus
            case .serviceSessionRequired: state.needsServiceSession = true
            case .serviceSessionHeld: state.needsServiceSession = false
            case .session: break
            }
            return state.flags
        }
    }
}
