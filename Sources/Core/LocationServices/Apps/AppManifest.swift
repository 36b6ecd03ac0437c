// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol
package import SystemSupport

/// An administrator's file about an app, `apps.d/NAME.conf`: who may use its name and what it wants locations for.
package struct AppManifest: Sendable, Equatable {
    /// The app's name, to which the authorization belongs beside the user.
    package var identifier: String
    /// Users who may use the name; nil: any. An empty list is nobody.
    package var users: [UInt32]?
    /// Groups whose members may use it; nil: any.
    package var groups: [UInt32]?
    /// Services that may use it; nil: any process. Services of a user's own manager count only with `users` or `groups`,
    /// since their names are the user's choice.
    package var units: [UnitPattern]?
    /// Applications (`app-….scope`) that may use it, beside `units`.
    package var applications: [String]?
    /// Whether it may answer authorization requests of its own user.
    package var isAgent = false
    /// Whether it may read the history while it is authorized always.
    package var readsHistory = false
    /// Whether it says that it wants locations in the background.
    package var hasLocationBackgroundMode = false
    /// Whether it holds its service sessions itself: without one its streams and monitors get nothing (Protocol 6.8).
    package var requiresExplicitServiceSession = false
    /// The texts that people are shown.
    package var usageDescriptions = UsageDescriptions()
    /// The app's authorization while nobody decided; nil: that of the configuration. `notDetermined` is to ask.
    package var defaultStatus: AuthorizationStatus?
    /// How precisely; nil: what the configuration says.
    package var defaultAccuracy: AccuracyAuthorization?

    /// A manifest that nobody matches yet.
    package init(identifier: String) { self.identifier = identifier }

    /// Whether a process may use the name: all keys that are given must fit it.
    package func matches(_ peer: ManifestPeer) -> Bool {
        if let users, !users.contains(peer.uid) { return false }
        if let groups, !groups.contains(where: peer.isMember) { return false }
        guard units != nil || applications != nil else { return users != nil || groups != nil }
        let isVouchedFor = users != nil || groups != nil
        if let service = peer.group.service, peer.group.isSystem || isVouchedFor,
            units?.contains(where: { $0.matches(service) }) == true
        {
            return true
        }
        // Every user can start an application of any name: that is enough to be known, not to answer for others.
        guard isVouchedFor || !isAgent else { return false }
        return peer.group.application.map { applications?.contains($0) == true } ?? false
    }

    /// Whether `text` can be an identifier: 1 to 128 bytes without space, colon, slash, control and bidirectional characters, not
    /// beginning with a dot: it names a file, too.
    package static func isIdentifier(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && !text.hasPrefix(".") && !text.contains("/")
            && text.unicodeScalars.allSatisfy { isPlain($0) && !$0.properties.isWhitespace && $0 != ":" }
    }
}

/// A process to match manifests against, by the kernel's word alone.
package struct ManifestPeer {
    /// The user.
    package let uid: UInt32
    /// Its control group.
    package let group: ControlGroup
    /// Whether it is a member of the group of a number.
    package let isMember: (UInt32) -> Bool

    /// A process of the user `uid`.
    package init(uid: UInt32, group: ControlGroup, isMember: @escaping (UInt32) -> Bool) {
        self.uid = uid
        self.group = group
        self.isMember = isMember
    }
}
