// SPDX-License-Identifier: Apache-2.0

package import LocationModel

/// The methods that this daemon answers.
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
    case status
    case reload
    case discover = "rpc.discover"
}

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
    case status(StatusScope)
    /// Admins only: read the configuration again.
    case reload
    /// `rpc.discover`.
    case discover

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
        case .status: .status
        case .reload: .reload
        case .discover: .discover
        }
    }
}

/// A request as it came over the wire.
package struct RequestEnvelope: Sendable, Hashable {
    /// What the reply repeats.
    package var id: RequestID
    /// What is asked.
    package var call: Call
    /// Only in a replay's request file: seconds from the track's first time.
    package var at: Double?

    /// The request `call` under the name `id`.
    package init(id: RequestID, call: Call, at: Double? = nil) {
        self.id = id
        self.call = call
        self.at = at
    }

    /// The method's name on the wire.
    package var method: Method { call.method }
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
