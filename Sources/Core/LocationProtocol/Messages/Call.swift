// SPDX-License-Identifier: Apache-2.0

package import LocationModel

/// A request of a client whose parameters have been read and found within their ranges.
package enum Call: Sendable, Hashable {
    /// Something for its manager, which the engine decides. `Request` has its cases.
    case asked(Request)
    case hello(HelloParameters)
    case getProperties
    case location
    case monitoredRegions
    case monitorRecord(ConditionName)
    case history(HistoryQuery)
    /// `app`: another one's, for admins; nil: the asking one's.
    case historyEvents(HistoryQuery, app: String?)
    case ledger(from: WallTime?, to: WallTime?)
    case registerAgent
    case answerRequest(request: UInt64, AuthorizationAnswer)
    case takeNotices
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
    case setPlace(OfferedLocation)
    case clearPlace
    /// Read the configuration again.
    case reload
    /// `rpc.discover`.
    case discover
}

extension Call {
    /// The request for the manager; nil: the engine is not asked.
    package var request: Request? { if case .asked(let request) = self { request } else { nil } }
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
