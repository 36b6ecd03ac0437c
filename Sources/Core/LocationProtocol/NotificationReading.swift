// SPDX-License-Identifier: Apache-2.0

import LocationModel

/// The notifications that this module writes and reads.
enum NotificationMethod: String, CaseIterable {
    case didUpdateLocations, didFailWithError, didCancelRequest, didFinishDeferredUpdates, didChangeAuthorization
    case didPauseLocationUpdates, didResumeLocationUpdates, didRequestTemporaryFullAccuracy
    case didEnterRegion, didExitRegion, didDetermineState, didStartMonitoring, monitoringDidFail
    case didVisit, didUpdateHeading, rangingDidFail, didUpdate, monitorEvent, serviceSessionDiagnostic
    case authorizationRequested, authorizationRequestClosed
}

/// All members of the notifications' `params`.
enum NotificationMember: String, CodingKey {
    case seq, locations, source, cached, deferral, early, more, dropped, gap, request, error, by
    case authorizationStatus, accuracyAuthorization, provisional, initial
    case reason, purposeKey, region, location, constraint, event, state, visit, heading, updates, stationary
    case monitor, name, identifier, date, refinement, session, outcome
    case identity, label, uid, user, level, usageDescription, since
    // The names of `DiagnosticFlags`.
    case authorizationDenied, authorizationDeniedGlobally, authorizationRestricted, authorizationRequestInProgress
    case insufficientlyInUse, serviceSessionRequired, accuracyLimited, locationUnavailable, fullAccuracyDenied
    case alwaysAuthorizationDenied, conditionUnsupported, conditionLimitExceeded, persistenceUnavailable
}

extension Notification {
    /// Reads the `params` of the notification `method`; one of a newer daemon is `unknown`.
    init(_ method: String, _ params: KeyedDecodingContainer<NotificationMember>) throws {
        switch NotificationMethod(rawValue: method) {
        case .didUpdateLocations: self = .didUpdateLocations(try LocationUpdate(params))
        case .didFailWithError:
            self = .didFailWithError(
                try params.decode(LocationError.self, forKey: .error),
                source: try params.decodeIfPresent(LocationSource.self, forKey: .source),
                request: try params.numberIfPresent(.request))
        case .didCancelRequest:
            let cause = try params.textIfPresent(.by).flatMap(RequestCancellation.init(rawValue:))
            self = .didCancelRequest(try params.number(.request), by: cause)
        case .didFinishDeferredUpdates:
            self = .didFinishDeferredUpdates(deferral: try params.number(.deferral), error: try params.errorIfPresent())
        case .didChangeAuthorization: self = .didChangeAuthorization(try AuthorizationChange(params))
        case .didPauseLocationUpdates: self = .didPauseLocationUpdates(reason: try params.textIfPresent(.reason))
        case .didResumeLocationUpdates: self = .didResumeLocationUpdates(reason: try params.textIfPresent(.reason))
        case .didRequestTemporaryFullAccuracy:
            self = .didRequestTemporaryFullAccuracy(
                purposeKey: try params.decode(String.self, forKey: .purposeKey), error: try params.errorIfPresent())
        case .didEnterRegion: self = .didEnterRegion(try RegionCrossing(params))
        case .didExitRegion: self = .didExitRegion(try RegionCrossing(params))
        case .didDetermineState:
            self = .didDetermineState(try params.region(), try params.decode(RegionState.self, forKey: .state))
        case .didStartMonitoring: self = .didStartMonitoring(try params.region())
        case .monitoringDidFail:
            self = .monitoringDidFail(try params.region(), try params.decode(LocationError.self, forKey: .error))
        case .didVisit:
            self = .didVisit(
                try params.decode(WireVisit.self, forKey: .visit).visit, event: try params.numberIfPresent(.event))
        case .didUpdateHeading: self = .didUpdateHeading(try params.decode(WireHeading.self, forKey: .heading).heading)
        case .rangingDidFail:
            self = .rangingDidFail(
                try params.decode(BeaconIdentity.self, forKey: .constraint),
                try params.decode(LocationError.self, forKey: .error))
        case .didUpdate: self = .didUpdate(try LiveUpdate(params))
        case .monitorEvent: self = .monitorEvent(try MonitorEvent(params))
        case .serviceSessionDiagnostic:
            self = .serviceSessionDiagnostic(session: try params.number(.session), try DiagnosticFlags(params))
        case .authorizationRequested: self = .authorizationRequested(try AuthorizationRequest(params))
        case .authorizationRequestClosed:
            let outcome = try params.textIfPresent(.outcome).flatMap(AuthorizationOutcome.init(rawValue:))
            self = .authorizationRequestClosed(request: try params.number(.request), outcome)
        case nil: self = .unknown(method: method)
        }
    }
}

