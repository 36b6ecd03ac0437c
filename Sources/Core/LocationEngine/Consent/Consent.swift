// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A decision about an identity, or the rule in place of one.
package struct Consent: Sendable, Hashable, BitwiseCopyable {
    /// The answers that a decision can have.
    package enum Choice: Int, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        case undecided = 0
        /// An administrator forbids it, and nobody is asked.
        case restricted = 1
        case denied = 2
        case always = 3
        case whenInUse = 4
        /// Asked for always, a person said "while using": the app reads `authorizedAlways`, and the person is asked again when
        /// something happens that needs it (rule A3).
        case provisionalAlways = 5
    }

    /// When the identity's apps may know locations.
    package var choice: Choice
    /// How precisely they may know them.
    package var accuracy: AccuracyAuthorization
    /// The app has asked once for more than "while using", which it may not do again (rule A2).
    package var hasAskedAlways: Bool

    /// A decision.
    package init(_ choice: Choice, accuracy: AccuracyAuthorization = .full, hasAskedAlways: Bool = false) {
        self.choice = choice
        self.accuracy = accuracy
        self.hasAskedAlways = hasAskedAlways
    }

    var authorization: Authorization {
        switch choice {
        case .undecided: Authorization(status: .notDetermined, accuracy: accuracy)
        case .restricted: Authorization(status: .restricted, accuracy: accuracy)
        case .denied: Authorization(status: .denied, accuracy: accuracy)
        case .always: Authorization(status: .authorizedAlways, accuracy: accuracy)
        case .whenInUse: Authorization(status: .authorizedWhenInUse, accuracy: accuracy)
        case .provisionalAlways: Authorization(status: .authorizedAlways, accuracy: accuracy, isProvisional: true)
        }
    }
}

extension Consent {
    /// Whether it lets an app do or know anything that `other` does not.
    package func allowsMore(than other: Consent) -> Bool {
        if choice.rank != other.choice.rank { return choice.rank > other.choice.rank }
        return choice.rank > Choice.undecided.rank && accuracy == .full && other.accuracy == .reduced
    }
}

extension Consent.Choice {
    /// Greater for a choice that allows more. Undecided allows more than denied, since a person can still be asked.
    fileprivate var rank: Int {
        switch self {
        case .denied, .restricted: 0
        case .undecided: 1
        case .whenInUse: 2
        case .provisionalAlways: 3
        case .always: 4
        }
    }
}
