// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// What an admin decides about an app, as it is written on a command line.
enum AuthorizationWords: String, CaseIterable {
    case always
    case whenInUse = "when-in-use"
    case once, denied, reset

    /// All words.
    static let all = allCases.map(\.rawValue)

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
