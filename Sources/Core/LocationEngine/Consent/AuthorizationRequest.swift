// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A question that waits for a person.
package struct AuthorizationRequest: Sendable, Hashable {
    /// Never used again while the store keeps count.
    package var number: UInt64
    /// The identity whose app asks.
    package var identity: IdentityID
    /// The app that caused it.
    package var app: AppID
    /// The client that caused it; nil: it is not there any more.
    package var manager: ManagerID?
    /// The level that the app asks for.
    package var level: AuthorizationLevel
    /// The key of the app's reason for full accuracy; nil for another level.
    package var purposeKey: String?
    /// When the question was raised.
    package var since: BootInstant

    /// The question `number`, as it was put.
    package init(
        number: UInt64, identity: IdentityID, app: AppID, manager: ManagerID?, level: AuthorizationLevel,
        purposeKey: String?, since: BootInstant
    ) {
        self.number = number
        self.identity = identity
        self.app = app
        self.manager = manager
        self.level = level
        self.purposeKey = purposeKey
        self.since = since
    }
}

extension Identity {
    /// Takes what a person said to a question (rules A2, A3, A5).
    mutating func take(_ answer: AuthorizationAnswer, to level: AuthorizationLevel) {
        var consent = consent
        switch (consent.choice, answer) {
        case (.undecided, .once):
            isOnce = uses > 0
            return
        case (.undecided, .deny): consent.choice = .denied
        case (.undecided, .always): consent.choice = .always
        case (.undecided, .whileUsing): consent.choice = level == .always ? .provisionalAlways : .whenInUse
        case (.whenInUse, .always), (.provisionalAlways, .always): consent.choice = .always
        case (.provisionalAlways, _): consent.choice = .whenInUse
        case (.whenInUse, _), (.always, _), (.denied, _), (.restricted, _): return
        }
        if level == .always { consent.hasAskedAlways = true }
        decided = consent
    }
}

extension AuthorizationAnswer {
    var outcome: AuthorizationOutcome {
        switch self {
        case .always: .always
        case .whileUsing: .whileUsing
        case .once: .once
        case .deny: .deny
        }
    }
}
