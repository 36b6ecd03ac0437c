// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// The payload of `didEnterRegion` and `didExitRegion`.
public struct RegionCrossing: Sendable, Hashable {
    /// The region.
    public var region: Region
    /// Where the device was found to have crossed its border; nil: a beacon told it.
    public var location: Location?
    /// When, where no location says it.
    public var date: WallTime?
    /// The event to acknowledge; nil: it is not stored.
    public var event: UInt64?

    /// A crossing of the border of `region`.
    public init(region: Region, location: Location?, date: WallTime? = nil, event: UInt64? = nil) {
        self.region = region
        self.location = location
        self.date = date
        self.event = event
    }

    /// When the border was crossed; nil: the daemon does not say.
    public var moment: WallTime? { location?.timestamp ?? date }
}

/// The payload of `didUpdate`: an element of a stream of live updates (CLLocationUpdate).
public struct LiveUpdate: Sendable, Hashable {
    /// The number of the stream.
    public var updates: UInt64
    /// Where the device is; nil: nobody can or may tell, and the flags say why.
    public var location: Location?
    /// The device rests: silence follows until it moves.
    public var isStationary: Bool
    /// Why less comes than was asked for.
    public var flags: DiagnosticFlags

    /// An element of the stream `updates`.
    public init(updates: UInt64, location: Location?, isStationary: Bool = false, flags: DiagnosticFlags = []) {
        self.updates = updates
        self.location = location
        self.isStationary = isStationary
        self.flags = flags
    }
}

/// The payload of `monitorEvent` (CLMonitor.Event).
public struct MonitorEvent: Sendable, Hashable {
    /// The number of the monitor on this connection; nil in a list of stored events.
    public var monitor: UInt64?
    /// The monitor's name; only in a list of stored events.
    public var name: String?
    /// The condition.
    public var identifier: String
    /// How it stands.
    public var content: ConditionEvent
    /// The event to acknowledge; nil: it is not stored.
    public var event: UInt64?

    /// An event about the condition `identifier` of a monitor.
    public init(
        monitor: UInt64?, name: String? = nil, identifier: String, content: ConditionEvent, event: UInt64? = nil
    ) {
        self.monitor = monitor
        self.name = name
        self.identifier = identifier
        self.content = content
        self.event = event
    }
}

/// Somebody has to say what an app may do: the payload of `authorizationRequested` and an element of `pendingRequests`.
public struct AuthorizationRequest: Sendable, Hashable, Codable {
    /// The `usageDescription` of an app that has not said what for.
    public static let noReason = "no reason given"

    /// Its number, one per daemon and never used again.
    public var request: UInt64
    /// The identity that the daemon derived for the app.
    public var identity: String
    /// The name that the app gives itself; a person must see that this is only its word.
    public var label: String?
    /// The app's user.
    public var uid: UInt32
    /// The user's name; nil: the system knows none.
    public var user: String?
    /// The authorization that it asks for.
    public var level: AuthorizationLevel
    /// The purpose, by the app's own key; only for temporary full accuracy.
    public var purposeKey: String?
    /// The purpose, in the app's words.
    public var usageDescription: String
    /// Since when it waits.
    public var since: WallTime

    /// The request number `request`.
    public init(
        request: UInt64, identity: String, label: String? = nil, uid: UInt32, user: String? = nil,
        level: AuthorizationLevel, purposeKey: String? = nil, usageDescription: String, since: WallTime
    ) {
        self.request = request
        self.identity = identity
        self.label = label
        self.uid = uid
        self.user = user
        self.level = level
        self.purposeKey = purposeKey
        self.usageDescription = usageDescription
        self.since = since
    }
}