extension KeyedDecodingContainer<NotificationMember> {
    fileprivate func number(_ member: NotificationMember) throws -> UInt64 { try decode(UInt64.self, forKey: member) }

    fileprivate func numberIfPresent(_ member: NotificationMember) throws -> UInt64? {
        try decodeIfPresent(UInt64.self, forKey: member)
    }

    fileprivate func textIfPresent(_ member: NotificationMember) throws -> String? {
        try decodeIfPresent(String.self, forKey: member)
    }

    fileprivate func errorIfPresent() throws -> LocationError? {
        try decodeIfPresent(LocationError.self, forKey: .error)
    }

    fileprivate func region() throws -> Region { try decode(WireRegion.self, forKey: .region).region }

    fileprivate func locationIfPresent() throws -> Location? {
        try decodeIfPresent(WireLocation.self, forKey: .location)?.location
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
            request: try params.numberIfPresent(.request), event: try params.numberIfPresent(.event))
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

extension RegionCrossing {
    fileprivate init(_ params: KeyedDecodingContainer<NotificationMember>) throws {
        self.init(
            region: try params.region(), location: try params.locationIfPresent(),
            event: try params.numberIfPresent(.event))
    }
}

extension LiveUpdate {
    fileprivate init(_ params: KeyedDecodingContainer<NotificationMember>) throws {
        self.init(
            updates: try params.number(.updates), location: try params.locationIfPresent(),
            isStationary: try params.decodeIfPresent(Bool.self, forKey: .stationary) ?? false,
            flags: try DiagnosticFlags(params))
    }
}

extension MonitorEvent {
    fileprivate init(_ params: KeyedDecodingContainer<NotificationMember>) throws {
        self.init(
            monitor: try params.numberIfPresent(.monitor), name: try params.textIfPresent(.name),
            identifier: try params.decode(String.self, forKey: .identifier), content: try ConditionEvent(params),
            event: try params.numberIfPresent(.event))
    }
}

extension ConditionEvent {
    /// Reads the members of a condition's event, which stand beside others.
    init(_ members: KeyedDecodingContainer<NotificationMember>) throws {
        self.init(
            state: try members.decode(ConditionState.self, forKey: .state),
            date: try members.decode(WallTime.self, forKey: .date),
            refinement: try members.decodeIfPresent(WireShape.self, forKey: .refinement)?.shape,
            flags: try DiagnosticFlags(members))
    }
}

extension AuthorizationRequest {
    fileprivate init(_ params: KeyedDecodingContainer<NotificationMember>) throws {
        self.init(
            request: try params.number(.request), identity: try params.decode(String.self, forKey: .identity),
            label: try params.textIfPresent(.label), uid: try params.decode(UInt32.self, forKey: .uid),
            user: try params.textIfPresent(.user), level: try params.decode(AuthorizationLevel.self, forKey: .level),
            purposeKey: try params.textIfPresent(.purposeKey),
            usageDescription: try params.decode(String.self, forKey: .usageDescription),
            since: try params.decode(WallTime.self, forKey: .since))
    }
}
