// SPDX-License-Identifier: Apache-2.0

package import LocationModel

/// The version of the daemon and of its tools, which are built together.
public let locationdVersion = "0.1.0"

/// The version of the protocol that this code speaks.
public let locationProtocolVersion = 1

/// Who a client says it is.
package struct HelloParameters: Sendable, Hashable {
    /// The members on the wire.
    package enum Member: String, CodingKey, CaseIterable {
        case protocolVersion = "protocol"
        case app, usageDescriptions, presence, manager, events
    }

    /// The claimed name, 1 to 128 bytes; nil: none claimed.
    package var app: String?
    /// What the app wants locations for, where no manifest says so.
    package var usageDescriptions: UsageDescriptions
    /// nil: not said; a new manager is then in the background, a rejoined one as it was.
    package var presence: Presence?
    /// The manager to take back.
    package var manager: ManagerToken?
    /// Whether stored events may come on this connection.
    package var events: Bool

    /// A hello in version 1.
    package init(
        app: String? = nil, usageDescriptions: UsageDescriptions = UsageDescriptions(), presence: Presence? = nil,
        manager: ManagerToken? = nil, events: Bool = false
    ) {
        self.app = app
        self.usageDescriptions = usageDescriptions
        self.presence = presence
        self.manager = manager
        self.events = events
    }
}

/// The texts that a person reads before deciding about an app; at most 256 bytes each, no control or bidirectional characters.
package struct UsageDescriptions: Sendable, Hashable {
    /// The members on the wire.
    package enum Member: String, CodingKey, CaseIterable {
        case whenInUse, always, temporaryFullAccuracy
    }

    /// For use while the app is in use.
    package var whenInUse: String?
    /// For use at any time.
    package var always: String?
    /// For full accuracy for a while, by purpose key.
    package var temporaryFullAccuracy: [String: String]

    /// The given texts.
    package init(whenInUse: String? = nil, always: String? = nil, temporaryFullAccuracy: [String: String] = [:]) {
        self.whenInUse = whenInUse
        self.always = always
        self.temporaryFullAccuracy = temporaryFullAccuracy
    }
}

/// The criteria of a deferral; the first one met ends it. One that is <= 0 is met at once.
package struct DeferralParameters: Sendable, Hashable {
    /// The members on the wire.
    package enum Member: String, CodingKey, CaseIterable {
        case untilTraveled, timeout
    }

    /// Metres; nil: unlimited.
    package var untilTraveled: Double?
    /// Seconds; nil: unlimited.
    package var timeout: Double?

    /// A deferral within these limits.
    package init(untilTraveled: Double? = nil, timeout: Double? = nil) {
        self.untilTraveled = untilTraveled
        self.timeout = timeout
    }
}

/// How much `status` tells.
public enum StatusScope: String, Sendable, Hashable, CaseIterable, Codable {
    /// This connection and its app.
    case connection = "self"
    /// Everything; to those who are not admins only what concerns the whole device.
    case all
}

extension StatusScope: WireWord {
    package var word: String { rawValue }
}
