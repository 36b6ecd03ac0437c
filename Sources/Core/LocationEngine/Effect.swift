// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Something that the shell has to do. It carries effects out in order: the order on each connection is part of the contract.
package enum Effect: Sendable, BitwiseCopyable {
    /// Append `EffectBuffer.accepted` to the log, before anything that names its sequence.
    case recordFix
    /// Answer the request that is being handled.
    case reply(ManagerID, Reply)
    /// Hand over the log's locations of a range.
    case deliver(ManagerID, Delivery)
    /// `didFailWithError`. `request` is 0 unless it ends a `requestLocation`; no source: of a service that hands out no locations.
    case fail(ManagerID, code: LocationErrorCode, source: LocationSource?, request: UInt32)
    /// `didCancelRequest`.
    case cancelRequest(ManagerID, request: UInt32, by: RequestCancellation)
    /// `didFinishDeferredUpdates`.
    case finishDeferral(ManagerID, FinishedDeferral)
    /// `didChangeAuthorization`.
    case announceAuthorization(ManagerID, initial: Bool)
    /// Feed the log after a sequence back as `Event.logRead`, then go on. The last effect for its manager in a buffer.
    case readLog(ManagerID, after: UInt64)
    /// Standard delivery begins anew behind a sequence: forget standard locations that are queued but not begun to be written.
    case positionStandard(ManagerID, at: UInt64)
    /// Forget all locations that are queued but not begun to be written: consent for them is gone.
    case discardUndelivered(ManagerID)
    /// Save the manager's record: a restarted daemon would need what changed in it.
    case saveManager(ManagerID)
    /// The rejoin time is over: the manager is gone.
    case closeManager(ManagerID)
    /// Watch the receivers, or stop watching so that gpsd closes them.
    case powerReceiver(Bool)
    /// `didPauseLocationUpdates`, `didResumeLocationUpdates`.
    case pause(ManagerID, isPaused: Bool, PauseReason)
    /// `didUpdate`: one element of a stream.
    case liveUpdate(ManagerID, LiveElement)
    /// `didUpdateHeading` with `EffectBuffer.heading`.
    case heading(ManagerID)
    /// `rangingDidFail` for the constraint of `EffectBuffer.ranged`.
    case rangingFailed(ManagerID, index: Int, RangingObstacle)
    /// `didRangeBeacons` of `EffectBuffer.ranged`.
    case rangedBeacons(ManagerID, index: Int)
    /// `beaconsWanted` with `EffectBuffer.wantedBeacons`, to one who hears them.
    case beaconsWanted(ManagerID)
    /// `serviceSessionDiagnostic`.
    case sessionDiagnostic(ManagerID, session: UInt32, DiagnosticFlags)
    /// `didRequestTemporaryFullAccuracy` for the request that is being handled; nil: somebody is asked.
    case temporaryFullAccuracy(ManagerID, FullAccuracyObjection?)
    /// Tell an event of `EffectBuffer.events` to a client. `monitor`: its number of the monitor; 0: no monitor's event.
    case event(ManagerID, index: Int, monitor: UInt32)
    /// `didDetermineState` of a region of `EffectBuffer.regions`.
    case regionState(ManagerID, index: Int, RegionState)
    /// `didStartMonitoring` of a region of `EffectBuffer.regions`.
    case regionStarted(ManagerID, index: Int)
    /// `monitoringDidFail` of a region of `EffectBuffer.regions`.
    case regionFailed(ManagerID, index: Int, RegionObjection)
    /// Ask the agents: `Engine.authorizationRequest(_:)`.
    case ask(request: UInt64)
    /// Nobody needs an answer any more.
    case closeRequest(UInt64, AuthorizationOutcome)
    /// Store the consent of an identity.
    case saveConsent(IdentityID)
    /// An identity began or ceased to use the location, for the journal and the date of last use.
    case noteUse(IdentityID, isUsing: Bool)
    /// Store the app's own numbers and switches.
    case saveApp(AppID)
    /// Store an event of `EffectBuffer.events`, durably and before it is told. A significant change replaces the one before.
    case storeEvent(AppID, index: Int)
    /// Have a person shown a notice of `EffectBuffer.events`.
    case raiseNotice(AppID, index: Int)
    /// The event was acknowledged, or dropped.
    case forgetEvent(AppID, UInt64)
    /// Store what became of a region whose notice came once, the one of `EffectBuffer.regions`: it is gone, or without its notice.
    case saveRegion(AppID, index: Int)
    /// Store where the device is with respect to a region.
    case saveRegionState(AppID, RegionHandle)
    /// Store what the app has taken of a condition; the monitor and the identifier are `Engine.condition(_:)`'s.
    case saveCondition(AppID, RegionHandle)
    /// Start the app: something waits for it, and no connection is there.
    case wake(AppID)
    /// Store what the visit detector is watching.
    case saveStay
}

