// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// What the daemon tells a client unasked: Core Location's delegate calls.
public enum Notification: Sendable, Hashable {
    /// New locations, oldest first, never none.
    case didUpdateLocations(LocationUpdate)
    /// A service has no location; `request` of a one-shot request.
    case didFailWithError(LocationError, source: LocationSource?, request: UInt64?)
    /// A one-shot request ends without an answer.
    case didCancelRequest(UInt64, by: RequestCancellation?)
    /// A deferral ended; no error: a criterion was met.
    case didFinishDeferredUpdates(deferral: UInt64, error: LocationError?)
    /// What the app may do changed, or is told for the first time.
    case didChangeAuthorization(AuthorizationChange)
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

    /// An update of `locations`.
    public init(
        locations: [Location], source: LocationSource, isCached: Bool = false, deferral: UInt64? = nil,
        isEarly: Bool = false, hasMore: Bool = false, dropped: UInt64 = 0, hasGap: Bool = false, request: UInt64? = nil
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
    }
}

/// The payload of `didChangeAuthorization`.
public struct AuthorizationChange: Sendable, Hashable {
    /// What the app may do now.
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

/// The notifications that this module writes and reads.
enum NotificationMethod: String, CaseIterable {
    case didUpdateLocations, didFailWithError, didCancelRequest, didFinishDeferredUpdates, didChangeAuthorization
}

/// All members of the notifications' `params`.
enum NotificationMember: String, CodingKey {
    case seq, locations, source, cached, deferral, early, more, dropped, gap, request, error, by
    case authorizationStatus, accuracyAuthorization, provisional, initial
}

extension Notification {
    init(_ method: String, _ params: KeyedDecodingContainer<NotificationMember>) throws {
        switch NotificationMethod(rawValue: method) {
        case .didUpdateLocations: self = .didUpdateLocations(try LocationUpdate(params))
        case .didFailWithError:
            self = .didFailWithError(
                try params.decode(LocationError.self, forKey: .error),
                source: try params.decodeIfPresent(LocationSource.self, forKey: .source),
                request: try params.decodeIfPresent(UInt64.self, forKey: .request))
        case .didCancelRequest:
            let cause = try params.decodeIfPresent(String.self, forKey: .by)
            self = .didCancelRequest(
                try params.decode(UInt64.self, forKey: .request), by: cause.flatMap(RequestCancellation.init(rawValue:))
            )
        case .didFinishDeferredUpdates:
            self = .didFinishDeferredUpdates(
                deferral: try params.decode(UInt64.self, forKey: .deferral),
                error: try params.decodeIfPresent(LocationError.self, forKey: .error))
        case .didChangeAuthorization: self = .didChangeAuthorization(try AuthorizationChange(params))
        case nil: self = .unknown(method: method)
        }
    }
}

extension LocationUpdate {
    fileprivate init(_ params: KeyedDecodingContainer<NotificationMember>) throws {
        let locations = try params.decode([WireLocation].self, forKey: .locations)
        self.init(
            locations: locations.map(\.location), source: try params.decode(LocationSource.self, forKey: .source),
            isCached: try params.decodeIfPresent(Bool.self, forKey: .cached) ?? false,
            deferral: try params.decodeIfPresent(UInt64.self, forKey: .deferral),
            isEarly: try params.decodeIfPresent(Bool.self, forKey: .early) ?? false,
            hasMore: try params.decodeIfPresent(Bool.self, forKey: .more) ?? false,
            dropped: try params.decodeIfPresent(UInt64.self, forKey: .dropped) ?? 0,
            hasGap: try params.decodeIfPresent(Bool.self, forKey: .gap) ?? false,
            request: try params.decodeIfPresent(UInt64.self, forKey: .request))
    }
}

extension AuthorizationChange {
    fileprivate init(_ params: KeyedDecodingContainer<NotificationMember>) throws {
        self.init(
            authorizationStatus: try params.decode(AuthorizationStatus.self, forKey: .authorizationStatus),
            accuracyAuthorization: try params.decodeIfPresent(
                AccuracyAuthorization.self, forKey: .accuracyAuthorization),
            isProvisional: try params.decodeIfPresent(Bool.self, forKey: .provisional) ?? false,
            isInitial: try params.decodeIfPresent(Bool.self, forKey: .initial) ?? false)
    }
}
