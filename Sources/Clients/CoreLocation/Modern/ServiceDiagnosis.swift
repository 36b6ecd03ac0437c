// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// The reasons for which a service session does not get what it asks for.
///
/// The daemon says it, but for full accuracy that nobody can be asked for, because no text says what for: the daemon does not take
/// such a session, so that it is begun without, and what became of the wish is put in here.
final class ServiceDiagnosis: Sendable {
    private struct State {
        var told: DiagnosticFlags?
        var isReduced = false
        var complaint: String?

        var flags: DiagnosticFlags? {
            guard var flags = told else { return nil }
            if complaint != nil, isReduced { flags.insert(.fullAccuracyDenied) }
            return flags
        }

        mutating func note(_ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization?) {
            isReduced = accuracy == .reduced && [.authorizedAlways, .authorizedWhenInUse].contains(status)
        }
    }

    private let state = Mutex(State())

    /// Full accuracy is not asked for; `complaint` is written as soon as the daemon takes the session without.
    func giveUpFullAccuracy(_ complaint: String) { state.withLock { $0.complaint = complaint } }

    /// Returns the reasons why the session does not have what it asks for after `event`, which its user of the shared session is
    /// told; nil: nobody has said yet.
    func flags(after event: SharedEvent) -> DiagnosticFlags? {
        let (complaint, flags) = state.withLock { state -> (String?, DiagnosticFlags?) in
            var complaint: String?
            switch event {
            case .session(.connected(let hello)): state.note(hello.authorizationStatus, hello.accuracyAuthorization)
            case .session(.told(.didChangeAuthorization(let change))):
                state.note(change.authorizationStatus, change.accuracyAuthorization)
            case .session(.told(.serviceSessionDiagnostic(_, let flags))):
                complaint = state.told == nil ? state.complaint : nil
                state.told = flags
            case .session, .serviceSessionRequired, .serviceSessionHeld: break
            }
            return (complaint, state.flags)
        }
        if let complaint { ApplicationLog.writeOnce("CLServiceSession goes without full accuracy: \(complaint)") }
        return flags
    }
}
