// SPDX-License-Identifier: Apache-2.0
public import LocationModel
public import LocationProtocol

/// Consent: what the app may do.
extension LocationConnection {
    /// Asks for locations while the app is in use. Throws -32002 without a usage description.
    public func requestWhenInUseAuthorization() throws(LocationClientError) -> StateResult {
        try send(.requestWhenInUseAuthorization).result(StateResult.self)
    }

    /// Asks for locations at any time. Throws -32002 without a usage description.
    public func requestAlwaysAuthorization() throws(LocationClientError) -> StateResult {
        try send(.requestAlwaysAuthorization).result(StateResult.self)
    }

    /// Asks for full accuracy for a while; ends in one `didRequestTemporaryFullAccuracy` with the key.
    public func requestTemporaryFullAccuracyAuthorization(
        purposeKey: String
    ) throws(LocationClientError) -> StateResult {
        try send(.requestTemporaryFullAccuracyAuthorization(purposeKey: purposeKey)).result(StateResult.self)
    }
}

/// Regions, visits and headings.
extension LocationConnection {
    /// Watches `region`, in place of the app's region of the same identifier; `didStartMonitoring` or `monitoringDidFail`
    /// follows.
    public func startMonitoring(_ region: Region) throws(LocationClientError) -> StateResult {
        try send(.startMonitoring(region)).result(StateResult.self)
    }

    /// Watches the app's region `identifier` no longer; without it does nothing.
    public func stopMonitoring(_ identifier: String) throws(LocationClientError) {
        _ = try send(.stopMonitoring(identifier: identifier))
    }

    /// Asks where the device is with respect to a region; answered by `didDetermineState`.
    public func requestState(_ identifier: String) throws(LocationClientError) -> StateResult {
        try send(.requestState(identifier: identifier)).result(StateResult.self)
    }

    /// The app's regions.
    public func monitoredRegions() throws(LocationClientError) -> [Region] {
        try send(.monitoredRegions).result(MonitoredRegions.self).regions
    }

    /// Tells the app of arrivals and departures.
    public func startMonitoringVisits() throws(LocationClientError) -> StateResult {
        try send(.startMonitoringVisits).result(StateResult.self)
    }

    /// Tells the app of visits no longer.
    public func stopMonitoringVisits() throws(LocationClientError) { _ = try send(.stopMonitoringVisits) }

    /// Tells where the device points; `unavailable` where nothing measures it.
    public func startUpdatingHeading() throws(LocationClientError) -> StateResult {
        try send(.startUpdatingHeading).result(StateResult.self)
    }

    /// Tells headings no longer.
    public func stopUpdatingHeading() throws(LocationClientError) { _ = try send(.stopUpdatingHeading) }
}

/// Beacons.
extension LocationConnection {
    /// Tells once a second which of these beacons are heard (`didRangeBeacons`). `unavailable`, with `rangingDidFail`: nothing here hears any, and
    /// they are told as soon as something does. Throws -32004 for an eleventh constraint.
    public func startRangingBeacons(_ beacons: BeaconIdentity) throws(LocationClientError) -> StateResult {
        try send(.startRangingBeacons(beacons)).result(StateResult.self)
    }

    /// Ranges them no longer.
    public func stopRangingBeacons(_ beacons: BeaconIdentity) throws(LocationClientError) {
        _ = try send(.stopRangingBeacons(beacons))
    }
}

/// Live updates, sessions and monitors. Numbers are the connection's own.
extension LocationConnection {
    /// Begins a stream of `didUpdate` with the number of the result.
    public func startLiveUpdates(
        _ configuration: LiveConfiguration = .default
    ) throws(LocationClientError) -> StateResult {
        try send(.startLiveUpdates(configuration)).result(StateResult.self)
    }

    /// Ends the stream `updates`; nothing of it comes after this returns.
    public func stopLiveUpdates(_ updates: UInt64) throws(LocationClientError) {
        _ = try send(.stopLiveUpdates(updates: updates))
    }

    /// Takes the app's monitor `name`, made if there is none. Throws -32007 while another connection holds it.
    public func openMonitor(_ name: String) throws(LocationClientError) -> MonitorResult {
        try send(.openMonitor(name: name)).result(MonitorResult.self)
    }

    /// Gives a monitor back; its conditions are watched on.
    public func closeMonitor(_ monitor: UInt64) throws(LocationClientError) {
        _ = try send(.closeMonitor(monitor: monitor))
    }

    /// Watches `condition`, in place of the monitor's one of the same identifier.
    ///
    /// - Parameter state: How it is taken to stand until it is looked at: unknown, satisfied or unsatisfied.
    public func addCondition(
        _ condition: RegionShape, identifier: String, to monitor: UInt64, assuming state: ConditionState = .unknown
    ) throws(LocationClientError) {
        _ = try send(
            .addCondition(
                ConditionParameters(monitor: monitor, identifier: identifier, condition: condition, assuming: state)))
    }

    /// Watches a condition no longer; without it does nothing.
    public func removeCondition(_ identifier: String, from monitor: UInt64) throws(LocationClientError) {
        _ = try send(.removeCondition(ConditionName(monitor: monitor, identifier: identifier)))
    }

    /// A condition and its last acknowledged event; nil: there is no such condition.
    public func monitorRecord(
        _ identifier: String, of monitor: UInt64
    ) throws(LocationClientError) -> MonitorRecord? {
        try send(.monitorRecord(ConditionName(monitor: monitor, identifier: identifier)))
            .result(MonitorRecordResult.self).record
    }

    /// Lets the app count as in use without a person before it, until the session is invalidated.
    public func startBackgroundActivitySession() throws(LocationClientError) -> SessionResult {
        try send(.startBackgroundActivitySession).result(SessionResult.self)
    }

    /// Ends a background activity session.
    public func invalidateBackgroundActivitySession(_ session: UInt64) throws(LocationClientError) {
        _ = try send(.invalidateBackgroundActivitySession(session: session))
    }

    /// Says what the app needs; `serviceSessionDiagnostic` tells what keeps it from that.
    public func startServiceSession(
        _ requirement: ServiceSessionRequirement, fullAccuracyPurposeKey: String? = nil
    ) throws(LocationClientError) -> SessionResult {
        try send(
            .startServiceSession(
                ServiceSessionParameters(requirement: requirement, fullAccuracyPurposeKey: fullAccuracyPurposeKey))
        ).result(SessionResult.self)
    }

    /// Ends a service session.
    public func invalidateServiceSession(_ session: UInt64) throws(LocationClientError) {
        _ = try send(.invalidateServiceSession(session: session))
    }

    /// Says that an event has been dealt with: it does not come again. Doing so twice does no harm.
    public func acknowledge(_ event: UInt64) throws(LocationClientError) { _ = try send(.acknowledge(event: event)) }
}
