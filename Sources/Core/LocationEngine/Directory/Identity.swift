// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// An identity: what somebody decided about it, what was allowed for a while, and what it is asked about (Protocol 6).
struct Identity: Sendable {
    /// The user who is charged for its questions; nil: they are not counted.
    var user: UInt32?
    /// nil: nobody decided.
    var decided: Consent?
    /// In force while nobody decided.
    var policy = Consent(.undecided)
    /// Allowed as long as it is in use now.
    var isOnce = false
    /// Has asked for more than the policy allows, which is no decision.
    var hasAskedAlways = false
    /// Its app holds its service sessions itself.
    var requiresSessions = false
    /// Full accuracy as long as it is in use now.
    var hasTemporaryFullAccuracy = false
    /// Managers by which it is in use.
    var uses = 0
    /// A service of it runs.
    var isUsingLocation = false
    /// Levels about which a person is being asked.
    var asked: AskedLevels = []

    var consent: Consent { decided ?? policy }

    func authorization(servicesEnabled: Bool) -> Authorization {
        var authorization = consent.authorization
        if isOnce { authorization = Authorization(status: .authorizedWhenInUse, accuracy: consent.accuracy) }
        if hasTemporaryFullAccuracy { authorization.accuracy = .full }
        guard !servicesEnabled else { return authorization }
        return Authorization(status: .denied, accuracy: authorization.accuracy, isDeniedGlobally: true)
    }
}

/// Levels of authorization about which a person is being asked.
struct AskedLevels: OptionSet, Sendable, BitwiseCopyable {
    var rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ level: AuthorizationLevel) {
        switch level {
        case .whenInUse: rawValue = 1
        case .always: rawValue = 2
        case .temporaryFullAccuracy: rawValue = 4
        }
    }
}

extension Identity {
    /// Takes up what a person allowed for the use that goes on.
    mutating func take(_ allowance: UseAllowance) {
        isOnce = allowance.isOnce
        hasTemporaryFullAccuracy = allowance.hasTemporaryFullAccuracy
    }

    func has(_ allowance: UseAllowance) -> Bool {
        isOnce == allowance.isOnce && hasTemporaryFullAccuracy == allowance.hasTemporaryFullAccuracy
    }
}
