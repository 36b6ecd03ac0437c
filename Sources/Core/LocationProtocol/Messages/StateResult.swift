// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// The result of `start…`, but of sessions, and of `request…` and `allowDeferredLocationUpdates`.
public struct StateResult: Sendable, Hashable, Codable {
    /// The state of the service that was asked for.
    public var state: ServiceState
    /// Why, where that is not plain.
    public var reason: String?
    /// While it waits for authorization: whether somebody is there who is asked now; nil: nobody is.
    public var asked: Bool?
    /// The number of a one-shot request.
    public var request: UInt64?
    /// The number of a deferral.
    public var deferral: UInt64?
    /// The number of a stream of live updates.
    public var updates: UInt64?

    /// The result `state`.
    public init(
        _ state: ServiceState, reason: String? = nil, asked: Bool? = nil, request: UInt64? = nil,
        deferral: UInt64? = nil, updates: UInt64? = nil
    ) {
        self.state = state
        self.reason = reason
        self.asked = asked
        self.request = request
        self.deferral = deferral
        self.updates = updates
    }
}

extension StateResult {
    static let schema = JSONSchema.object([
        Described("state", .words(ServiceState.allCases.map(\.rawValue)), required: true, "what became of it"),
        Described("reason", .string(), "why, where that is not plain"),
        Described("asked", .boolean, "somebody is there who is asked what nobody has decided yet; absent: nobody is"),
        Described("request", .count, "the number of the one-shot request"),
        Described("deferral", .count, "the number of the deferral"),
        Described("updates", .count, "the number of the stream of live updates"),
    ])
}
