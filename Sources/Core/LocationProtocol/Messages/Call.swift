// SPDX-License-Identifier: Apache-2.0

package import LocationModel

/// A request whose parameters have been read and found within their ranges.
package enum Call: Sendable, Hashable {
    case hello(HelloParameters)
    case setPresence(Presence)
    case setProperties(PropertiesPatch)
    case getProperties
    /// `resumeAfter`: the sequence behind which delivery starts.
    case startUpdatingLocation(resumeAfter: UInt64?)
    case stopUpdatingLocation
    /// `timeout`: seconds, > 0 and <= 600; nil: as configured, 10.
    case requestLocation(timeout: Double?)
    case location
    case allowDeferredLocationUpdates(DeferralParameters)
    case disallowDeferredLocationUpdates
    case startMonitoringSignificantLocationChanges
    case stopMonitoringSignificantLocationChanges
    case requestWhenInUseAuthorization
    case requestAlwaysAuthorization
    case requestTemporaryFullAccuracyAuthorization(purposeKey: String)
    /// Also replaces the app's region of the same identifier.
    case startMonitoring(Region)
    case stopMonitoring(identifier: String)
    case requestState(identifier: String)
    case monitoredRegions
    case startMonitoringVisits
    case stopMonitoringVisits
    case startUpdatingHeading
    case stopUpdatingHeading
    case startRangingBeacons(BeaconIdentity)
    case stopRangingBeacons(BeaconIdentity)
    case startLiveUpdates(LiveConfiguration)
    case stopLiveUpdates(updates: UInt64)
    case openMonitor(name: String)
    case closeMonitor(monitor: UInt64)
    case addCondition(ConditionParameters)
    case removeCondition(ConditionName)
    case monitorRecord(ConditionName)
    case startBackgroundActivitySession
    case invalidateBackgroundActivitySession(session: UInt64)
    case startServiceSession(ServiceSessionParameters)
    case invalidateServiceSession(session: UInt64)
    case acknowledge(event: UInt64)
    case history(HistoryQuery)
    /// `app`: another one's, for admins; nil: the asking one's.
    case historyEvents(HistoryQuery, app: String?)
    case ledger(from: WallTime?, to: WallTime?)
    case registerAgent
    case answerRequest(request: UInt64, AuthorizationAnswer)
    case takeNotices
    case acknowledgeNotice(NoticeName)
    case status(StatusScope)
    case satellites
    /// Admins only, like all below but `rpc.discover`.
    case apps
    case authorize(AuthorizeParameters)
    case resetAuthorization(app: String)
    case forgetApp(app: String)
    case setLocationServicesEnabled(Bool)
    case pendingRequests
    case events(app: String)
    case closeConnection(UInt64)
    case forgetHistory(from: WallTime?, to: WallTime?)
    /// Providers only, as the next. `lifetime`: seconds, 1 to 86400.
    case offerLocation(OfferedLocation, lifetime: Double)
    case withdrawLocation
    /// Providers only, as the next two.
    case offerBeacons
    case withdrawBeacons(reason: String?)
    /// At most `BeaconSighting.reportedAtOnce`.
    case reportBeacons([BeaconSighting])
    case setPlace(OfferedLocation)
    case clearPlace
    /// Read the configuration again.
    case reload
    /// `rpc.discover`.
    case discover
}

/// A request as it came over the wire.
package struct RequestEnvelope: Sendable, Hashable {
    /// The id that the reply repeats.
    package var id: RequestID
    /// The request itself.
    package let call: Call
    /// The declaration of its method.
    package let method: Method
    /// Only in a replay's request file: seconds from the track's first time.
    package var at: Double?

    /// The request `call` under the name `id`.
    package init(id: RequestID, call: Call, at: Double? = nil) {
        self.init(id: id, method: call.method, call: call, at: at)
    }

    init(id: RequestID, method: Method, call: Call, at: Double?) {
        self.id = id
        self.method = method
        self.call = call
        self.at = at
    }
}

/// A request that cannot be carried out, and the id to answer with.
package struct Refusal: Error, Sendable, Hashable {
    /// The id of the reply; nil is JSON's null: the request's own could not be read.
    package var id: RequestID?
    /// Why.
    package var error: RPCError

    /// The answer `error` to the request `id`.
    package init(id: RequestID?, error: RPCError) {
        self.id = id
        self.error = error
    }
}
