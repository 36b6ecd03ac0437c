// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Somebody's decision about an identity.
package struct StoredConsent: Sendable, Equatable {
    /// The user.
    package var uid: UInt32
    /// The user's name when it was decided; nil: the user had none, or it was decided by a version that did not note it.
    package var user: String?
    /// The part of the identity beside the user; nil: none, never the empty text.
    package var name: String?
    /// The decision, a number of the daemon's.
    package var choice: Int
    /// `AccuracyAuthorization`, a number of the daemon's.
    package var accuracy: Int
    /// Whether the one upgrade from when-in-use to always was asked for.
    package var hasAskedAlways: Bool
    /// The decider, in words for people.
    package var decidedBy: String
    /// When.
    package var decidedAt: WallTime
    /// When the app last got a location by it; nil: never.
    package var lastUse: WallTime?

    /// A decision.
    package init(
        uid: UInt32, user: String? = nil, name: String?, choice: Int, accuracy: Int, hasAskedAlways: Bool = false,
        decidedBy: String,
        decidedAt: WallTime, lastUse: WallTime? = nil
    ) {
        self.uid = uid
        self.user = user
        self.name = name
        self.choice = choice
        self.accuracy = accuracy
        self.hasAskedAlways = hasAskedAlways
        self.decidedBy = decidedBy
        self.decidedAt = decidedAt
        self.lastUse = lastUse
    }
}

/// The significant-change service of an app that uses it.
package struct StoredSignificant: Sendable, Equatable {
    /// The place that the next change counts from; nil: none yet.
    package var reference: Coordinate?
    /// When the last change was told; nil: none was.
    package var at: WallTime?
    /// Whether changes are kept while the app is absent.
    package var keepsEvents: Bool

    /// The service in use.
    package init(reference: Coordinate? = nil, at: WallTime? = nil, keepsEvents: Bool) {
        self.reference = reference
        self.at = at
        self.keepsEvents = keepsEvents
    }
}

/// An app that has something to be kept: an identity, divided by the label that its processes give themselves.
package struct StoredApp: Sendable, Equatable {
    /// The key of everything that belongs to it; made by the database.
    package let id: Int64
    /// The user.
    package let uid: UInt32
    /// The part of the identity beside the user; nil: none.
    package let name: String?
    /// The name that the app gives itself; nil: none.
    package let label: String?
    /// Whether the identity was last seen as a unit of the system's manager and not of a user's: rules for units grant only to those.
    package var isSystemUnit = false
    /// The number of the next event; never goes back.
    package var nextEvent: UInt64
    /// Whether it wants visits.
    package var monitorsVisits = false
    /// Events that were given up since it was last told.
    package var eventsDropped: UInt64 = 0
    /// When a process of it was there last; nil: not noted.
    package var lastSeen: WallTime?
    /// Its significant-change service; nil: not in use.
    package var significant: StoredSignificant?
}

/// A region of an app and how the device stands to it.
package struct StoredRegion: Sendable, Equatable {
    /// `StoredApp.id`.
    package var app: Int64
    /// The region, one of its name per app.
    package var region: Region
    /// The state that was decided last.
    package var state: RegionState
    /// Since when; nil: never decided.
    package var stateDate: WallTime?

    /// A region of `app`.
    package init(app: Int64, region: Region, state: RegionState = .unknown, stateDate: WallTime? = nil) {
        self.app = app
        self.region = region
        self.state = state
        self.stateDate = stateDate
    }
}

/// A named monitor of an app.
package struct StoredMonitor: Sendable, Hashable {
    /// `StoredApp.id`.
    package var app: Int64
    /// Its name, one per app.
    package var name: String

    /// The monitor `name` of `app`.
    package init(app: Int64, name: String) {
        self.app = app
        self.name = name
    }
}

/// A condition of a monitor.
package struct StoredCondition: Sendable, Equatable {
    /// `StoredApp.id`.
    package var app: Int64
    /// The monitor's name.
    package var monitor: String
    /// One of its name per monitor.
    package var identifier: String
    /// The area that is watched.
    package var shape: RegionShape
    /// The event acknowledged last; nil: none.
    package var lastEvent: ConditionEvent?
    /// The number of the event that waits to be acknowledged; nil: none.
    package var pendingEvent: UInt64?
    /// The state that was found while the event `pendingEvent` waited, and when; nil: none.
    package var found: ConditionEvent?

    /// A condition of `monitor`.
    package init(
        app: Int64, monitor: String, identifier: String, shape: RegionShape, lastEvent: ConditionEvent? = nil,
        pendingEvent: UInt64? = nil, found: ConditionEvent?
    ) {
        self.app = app
        self.monitor = monitor
        self.identifier = identifier
        self.shape = shape
        self.lastEvent = lastEvent
        self.pendingEvent = pendingEvent
        self.found = found
    }
}
