// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// All of a manager that outlives a turn: what the client set, what it was told, and the record of each service.
///
/// A slot holds it, a restart of the daemon takes the manager back from it, and a hand-over of its connection goes on with it. What was delivered is
/// not here: the shell notes it at every line, and says it with `Event.managerAttached`. A new field is declared once, in its service.
package struct ManagerRecord: Sendable, Codable {
    /// Of which app: a number of this process, which is not coded.
    package var app = AppID(rawValue: 0)
    @Stored private var saidPresence: Presence
    @Stored private var setProperties = ManagerProperties()
    /// The client said `events: true`.
    package var keepsEvents = false
    /// No connection is there; not coded.
    package var isAway = false
    @Stored private var allowed: UseAllowance?
    /// The authorization that the client was told last; a later change is told when it is back.
    @Stored var known: Authorization?
    var hasAnnouncedAuthorization = false
    var standard = StandardUpdates.Record()
    var deferral = Deferrals.Record()
    var request = LocationRequests.Record()
    var significantChange = SignificantChanges.Record()
    var live = LiveUpdates.Record()
    var heading = Headings.Record()
    var ranging = BeaconRanging.Record()
    var sessions = ServiceSessions.Record()
    var regions = Regions.Record()
    var monitors = Monitors.Record()

    private enum CodingKeys: String, CodingKey {
        case saidPresence = "p", setProperties = "q", keepsEvents = "k", allowed = "z", known = "o"
        case hasAnnouncedAuthorization = "y", standard = "s", deferral = "d", request = "r", significantChange = "c"
        case live = "w", heading = "h", ranging = "e", sessions = "b", regions = "g", monitors = "m"
    }

    /// A new manager of `app`.
    package init(app: AppID, presence: Presence) {
        self.app = app
        saidPresence = presence
    }

    /// As the client last said.
    package var presence: Presence { saidPresence }

    /// The allowance for the use that goes on; nil: none.
    package var allowance: UseAllowance? {
        get { allowed }
        set { allowed = newValue }
    }

    /// As the client last set them.
    package var properties: ManagerProperties {
        get { setProperties }
        set { setProperties = newValue }
    }

    /// Whether every number is one that a manager can have: what is read from a file is checked as what a client sends is.
    package var isUsable: Bool {
        standard.isUsable && deferral.isUsable && request.isUsable && significantChange.isUsable && live.isUsable
            && sessions.isUsable && monitors.isUsable && ranging.isUsable
    }

    /// The record for a client that has to come back: without where its services stand, which it is told anew.
    package var ofAbsent: ManagerRecord {
        var record = self
        record.standard.running = nil
        record.regions = Regions.Record()
        record.monitors.conditions = []
        record.live.streams = live.streams.map {
            LiveService.Stream(
                number: $0.number, configuration: $0.configuration, startedAt: BootInstant(nanoseconds: 0))
        }
        return record
    }

    /// Whether nothing runs or is pending for the manager.
    package var isIdle: Bool {
        !standard.isWanted && !significantChange.isWanted && !heading.isWanted && request.pending == nil
            && ranging.ranged.isEmpty && !ranging.hears && live.streams.isEmpty && sessions.held.isEmpty
            && monitors.held.isEmpty
    }

    /// Whether the client wants the service of this source; nil: a service that hands out no locations, headings here.
    package func wants(_ source: LocationSource?) -> Bool {
        switch source {
        case .standard: standard.isWanted
        case .significantChange: significantChange.isWanted
        case .request: request.pending != nil
        case nil: heading.isWanted
        }
    }
}

/// The record of an app: what services keep of it beside its connections.
package struct AppRecord: Sendable, Hashable {
    /// The identity that its authorization belongs to.
    package var identity: IdentityID
    /// The number of its next event.
    package var nextEvent: UInt64 = 1
    /// Events that were dropped because nobody came for them.
    package var eventsDropped: UInt64 = 0
    /// `startMonitoringVisits` is in force.
    package var monitorsVisits = false
    /// Significant changes are kept for it while no connection is there.
    package var significantChange: SignificantReference?
    /// Events that were not acknowledged, oldest first.
    package var events: [AppEvent] = []

    /// A new app of `identity`.
    package init(identity: IdentityID) { self.identity = identity }
}

/// A former process hands these over: the managers whose connections go on, and those that wait for their clients. The engine takes them
/// before any other manager is opened.
package struct KeptClients: Sendable {
    /// The managers; their apps are entered, and nothing is opened at their numbers.
    package var managers: [(manager: ManagerID, record: ManagerRecord)] = []
    /// Managers of clients that have to come back, away; their apps are entered, too.
    package var absent: [(manager: ManagerID, record: ManagerRecord)] = []
    /// Questions that wait for a person, oldest first.
    package var requests: [AuthorizationRequest] = []
    /// Where the device is stationary.
    package var stationaryPlaces: [StationaryPlace] = []
    /// Where travel counts from; nil: from the last location.
    package var anchor: Coordinate?
    /// The reduced view computed last, which holds for its time; nil: the next fix gives one.
    package var view: KeptView?
    /// Events that wait for a person to say that "always" is meant.
    package var held: [(app: AppID, event: AppEvent, since: BootInstant)] = []

    /// No managers.
    package init() {}

    /// Apps of all managers, each once, in the order of their managers.
    var apps: [AppID] {
        var found: [AppID] = []
        for record in managers.map(\.record) + absent.map(\.record) where !found.contains(record.app) {
            found.append(record.app)
        }
        return found
    }
}