extension Effect {
    /// The manager that the effect is for; nil: it is for no single one.
    package var manager: ManagerID? {
        switch self {
        case .recordFix, .powerReceiver: nil
        case .reply(let manager, _), .deliver(let manager, _), .fail(let manager, _, _, _),
            .cancelRequest(let manager, _, _), .finishDeferral(let manager, _), .announceAuthorization(let manager, _),
            .readLog(let manager, _), .positionStandard(let manager, _), .discardUndelivered(let manager),
            .saveManager(let manager), .closeManager(let manager), .pause(let manager, _, _),
            .liveUpdate(let manager, _), .heading(let manager), .rangingFailed(let manager, _, _),
            .rangedBeacons(let manager, _), .beaconsWanted(let manager), .sessionDiagnostic(let manager, _, _),
            .temporaryFullAccuracy(let manager, _), .event(let manager, _, _), .regionState(let manager, _, _),
            .regionStarted(let manager, _), .regionFailed(let manager, _, _):
            manager
        case .ask, .closeRequest, .saveConsent, .noteUse, .saveApp, .storeEvent, .raiseNotice, .forgetEvent,
            .saveRegion, .saveRegionState, .saveCondition, .wake, .saveStay:
            nil
        }
    }
}

/// Why updates pause or go on.
package enum PauseReason: String, Sendable, Hashable, BitwiseCopyable {
    /// The device has been stationary for long enough.
    case stationary
    /// It moves.
    case moved
    /// The client is back, or has changed what it wants.
    case restarted
}

/// One element of a stream of live updates.
package struct LiveElement: Sendable, Hashable, BitwiseCopyable {
    /// The client's number of the stream.
    package var updates: UInt32
    /// The location's; 0: none.
    package var sequence: UInt64 = 0
    /// The device is stationary, and the stream is silent until it moves.
    package var isStationary = false
    /// Why there is no location, or not a better one. `accuracyLimited`: the location is the reduced view.
    package var flags: DiagnosticFlags = []
}

/// A range of the log for one client.
package struct Delivery: Sendable, BitwiseCopyable, Equatable {
    /// The first sequence; numbers that the log does not hold are not there.
    package var first: UInt64
    /// The last sequence, >= `first`.
    package var last: UInt64
    /// The deferral that held them back; 0: none.
    package var deferral: UInt32 = 0
    /// The `requestLocation` that this answers; 0: none.
    package var request: UInt32 = 0
    /// The service.
    package var source: LocationSource
    /// How they are delivered.
    package var flags: DeliveryFlags = []

    /// A delivery of the range.
    package init(
        first: UInt64, last: UInt64, source: LocationSource, deferral: UInt32 = 0, request: UInt32 = 0,
        flags: DeliveryFlags = []
    ) {
        self.first = first
        self.last = last
        self.source = source
        self.deferral = deferral
        self.request = request
        self.flags = flags
    }

    /// Whether all is the same; written out as those of the flags are.
    @inlinable package static func == (left: Delivery, right: Delivery) -> Bool {
        left.first == right.first && left.last == right.last && left.flags == right.flags && left.source == right.source
            && left.deferral == right.deferral && left.request == right.request
    }
}

/// How locations are delivered.
package struct DeliveryFlags: OptionSet, Sendable, BitwiseCopyable {
    /// The stored bits.
    package var rawValue: UInt8
    /// The flags with these bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A stored first location, alone in its notification.
    package static let cached = DeliveryFlags(rawValue: 1)
    /// The log was full: delivered though the deferral goes on.
    package static let early = DeliveryFlags(rawValue: 2)
    /// Locations between the client's last one and the first one here may be missing.
    package static let gap = DeliveryFlags(rawValue: 4)
    /// As the reduced view.
    package static let reduced = DeliveryFlags(rawValue: 8)

    // Written out for other modules: the library's own go through tables of functions, for each location of each client.

    /// Whether these are among the flags.
    @inlinable package func contains(_ others: DeliveryFlags) -> Bool { isSuperset(of: others) }
    /// Whether these are among the flags.
    @inlinable package func isSuperset(of others: DeliveryFlags) -> Bool {
        rawValue & others.rawValue == others.rawValue
    }
    /// Whether nothing but these is among the flags.
    @inlinable package func isSubset(of others: DeliveryFlags) -> Bool { rawValue & ~others.rawValue == 0 }
    /// Whether the flags are the same.
    @inlinable package static func == (left: DeliveryFlags, right: DeliveryFlags) -> Bool {
        left.rawValue == right.rawValue
    }
}

