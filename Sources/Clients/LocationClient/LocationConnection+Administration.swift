// SPDX-License-Identifier: Apache-2.0
public import LocationModel
public import LocationProtocol

/// For agents, which ask people, and for admins. Others get -32001.
extension LocationConnection {
    /// Makes this connection an agent's: `authorizationRequested` comes for all that waits for a decision.
    public func registerAgent() throws(LocationClientError) { _ = try send(.registerAgent) }

    /// Makes this connection one that shows its user's notices: `noticeRaised` comes for each, those that wait first. Of several of a user's
    /// only the first is told.
    public func takeNotices() throws(LocationClientError) { _ = try send(.takeNotices) }

    /// Says that a notice was shown. Throws -32005 for one of an app that is not known any more.
    public func acknowledgeNotice(_ name: NoticeName) throws(LocationClientError) {
        _ = try send(.acknowledgeNotice(name))
    }

    /// Says what a person decided. Throws -32005 when it is decided already.
    @discardableResult
    public func answerRequest(
        _ request: UInt64, _ answer: AuthorizationAnswer
    ) throws(LocationClientError) -> DecisionResult {
        try send(.answerRequest(request: request, answer)).result(DecisionResult.self)
    }

    /// The requests that wait for a decision, oldest first.
    public func pendingRequests() throws(LocationClientError) -> [AuthorizationRequest] {
        try send(.pendingRequests).result([AuthorizationRequest].self)
    }

    /// All apps and what they may do.
    public func apps() throws(LocationClientError) -> [AppStatus] { try send(.apps).result([AppStatus].self) }

    /// Decides about `app`, as `apps` names it; what is nil stays as it is, one of the two is not.
    ///
    /// - Parameter once: Only until the app is no longer in use; only with `authorizedWhenInUse`.
    @discardableResult
    public func authorize(
        _ app: String, _ status: AuthorizationStatus? = nil, accuracy: AccuracyAuthorization? = nil, once: Bool = false
    ) throws(LocationClientError) -> DecisionResult {
        let parameters = AuthorizeParameters(
            app: app, authorizationStatus: status, accuracyAuthorization: accuracy, once: once)
        return try send(.authorize(parameters)).result(DecisionResult.self)
    }

    /// Forgets what was decided about `app`.
    @discardableResult
    public func resetAuthorization(_ app: String) throws(LocationClientError) -> DecisionResult {
        try send(.resetAuthorization(app: app)).result(DecisionResult.self)
    }

    /// Removes everything of `app`: what was decided, regions, monitors, events, labels.
    @discardableResult
    public func forgetApp(_ app: String) throws(LocationClientError) -> ForgetResult {
        try send(.forgetApp(app: app)).result(ForgetResult.self)
    }

    /// Switches location services on or off for everyone.
    @discardableResult
    public func setLocationServicesEnabled(_ isEnabled: Bool) throws(LocationClientError) -> DecisionResult {
        try send(.setLocationServicesEnabled(isEnabled)).result(DecisionResult.self)
    }

    /// The stored events of `app`, oldest first; they stay stored.
    public func events(of app: String) throws(LocationClientError) -> [StoredEvent] {
        try send(.events(app: app)).result([StoredEvent].self)
    }

    /// Closes the connection `number`, as `status` of all tells it; its client may connect again. Throws -32005 when there is none.
    public func closeConnection(_ number: UInt64) throws(LocationClientError) {
        _ = try send(.closeConnection(number))
    }

    /// Says where the device stands, until `clearPlace`; told while no receiver has had a fix of late.
    public func setPlace(_ place: OfferedLocation) throws(LocationClientError) { _ = try send(.setPlace(place)) }

    /// Forgets the place that `setPlace` said.
    public func clearPlace() throws(LocationClientError) { _ = try send(.clearPlace) }

    /// Says where the device is for `lifetime` seconds, 1 to 86400, at most until this connection ends, in place of what it said before.
    ///
    /// It is told while no receiver has a fix. Throws -32001 unless the daemon's configuration names this program as a provider, and -32004
    /// more often than 10 times a second.
    public func offerLocation(_ location: OfferedLocation, lifetime: Double) throws(LocationClientError) {
        _ = try send(.offerLocation(location, lifetime: lifetime))
    }

    /// Takes back what this connection said of where the device is.
    public func withdrawLocation() throws(LocationClientError) { _ = try send(.withdrawLocation) }

    /// Says that this connection hears beacons: `beaconsWanted` follows, at once and with each change of what is wanted.
    public func offerBeacons() throws(LocationClientError) { _ = try send(.offerBeacons) }

    /// Says that this connection hears beacons no longer, and why, for those who range them.
    public func withdrawBeacons(because reason: String? = nil) throws(LocationClientError) {
        _ = try send(.withdrawBeacons(reason: reason))
    }

    /// Says which beacons were heard, at most `BeaconSighting.reportedAtOnce`. Throws -32004 more often than 10 times a second.
    public func reportBeacons(_ sightings: [BeaconSighting]) throws(LocationClientError) {
        _ = try send(.reportBeacons(sightings))
    }

    /// Makes the daemon read its configuration again.
    public func reload() throws(LocationClientError) { _ = try send(.reload) }
}
