// SPDX-License-Identifier: Apache-2.0

/// The methods of the protocol.
package enum Method: String, Sendable, CaseIterable {
    case hello
    case setPresence
    case setProperties
    case getProperties
    case startUpdatingLocation
    case stopUpdatingLocation
    case requestLocation
    case location
    case allowDeferredLocationUpdates
    case disallowDeferredLocationUpdates
    case startMonitoringSignificantLocationChanges
    case stopMonitoringSignificantLocationChanges
    case requestWhenInUseAuthorization
    case requestAlwaysAuthorization
    case requestTemporaryFullAccuracyAuthorization
    case startMonitoring
    case stopMonitoring
    case requestState
    case monitoredRegions
    case startMonitoringVisits
    case stopMonitoringVisits
    case startUpdatingHeading
    case stopUpdatingHeading
    case startRangingBeacons
    case stopRangingBeacons
    case startLiveUpdates
    case stopLiveUpdates
    case openMonitor
    case closeMonitor
    case addCondition
    case removeCondition
    case monitorRecord
    case startBackgroundActivitySession
    case invalidateBackgroundActivitySession
    case startServiceSession
    case invalidateServiceSession
    case acknowledge
    case registerAgent
    case answerRequest
    case status
    case apps
    case authorize
    case resetAuthorization
    case forgetApp
    case setLocationServicesEnabled
    case pendingRequests
    case events
    case closeConnection
    case reload
    case discover = "rpc.discover"
}

extension Call {
    /// The method's name on the wire.
    package var method: Method {
        switch self {
        case .hello: .hello
        case .setPresence: .setPresence
        case .setProperties: .setProperties
        case .getProperties: .getProperties
        case .startUpdatingLocation: .startUpdatingLocation
        case .stopUpdatingLocation: .stopUpdatingLocation
        case .requestLocation: .requestLocation
        case .location: .location
        case .allowDeferredLocationUpdates: .allowDeferredLocationUpdates
        case .disallowDeferredLocationUpdates: .disallowDeferredLocationUpdates
        case .startMonitoringSignificantLocationChanges: .startMonitoringSignificantLocationChanges
        case .stopMonitoringSignificantLocationChanges: .stopMonitoringSignificantLocationChanges
        case .requestWhenInUseAuthorization: .requestWhenInUseAuthorization
        case .requestAlwaysAuthorization: .requestAlwaysAuthorization
        case .requestTemporaryFullAccuracyAuthorization: .requestTemporaryFullAccuracyAuthorization
        case .startMonitoring: .startMonitoring
        case .stopMonitoring: .stopMonitoring
        case .requestState: .requestState
        case .monitoredRegions: .monitoredRegions
        case .startMonitoringVisits: .startMonitoringVisits
        case .stopMonitoringVisits: .stopMonitoringVisits
        case .startUpdatingHeading: .startUpdatingHeading
        case .stopUpdatingHeading: .stopUpdatingHeading
        case .startRangingBeacons: .startRangingBeacons
        case .stopRangingBeacons: .stopRangingBeacons
        case .startLiveUpdates: .startLiveUpdates
        case .stopLiveUpdates: .stopLiveUpdates
        case .openMonitor: .openMonitor
        case .closeMonitor: .closeMonitor
        case .addCondition: .addCondition
        case .removeCondition: .removeCondition
        case .monitorRecord: .monitorRecord
        case .startBackgroundActivitySession: .startBackgroundActivitySession
        case .invalidateBackgroundActivitySession: .invalidateBackgroundActivitySession
        case .startServiceSession: .startServiceSession
        case .invalidateServiceSession: .invalidateServiceSession
        case .acknowledge: .acknowledge
        case .registerAgent: .registerAgent
        case .answerRequest: .answerRequest
        case .status: .status
        case .apps: .apps
        case .authorize: .authorize
        case .resetAuthorization: .resetAuthorization
        case .forgetApp: .forgetApp
        case .setLocationServicesEnabled: .setLocationServicesEnabled
        case .pendingRequests: .pendingRequests
        case .events: .events
        case .closeConnection: .closeConnection
        case .reload: .reload
        case .discover: .discover
        }
    }
}
