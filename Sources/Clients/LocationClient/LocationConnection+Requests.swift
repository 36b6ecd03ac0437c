// SPDX-License-Identifier: Apache-2.0
public import LocationModel
public import LocationProtocol

/// The daemon's methods. Each waits for the reply and throws `refused` with the daemon's reason when the answer is no.
extension LocationConnection {
    /// Says who this is; the first request of a connection or none. Only after it can the manager be taken back.
    ///
    /// - Parameters:
    ///   - app: The name that separates this client's events from others of the same identity, 1 to 128 bytes.
    ///   - whenInUse: What the locations are for while the app is in use, for the person who decides; at most 256 bytes.
    ///   - always: What they are for at any time; at most 256 bytes.
    ///   - temporaryFullAccuracy: What full accuracy is for, by purpose key; at most 256 bytes each.
    ///   - presence: Whether a person has the client before them; nil: in the background, or as it was.
    ///   - manager: The token of an earlier hello: the manager to take back.
    ///   - events: Whether the app's stored events may come on this connection; each is to be acknowledged.
    public func hello(
        app: String? = nil, whenInUse: String? = nil, always: String? = nil,
        temporaryFullAccuracy: [String: String] = [:], presence: Presence? = nil, manager: ManagerToken? = nil,
        events: Bool = false
    ) throws(LocationClientError) -> HelloResult {
        try send(
            .hello(
                HelloParameters(
                    app: app,
                    usageDescriptions: UsageDescriptions(
                        whenInUse: whenInUse, always: always, temporaryFullAccuracy: temporaryFullAccuracy),
                    presence: presence, manager: manager, events: events))
        ).result(HelloResult.self)
    }

    /// Says whether a person has the client before them; affects deferral only.
    public func setPresence(_ presence: Presence) throws(LocationClientError) { _ = try send(.setPresence(presence)) }

    /// Changes properties, all or none; returns all of them. In force for fixes accepted after the reply.
    @discardableResult
    public func setProperties(_ change: PropertiesPatch) throws(LocationClientError) -> ManagerProperties {
        try send(.setProperties(change)).result(ManagerProperties.self)
    }

    /// The properties now in force.
    public func properties() throws(LocationClientError) -> ManagerProperties {
        try send(.getProperties).result(ManagerProperties.self)
    }

    /// Starts standard updates; `resumeAfter`: behind this sequence number instead of now.
    public func startUpdatingLocation(resumeAfter: UInt64? = nil) throws(LocationClientError) -> StateResult {
        try send(.startUpdatingLocation(resumeAfter: resumeAfter)).result(StateResult.self)
    }

    /// Stops standard updates. What a deferral held is delivered before this returns, and nothing after.
    public func stopUpdatingLocation() throws(LocationClientError) { _ = try send(.stopUpdatingLocation) }

    /// Asks for one location; ends in a notification with the number of the result. `timeout`: seconds, > 0 and <= 600.
    public func requestLocation(timeout: Double? = nil) throws(LocationClientError) -> StateResult {
        try send(.requestLocation(timeout: timeout)).result(StateResult.self)
    }

    /// The last known location; nothing is powered up for it.
    public func location() throws(LocationClientError) -> Location? {
        try send(.location).result(LocationResult.self).location
    }

    /// Lets the daemon hold locations back until the device has travelled so many metres or the seconds are over, nil:
    /// unlimited; ends in exactly one `didFinishDeferredUpdates` with the number of the result.
    public func allowDeferredLocationUpdates(
        untilTraveled: Double? = nil, timeout: Double? = nil
    ) throws(LocationClientError) -> StateResult {
        try send(.allowDeferredLocationUpdates(DeferralParameters(untilTraveled: untilTraveled, timeout: timeout)))
            .result(StateResult.self)
    }

    /// Ends the deferral; its finish and what it held are delivered before this returns.
    public func disallowDeferredLocationUpdates() throws(LocationClientError) {
        _ = try send(.disallowDeferredLocationUpdates)
    }

    /// Starts the significant-change service.
    public func startMonitoringSignificantLocationChanges() throws(LocationClientError) -> StateResult {
        try send(.startMonitoringSignificantLocationChanges).result(StateResult.self)
    }

    /// Stops the significant-change service.
    public func stopMonitoringSignificantLocationChanges() throws(LocationClientError) {
        _ = try send(.stopMonitoringSignificantLocationChanges)
    }

    /// The satellites of the newest epoch; nothing is powered up for them. The daemon keeps them only while somebody asks, so that the first
    /// answer may have none. Throws `refused` for apps without full accuracy.
    public func satellites() throws(LocationClientError) -> SatellitesResult {
        try send(.satellites).result(SatellitesResult.self)
    }

    /// How the daemon, its receivers and its clients are.
    public func status(_ scope: StatusScope = .connection) throws(LocationClientError) -> Status {
        try send(.status(scope)).result(Status.self)
    }
}
