// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// One location manager: a connection's filters, services and deferral. Numbers are slots and are used again.
package struct ManagerID: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// The slot, from 0.
    package var rawValue: Int32
    /// The manager in slot `rawValue`.
    package init(rawValue: Int32) { self.rawValue = rawValue }
    /// By slot.
    package static func < (left: ManagerID, right: ManagerID) -> Bool { left.rawValue < right.rawValue }
}

/// One app: an identity with an authorization, shared by all its managers. Numbers are slots and are used again.
package struct AppID: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// The slot, from 0.
    package var rawValue: Int32
    /// The app in slot `rawValue`.
    package init(rawValue: Int32) { self.rawValue = rawValue }
    /// By slot.
    package static func < (left: AppID, right: AppID) -> Bool { left.rawValue < right.rawValue }
}

/// The holder of an authorization: a user, or a unit or application of one. Numbers are slots and are used again.
package struct IdentityID: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// The slot, from 0.
    package var rawValue: Int32
    /// The identity in slot `rawValue`.
    package init(rawValue: Int32) { self.rawValue = rawValue }
    /// By slot.
    package static func < (left: IdentityID, right: IdentityID) -> Bool { left.rawValue < right.rawValue }
}

/// Something that happened. The shell hands events to `Engine.handle` in their order.
package enum Event: Sendable {
    /// An identity was seen for the first time; its number may have been another's. `decided`: what a person decided before; nil: nobody
    /// did, and `policy` is in force. `user`: whose questions are counted together; nil: they are not counted.
    case identityEntered(IdentityID, user: UInt32? = nil, decided: Consent?, policy: Consent)
    /// The configuration says something else about an identity that nobody decided about.
    case policyChanged(IdentityID, Consent)
    /// An administrator decided; nil: takes the decision back, so that the policy is in force and prompts are possible again.
    case decided(IdentityID, Consent?)
    /// An administrator allowed it as long as it is in use now.
    case allowedOnce(IdentityID)
    /// An agent or an administrator answered an authorization request.
    case answered(request: UInt64, AuthorizationAnswer)
    /// Whether the manifest of the identity's app demands that it holds its service sessions itself.
    case sessionsRequired(IdentityID, Bool)
    /// The date, which the engine cannot ask for. Comes before an event that is to be dated.
    case dated(WallTime)
    /// The device slept for so long since the event before, and nobody heard anything. Comes before what woke it.
    case slept(TimeSpan)
    /// Location services were switched for everyone.
    case servicesSwitched(Bool)
    /// An app was seen for the first time; its number may have been another's.
    case appEntered(AppID, AppRecord)
    /// The store had a region of an app. In the order of the store, before anything is asked.
    case regionRestored(AppID, Region, RegionState)
    /// The store had a monitor of an app.
    case monitorRestored(AppID, name: String)
    /// The store had a condition of a monitor.
    case conditionRestored(AppID, monitor: String, RestoredCondition)
    /// The store has forgotten a monitor that nobody has open and that watches nothing.
    case monitorForgotten(AppID, name: String)
    /// The store has forgotten all that it kept of an app.
    case recordsForgotten(AppID)
    /// Stored events from before this date are too old to be told.
    case eventsAged(before: WallTime)
    /// The store counts events of an app from this number on.
    case eventsCounted(AppID, from: UInt64)
    /// The stay that a former process was watching.
    case stayRestored(StoredStay)
    /// A device told where it points.
    case headingReceived(Heading)
    /// Whether the device itself hears beacons, beside the programs that do; and what it heard.
    case deviceHears(Bool)
    case beaconsHeard([BeaconSighting])
    /// A client opened a manager, or one was taken back from what a former process of the daemon left.
    case managerOpened(ManagerID, ManagerRecord)
    /// A former process handed over the connections of these: their clients never went, and nothing is told to them again. Other managers
    /// that it left are opened with them.
    case clientsKept(KeptClients)
    /// The connection ended; the manager may be taken back with its token until the rejoin time is over.
    case managerDetached(ManagerID)
    /// The manager was taken back. `delivered` is the last location wholly written to the old connection.
    case managerAttached(ManagerID, delivered: ResumePoint, presence: Presence)
    /// The connection ended for good.
    case managerClosed(ManagerID)
    /// The client said `hello`: it wants to know where it stands. `keepsEvents`: it said `events: true`.
    case greeted(ManagerID, keepsEvents: Bool)
    /// A client asked for something, of the date that was said last.
    case asked(ManagerID, Request, Circumstances = Circumstances())
    /// The client sent a request after everything written so far, so it has seen the finishes among it.
    case finishesConfirmed(ManagerID)
    /// An epoch with a position came from a receiver.
    case fixReceived(Fix)
    /// A receiver reported that it has no fix, and hears signals of so many satellites.
    case noFixReported(satellites: Int)
    /// Whoever said where the device is (`Fix.validity`) says it no longer.
    case locationEnded
    /// One accepted fix of the log, read back for a manager as `Effect.readLog` asked, oldest first.
    case logRead(ManagerID, Location, LogFlags)
    /// The administrator named the receiver that is to be used while it has a fix; nil: none.
    case receiverPreferred(ReceiverID?)
    /// The configuration was loaded again.
    case configurationChanged(EngineConfiguration)
    /// Nothing happened but time, as `nextWake` asked.
    case woke
}

