// SPDX-License-Identifier: Apache-2.0
public import LocationModel
public import LocationProtocol

/// For agents, which ask people, and for admins. Others get -32001.
extension LocationConnection {
    /// Makes this connection an agent's: `authorizationRequested` comes for all that waits for a decision.
    public func registerAgent() throws(LocationClientError) { _ = try send(.registerAgent) }

    /// Says what a person decided. Throws -32005 when it is decided already.
    public func answerRequest(_ request: UInt64, _ answer: AuthorizationAnswer) throws(LocationClientError) {
        _ = try send(.answerRequest(request: request, answer))
    }

    /// What waits for a decision, oldest first.
    public func pendingRequests() throws(LocationClientError) -> [AuthorizationRequest] {
        try send(.pendingRequests).result([AuthorizationRequest].self)
    }

    /// All apps and what they may do.
    public func apps() throws(LocationClientError) -> [AppStatus] { try send(.apps).result([AppStatus].self) }

    /// Decides about `app`, as `apps` names it; what is nil stays as it is, one of the two is not.
    ///
    /// - Parameter once: Only until the app is no longer in use; only with `authorizedWhenInUse`.
    public func authorize(
        _ app: String, _ status: AuthorizationStatus? = nil, accuracy: AccuracyAuthorization? = nil, once: Bool = false
    ) throws(LocationClientError) {
        _ = try send(
            .authorize(
                AuthorizeParameters(
                    app: app, authorizationStatus: status, accuracyAuthorization: accuracy, once: once)))
    }

    /// Forgets what was decided about `app`.
    public func resetAuthorization(_ app: String) throws(LocationClientError) {
        _ = try send(.resetAuthorization(app: app))
    }

    /// Switches location services on or off for everyone.
    public func setLocationServicesEnabled(_ isEnabled: Bool) throws(LocationClientError) {
        _ = try send(.setLocationServicesEnabled(isEnabled))
    }

    /// The stored events of `app`, oldest first; they stay stored.
    public func events(of app: String) throws(LocationClientError) -> [StoredEvent] {
        try send(.events(app: app)).result([StoredEvent].self)
    }

    /// Makes the daemon read its configuration again.
    public func reload() throws(LocationClientError) { _ = try send(.reload) }
}
