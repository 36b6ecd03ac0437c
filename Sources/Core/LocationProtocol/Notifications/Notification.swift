// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// Messages that the daemon sends a client unasked: Core Location's delegate calls.
public enum Notification: Sendable, Hashable {
    /// New locations, oldest first, never none.
    case didUpdateLocations(LocationUpdate)
    /// A service has no location; `request` of a one-shot request.
    case didFailWithError(LocationError, source: LocationSource?, request: UInt64?)
    /// A one-shot request ends without an answer.
    case didCancelRequest(UInt64, by: RequestCancellation?)
    /// A deferral ended; no error: a criterion was met.
    case didFinishDeferredUpdates(deferral: UInt64, error: LocationError?)
    /// The app's authorization, when it changes or is told for the first time.
    case didChangeAuthorization(AuthorizationChange)
    /// Standard updates pause until the device moves; why.
    case didPauseLocationUpdates(reason: String?)
    /// Standard updates go on after a pause; why.
    case didResumeLocationUpdates(reason: String?)
    /// Somebody was asked for temporary full accuracy, which is not yet granted; or could not be.
    case didRequestTemporaryFullAccuracy(purposeKey: String, error: LocationError?)
    /// The device came into a region.
    case didEnterRegion(RegionCrossing)
    /// The device left a region.
    case didExitRegion(RegionCrossing)
    /// Where the device is with respect to a region.
    case didDetermineState(Region, RegionState)
    /// A region is being watched.
    case didStartMonitoring(Region)
    /// A region cannot be watched.
    case monitoringDidFail(Region, LocationError)
    /// An arrival or a departure; `event` is to be acknowledged, nil: it is not stored.
    case didVisit(Visit, event: UInt64?)
    /// The device points elsewhere.
    case didUpdateHeading(Heading)
    /// The beacons that are heard, nearest first; none: nothing is heard.
    case didRangeBeacons([RangedBeacon], BeaconIdentity)
    /// Beacons cannot be ranged.
    case rangingDidFail(BeaconIdentity, LocationError)
    /// For those who hear beacons: these are wanted from now on, and no others.
    case beaconsWanted(WantedBeacons)
    /// An element of live updates.
    case didUpdate(LiveUpdate)
    /// A condition of a monitor stands otherwise.
    case monitorEvent(MonitorEvent)
    /// The reasons for which a service session does not get what it asks for.
    case serviceSessionDiagnostic(session: UInt64, DiagnosticFlags)
    /// For agents: somebody has to decide.
    case authorizationRequested(AuthorizationRequest)
    /// For agents: nobody has to decide any more; nil is an outcome of a newer daemon.
    case authorizationRequestClosed(request: UInt64, AuthorizationOutcome?)
    /// For agents that show notices: a region was crossed, and a person is to be told.
    case noticeRaised(RaisedNotice)
    /// A notification of a newer daemon; to be passed over.
    case unknown(method: String)
}

/// The payload of `didUpdateLocations`.
public struct LocationUpdate: Sendable, Hashable {
    /// Oldest first, never none.
    public var locations: [Location]
    /// The service.
    public var source: LocationSource
    /// A stored first location, alone.
    public var isCached: Bool
    /// The deferral that held these.
    public var deferral: UInt64?
    /// The ring was full before the deferral ended.
    public var isEarly: Bool
    /// The next update goes on with the same batch.
    public var hasMore: Bool
    /// How many older locations were lost because this client was slow.
    public var dropped: UInt64
    /// The window of `resumeAfter` did not reach back.
    public var hasGap: Bool
    /// The one-shot request that this answers.
    public var request: UInt64?
    /// The event to acknowledge; nil: it is not stored.
    public var event: UInt64?

    /// An update of `locations`.
    public init(
        locations: [Location], source: LocationSource, isCached: Bool = false, deferral: UInt64? = nil,
        isEarly: Bool = false, hasMore: Bool = false, dropped: UInt64 = 0, hasGap: Bool = false, request: UInt64? = nil,
        event: UInt64? = nil
    ) {
        self.locations = locations
        self.source = source
        self.isCached = isCached
        self.deferral = deferral
        self.isEarly = isEarly
        self.hasMore = hasMore
        self.dropped = dropped
        self.hasGap = hasGap
        self.request = request
        self.event = event
    }
}

/// The payload of `didChangeAuthorization`.
public struct AuthorizationChange: Sendable, Hashable {
    /// The app's authorization now.
    public var authorizationStatus: AuthorizationStatus
    /// How precisely it may know; nil: not determined.
    public var accuracyAuthorization: AccuracyAuthorization?
    /// Allowed until somebody decides.
    public var isProvisional: Bool
    /// Told for the first time on this connection: no change.
    public var isInitial: Bool

    /// This authorization.
    public init(
        authorizationStatus: AuthorizationStatus, accuracyAuthorization: AccuracyAuthorization?,
        isProvisional: Bool = false, isInitial: Bool = false
    ) {
        self.authorizationStatus = authorizationStatus
        self.accuracyAuthorization = accuracyAuthorization
        self.isProvisional = isProvisional
        self.isInitial = isInitial
    }
}
