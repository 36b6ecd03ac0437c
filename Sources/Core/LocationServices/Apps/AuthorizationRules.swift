// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import SystemSupport

/// The configuration's rules for apps that nobody decided about, see `decision(for:manifest:)`.
package struct AuthorizationRules: Sendable, Equatable {
    /// The status of whom no list names; `notDetermined` is to ask.
    package var defaultStatus = AuthorizationStatus.notDetermined
    /// The accuracy of all who are authorized by these keys.
    package var defaultAccuracy = AccuracyAuthorization.full
    /// Subjects that are authorized always; of a file that sets `Default` and not `AlwaysUsers`, no user.
    package var always = Subjects(users: ["root"], groups: ["locationd"])
    /// Subjects that are authorized when in use.
    package var whenInUse = Subjects()
    /// Subjects that are denied.
    package var denied = Subjects()
    /// Members of this group administer the daemon, beside uid 0.
    package var adminGroup = "locationd"

    /// Users and groups by name or number, units by name or pattern.
    package struct Subjects: Sendable, Equatable {
        /// By name or number.
        package var users: [String] = []
        package var groups: [String] = []
        package var units: [UnitPattern] = []

        /// Nobody, but for those named.
        package init(users: [String] = [], groups: [String] = [], units: [UnitPattern] = []) {
            (self.users, self.groups, self.units) = (users, groups, units)
        }
    }

    /// The defaults.
    package init() {}
}

/// The app for which the rules are asked, since nobody has decided about it.
package struct AuthorizationSubject {
    /// The user.
    package let uid: UInt32
    /// The user's name; nil: it has none.
    package let userName: String?
    /// The service, with `.service`; nil: none.
    package let service: String?
    /// The services that an absent app can only be, by its manifest; the rule that allows least counts. Empty: `service` is all that is known.
    package var possibleServices: [String] = []
    /// Whether the system's manager runs the service: the name of another is the user's choice, and grants nothing.
    package let isSystemService: Bool
    /// Whether it is a member of the group that a name or a number means.
    package let isMember: (String) -> Bool

    /// A process or an absent app of the user `uid`.
    package init(
        uid: UInt32, userName: String?, service: String?, isSystemService: Bool, isMember: @escaping (String) -> Bool
    ) {
        self.uid = uid
        self.userName = userName
        self.service = service
        self.isSystemService = isSystemService
        self.isMember = isMember
    }
}

extension AuthorizationSubject {
    /// An app of which no process is there: its groups are those of its user by this system's databases.
    ///
    /// - Parameter isSystemService: Whether its unit was last seen as one of the system's manager.
    package init(absent identity: PeerIdentity, isSystemService: Bool, accounts: Accounts = .system) {
        let unit = identity.name.flatMap { $0.hasPrefix("unit:") ? String($0.dropFirst("unit:".count)) : nil }
        let uid = identity.uid
        self.init(
            uid: uid, userName: Accounts.name(of: uid), service: unit, isSystemService: isSystemService,
            isMember: { group in accounts.gid(group).map { Accounts.groups(of: uid).contains($0) } ?? false })
    }
}

/// The consent by a rule, in force while nobody has decided.
package struct DefaultDecision: Sendable, Equatable {
    /// `notDetermined` is to ask.
    package var status: AuthorizationStatus
    /// How precisely.
    package var accuracy: AccuracyAuthorization
    /// The rule, for people: `[Authorization] AlwaysUsers=`, or the manifest.
    package var rule: String
    /// Whether the rule is about the app itself, and not about its user.
    package var isAboutTheApp: Bool
}

extension AuthorizationRules {
    /// The decision of the most specific rule: the app's manifest, then units, users, groups, at last `Default`. Where two of the
    /// same kind fit, the one that allows less.
    package func decision(for subject: AuthorizationSubject, manifest: AppManifest? = nil) -> DefaultDecision {
        let found = rule(for: subject)
        let accuracy = manifest?.defaultAccuracy ?? defaultAccuracy
        if let status = manifest?.defaultStatus {
            return DefaultDecision(
                status: status, accuracy: accuracy, rule: "the app's manifest", isAboutTheApp: true)
        }
        return DefaultDecision(
            status: found.status, accuracy: accuracy, rule: "[Authorization] \(found.key)=",
            isAboutTheApp: found.key.hasSuffix("Units"))
    }

    private func rule(for subject: AuthorizationSubject) -> (status: AuthorizationStatus, key: String) {
        let services =
            subject.possibleServices.isEmpty ? [subject.service] : subject.possibleServices.map(Optional.some)
        let found = services.map { rule(for: subject, as: $0) }
        return found.min { $0.status.extent < $1.status.extent } ?? (defaultStatus, "Default")
    }

    private func rule(
        for subject: AuthorizationSubject, as service: String?
    ) -> (status: AuthorizationStatus, key: String) {
        let lists: [(Subjects, AuthorizationStatus, String)] = [
            (denied, .denied, "Denied"), (whenInUse, .authorizedWhenInUse, "WhenInUse"),
            (always, .authorizedAlways, "Always"),
        ]
        if let service {
            for (list, status, word) in lists where status == .denied || subject.isSystemService {
                if list.units.contains(where: { $0.matches(service) }) { return (status, "\(word)Units") }
            }
        }
        for (list, status, word) in lists where list.users.contains(where: subject.isUser) {
            return (status, "\(word)Users")
        }
        for (list, status, word) in lists where list.groups.contains(where: subject.isMember) {
            return (status, "\(word)Groups")
        }
        return (defaultStatus, "Default")
    }
}

extension AuthorizationRules.Subjects {
    /// Whether one of the lists names the process.
    func names(_ subject: AuthorizationSubject) -> Bool {
        if users.contains(where: subject.isUser) || groups.contains(where: subject.isMember) { return true }
        guard let service = subject.service, subject.isSystemService else { return false }
        return units.contains { $0.matches(service) }
    }
}

extension AuthorizationStatus {
    /// Grows with what is allowed.
    fileprivate var extent: Int {
        switch self {
        case .denied, .restricted: 0
        case .notDetermined: 1
        case .authorizedWhenInUse: 2
        case .authorizedAlways: 3
        }
    }
}

extension AppManifest {
    /// The services that have the app's name; none if one may be any of a pattern, and so is not known.
    package var services: [String] {
        let names = (units ?? []).map(\.text)
        return names.contains { $0.contains(where: "*?[\\".contains) } ? [] : names
    }
}

extension AuthorizationSubject {
    fileprivate func isUser(_ text: String) -> Bool {
        text == userName || UInt32(digits: text[...]) == uid || text == "root" && uid == 0
    }
}