extension Event {
    /// The open manager that the event is about.
    var manager: ManagerID? {
        switch self {
        case .managerDetached(let manager), .managerAttached(let manager, _, _), .greeted(let manager, _),
            .asked(let manager, _, _), .finishesConfirmed(let manager):
            manager
        case .identityEntered, .policyChanged, .decided, .allowedOnce, .answered, .sessionsRequired, .dated, .slept,
            .servicesSwitched, .appEntered,
            .regionRestored, .monitorRestored, .conditionRestored, .eventsCounted, .monitorForgotten, .eventsAged,
            .recordsForgotten, .stayRestored, .headingReceived, .deviceHears, .beaconsHeard,
            .managerOpened, .clientsKept,
            .managerClosed, .fixReceived, .noFixReported, .locationEnded, .logRead, .receiverPreferred,
            .configurationChanged, .woke:
            nil
        }
    }
}

/// Facts about a request that the engine cannot know by itself: the service finds them out when it comes.
package struct Circumstances: Sendable {
    /// The location in the log whose sequence `startUpdatingLocation` names: the distance filter counts from it. nil: the log has none.
    package var resumeLocation: Location?
    /// How long a `requestLocation` looks for a location if it does not say.
    package var requestTimeout = TimeSpan.seconds(10)
    /// Whether the app has said what it wants temporary full accuracy for.
    package var isDeclared = false
    /// Whether somebody is there to be asked about the app.
    package var canAsk = false
    /// The app whose notice is acknowledged; nil: there is none.
    package var noticeOwner: AppID?

    /// Nothing is known.
    package init() {}
}

/// A condition as it was stored.
package struct RestoredCondition: Sendable {
    /// Its name in its monitor.
    package var identifier: String
    /// The area.
    package var shape: RegionShape
    /// The last event that the app has acknowledged.
    package var lastEvent: ConditionEvent
    /// The state that was found while the event `pendingNumber` waited, and when; nil: none.
    package var found: ConditionEvent?
    /// The number of the event that waited when this was saved; 0: none did. Another one may wait since.
    package var pendingNumber: UInt64

    /// The condition `identifier`.
    package init(
        identifier: String, shape: RegionShape, lastEvent: ConditionEvent, pendingNumber: UInt64, found: ConditionEvent?
    ) {
        self.identifier = identifier
        self.shape = shape
        self.lastEvent = lastEvent
        self.pendingNumber = pendingNumber
        self.found = found
    }
}

/// A place in the log that a client says it has reached.
package struct ResumePoint: Sendable {
    /// The last sequence that the client has.
    package var sequence: UInt64
    /// The location of that number, if the log still holds it: the distance filter counts from it.
    package var location: Location?

    /// The point behind `sequence`.
    package init(sequence: UInt64, location: Location?) {
        self.sequence = sequence
        self.location = location
    }
}

/// Flags that the log stores with a fix, for catching up.
package struct LogFlags: OptionSet, Sendable, BitwiseCopyable {
    /// The stored bits.
    package var rawValue: UInt32
    /// The flags with these bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The reduced view was computed from this fix.
    package static let reducedView = LogFlags(rawValue: 1)
}