/// The end of one deferral.
package struct FinishedDeferral: Sendable, Hashable, BitwiseCopyable {
    /// Its number, from 1.
    package var number: UInt32
    /// nil: a criterion was met.
    package var error: LocationErrorCode?
    /// The last sequence that belongs to its batch; 0: it never ran and has none.
    package var through: UInt64

    /// The end of deferral `number`.
    package init(number: UInt32, error: LocationErrorCode?, through: UInt64) {
        self.number = number
        self.error = error
        self.through = through
    }
}

/// The answer to a request.
package struct Reply: Sendable, BitwiseCopyable, Equatable {
    /// `state` of a `start…`, `request…` or `allow…` result; nil for requests whose result has none.
    package var state: ServiceState?
    /// The number of the `requestLocation`; 0: none.
    package var request: UInt32 = 0
    /// The number of the deferral; 0: none.
    package var deferral: UInt32 = 0
    /// The number of the stream, session or monitor that was opened; 0: none.
    package var opened: UInt32 = 0
    /// Why nothing was done.
    package var refusal: EngineRefusal?

    /// An answer.
    package init(
        state: ServiceState?, request: UInt32 = 0, deferral: UInt32 = 0, opened: UInt32 = 0,
        refusal: EngineRefusal? = nil
    ) {
        self.state = state
        self.request = request
        self.deferral = deferral
        self.opened = opened
        self.refusal = refusal
    }
}

/// Why a request was refused as malformed requests are, and not through the delegate.
package enum EngineRefusal: Sendable, Hashable, BitwiseCopyable {
    /// There is no stream, session, monitor, region, condition or event of that number or name.
    case notFound
    /// The manager has as many as it may.
    case limitExceeded
    /// The manager ranges as many constraints as it may.
    case tooManyConstraints
    /// The manager has reported beacons more often than it may.
    case tooManyReports
    /// Another manager of the app holds the monitor.
    case held
    /// The manager reports beacons and has not said that it hears any.
    case notOffered
}

/// The effects of one turn, in order. The caller owns it and clears it, so that a turn allocates nothing.
package struct EffectBuffer: Sendable {
    /// In the order in which they must be obeyed.
    package var effects: [Effect] = []
    /// The fix that `recordFix` speaks of, with its sequence.
    package var accepted: AcceptedFix?
    /// The events that `event` and `storeEvent` have the index of.
    package var events: [AppEvent] = []
    /// The regions that effects about regions have the index of.
    package var regions: [Region] = []
    /// The heading that `heading` tells.
    package var heading: Heading?
    /// The beacons that `rangedBeacons` and `rangingFailed` have the index of.
    package var ranged: [(constraint: BeaconIdentity, beacons: [RangedBeacon])] = []
    /// The beacons that `beaconsWanted` tells.
    package var wantedBeacons = WantedBeacons()
    /// Why nobody hears beacons, by the word of a program that could; nil: somebody does, or none says so.
    package var deafness: String?

    /// An empty buffer.
    package init() { effects.reserveCapacity(64) }

    /// A buffer without room, for where none is needed yet.
    init(empty: Void) {}

    /// Forgets everything but the room for it.
    package mutating func removeAll() {
        effects.removeAll(keepingCapacity: true)
        accepted = nil
        heading = nil
        if !events.isEmpty { events.removeAll(keepingCapacity: true) }
        if !regions.isEmpty { regions.removeAll(keepingCapacity: true) }
        if !ranged.isEmpty { ranged.removeAll(keepingCapacity: true) }
    }

    /// Whether somebody who hears beacons is told already which are wanted.
    func tellWanted(_ ear: ManagerID) -> Bool {
        effects.contains { if case .beaconsWanted(ear) = $0 { true } else { false } }
    }

    mutating func add(_ event: AppEvent) -> Int {
        events.append(event)
        return events.count - 1
    }

    mutating func add(_ region: Region) -> Int {
        regions.append(region)
        return regions.count - 1
    }

    mutating func add(_ constraint: BeaconIdentity, _ beacons: [RangedBeacon]) -> Int {
        ranged.append((constraint, beacons))
        return ranged.count - 1
    }
}

/// A fix as the log keeps it.
package struct AcceptedFix: Sendable, BitwiseCopyable, Equatable {
    /// With its sequence.
    package var location: Location
    /// Metres that the device had travelled when it was accepted.
    package var odometer: Double
    /// Stored in the log for catching up.
    package var flags: LogFlags
}
