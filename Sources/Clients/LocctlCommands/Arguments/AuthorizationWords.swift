// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// Words on a command line for an administrator's decision about an app.
enum AuthorizationWords: String, CaseIterable {
    case always
    case whenInUse = "when-in-use"
    case once, denied, reset

    /// All words.
    static let all = allCases.map(\.rawValue)

    /// The word for the status that `decision` gives; nil: it is about the accuracy alone.
    static func word(for decision: AuthorizeParameters) -> AuthorizationWords? {
        decision.once ? .once : allCases.first { $0.status != nil && $0.status == decision.authorizationStatus }
    }

    /// The authorization; nil: what was decided is forgotten.
    var status: AuthorizationStatus? {
        switch self {
        case .always: .authorizedAlways
        case .whenInUse, .once: .authorizedWhenInUse
        case .denied: .denied
        case .reset: nil
        }
    }
}
