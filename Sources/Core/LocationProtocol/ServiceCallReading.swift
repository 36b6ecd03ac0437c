// SPDX-License-Identifier: Apache-2.0

import LocationModel

extension Call {
    /// Reads the parameters of `method` if it is one of the services' and has some.
    static func service(
        _ method: Method, _ params: KeyedDecodingContainer<AnyMember>?
    ) throws(RPCError) -> Call? {
        switch method {
        case .requestTemporaryFullAccuracyAuthorization:
            .requestTemporaryFullAccuracyAuthorization(purposeKey: try purposeKey(try ParameterReader(params)))
        case .startMonitoring: .startMonitoring(try region(try ParameterReader(params)))
        case .stopMonitoring: .stopMonitoring(identifier: try identifier(try ParameterReader(params)))
        case .requestState: .requestState(identifier: try identifier(try ParameterReader(params)))
        case .startRangingBeacons: .startRangingBeacons(try BeaconIdentity(try ParameterReader(params)))
        case .stopRangingBeacons: .stopRangingBeacons(try BeaconIdentity(try ParameterReader(params)))
        case .startLiveUpdates: .startLiveUpdates(try configuration(try ParameterReader(params)))
        case .stopLiveUpdates: .stopLiveUpdates(updates: try updates(try ParameterReader(params)))
        case .openMonitor: .openMonitor(name: try monitorName(try ParameterReader(params)))
        case .closeMonitor: .closeMonitor(monitor: try monitor(try ParameterReader(params)))
        case .addCondition: .addCondition(try ConditionParameters(try ParameterReader(params)))
        case .removeCondition: .removeCondition(try ConditionName(try ParameterReader(params)))
        case .monitorRecord: .monitorRecord(try ConditionName(try ParameterReader(params)))
        case .invalidateBackgroundActivitySession:
            .invalidateBackgroundActivitySession(session: try session(try ParameterReader(params)))
        case .startServiceSession: .startServiceSession(try ServiceSessionParameters(try ParameterReader(params)))
        case .invalidateServiceSession: .invalidateServiceSession(session: try session(try ParameterReader(params)))
        case .acknowledge: .acknowledge(event: try event(try ParameterReader(params)))
        default: nil
        }
    }

    /// Reads the parameters of `method` if it is one of the agents' or admins' and has some.
    static func administration(
        _ method: Method, _ params: KeyedDecodingContainer<AnyMember>?
    ) throws(RPCError) -> Call? {
        switch method {
        case .answerRequest: try answer(try ParameterReader(params))
        case .authorize: .authorize(try AuthorizeParameters(try ParameterReader(params)))
        case .resetAuthorization: .resetAuthorization(app: try app(try ParameterReader(params)))
        case .forgetApp: .forgetApp(app: try app(try ParameterReader(params)))
        case .setLocationServicesEnabled: .setLocationServicesEnabled(try enabled(try ParameterReader(params)))
        case .events: .events(app: try app(try ParameterReader(params)))
        case .closeConnection: .closeConnection(try connection(try ParameterReader(params)))
        default: nil
        }
    }

    private static let parameterless: [Call] = [
        .getProperties, .stopUpdatingLocation, .location, .disallowDeferredLocationUpdates,
        .startMonitoringSignificantLocationChanges, .stopMonitoringSignificantLocationChanges,
        .requestWhenInUseAuthorization, .requestAlwaysAuthorization, .monitoredRegions, .startMonitoringVisits,
        .stopMonitoringVisits, .startUpdatingHeading, .stopUpdatingHeading, .startBackgroundActivitySession,
        .registerAgent, .apps, .pendingRequests, .reload, .discover,
    ]

    /// Sees to it that a method without parameters has been given none.
    static func withoutParameters(
        _ method: Method, _ params: KeyedDecodingContainer<AnyMember>?
    ) throws(RPCError) -> Call {
        _ = try ParameterReader<NoMember>(params)
        guard let call = parameterless.first(where: { $0.method == method }) else {
            throw RPCError(.methodNotFound, "cannot find the method \(quoted(method.rawValue)); rpc.discover lists all")
        }
        return call
    }
}

// The readers of methods that have one or two members; each throws -32602 for what is not allowed.
extension Call {
    private static func purposeKey(_ reader: ParameterReader<PurposeMember>) throws(RPCError) -> String {
        try reader.required(reader.name(.purposeKey), .purposeKey, allowed: nameRule)
    }

    private static func region(_ reader: ParameterReader<StartMonitoringMember>) throws(RPCError) -> Region {
        let region = try reader.required(
            reader.object(.region), .region,
            allowed: "an object with an identifier and either center and radius or vertices")
        return try Region(try ParameterReader(region, path: "region."))
    }

    private static func identifier(_ reader: ParameterReader<IdentifierMember>) throws(RPCError) -> String {
        try reader.required(reader.name(.identifier), .identifier, allowed: nameRule)
    }

    private static func configuration(
        _ reader: ParameterReader<StartLiveUpdatesMember>
    ) throws(RPCError) -> LiveConfiguration {
        try reader.word(.configuration, LiveConfiguration.self) ?? .default
    }

    private static func updates(_ reader: ParameterReader<LiveUpdatesMember>) throws(RPCError) -> UInt64 {
        try reader.requiredOrdinal(.updates)
    }

    private static func monitorName(_ reader: ParameterReader<OpenMonitorMember>) throws(RPCError) -> String {
        try reader.required(reader.name(.name), .name, allowed: nameRule)
    }

    private static func monitor(_ reader: ParameterReader<MonitorMember>) throws(RPCError) -> UInt64 {
        try reader.requiredOrdinal(.monitor)
    }

    private static func session(_ reader: ParameterReader<SessionMember>) throws(RPCError) -> UInt64 {
        try reader.requiredOrdinal(.session)
    }

    private static func event(_ reader: ParameterReader<EventMember>) throws(RPCError) -> UInt64 {
        try reader.requiredOrdinal(.event)
    }

    private static func connection(_ reader: ParameterReader<ConnectionMember>) throws(RPCError) -> UInt64 {
        try reader.requiredOrdinal(.connection)
    }

    private static func answer(_ reader: ParameterReader<AnswerMember>) throws(RPCError) -> Call {
        let request = try reader.requiredOrdinal(.request)
        let answer = try reader.required(
            reader.word(.answer, AuthorizationAnswer.self), .answer,
            allowed: "one of " + AuthorizationAnswer.words.joined(separator: ", "))
        return .answerRequest(request: request, answer)
    }

    private static func app(_ reader: ParameterReader<AppMember>) throws(RPCError) -> String {
        try reader.required(reader.appName(.app), .app, allowed: appNameRule)
    }

    private static func enabled(_ reader: ParameterReader<EnabledMember>) throws(RPCError) -> Bool {
        try reader.required(reader.flag(.enabled), .enabled, allowed: "true or false")
    }
}

extension ConditionParameters {
    init(_ reader: ParameterReader<Member>) throws(RPCError) {
        let monitor = try reader.requiredOrdinal(.monitor)
        let identifier = try reader.required(reader.name(.identifier), .identifier, allowed: nameRule)
        let condition = try reader.required(
            reader.object(.condition), .condition, allowed: "an object with a type and an area")
        self.init(
            monitor: monitor, identifier: identifier,
            condition: try RegionShape(try ParameterReader(condition, path: "condition.")))
        let allowed = "one of " + ConditionParameters.assumable.map(\.word).joined(separator: ", ")
        guard let word = try reader.string(.assuming, allowed: allowed) else { return }
        guard let state = ConditionParameters.assumable.first(where: { $0.word == word }) else {
            throw reader.refusal(.assuming, allowed: allowed)
        }
        assuming = state
    }
}

extension ConditionName {
    init(_ reader: ParameterReader<Member>) throws(RPCError) {
        self.init(
            monitor: try reader.requiredOrdinal(.monitor),
            identifier: try reader.required(reader.name(.identifier), .identifier, allowed: nameRule))
    }
}

extension ServiceSessionParameters {
    init(_ reader: ParameterReader<Member>) throws(RPCError) {
        self.init(
            requirement: try reader.required(
                reader.word(.requirement, ServiceSessionRequirement.self), .requirement,
                allowed: "one of " + ServiceSessionRequirement.words.joined(separator: ", ")),
            fullAccuracyPurposeKey: try reader.name(.fullAccuracyPurposeKey))
    }
}

extension AuthorizeParameters {
    init(_ reader: ParameterReader<Member>) throws(RPCError) {
        self.init(
            app: try reader.required(reader.appName(.app), .app, allowed: appNameRule),
            authorizationStatus: try reader.word(.authorizationStatus, AuthorizationStatus.self),
            accuracyAuthorization: try reader.word(.accuracyAuthorization, AccuracyAuthorization.self),
            once: try reader.flag(.once) ?? false)
        if authorizationStatus == nil, accuracyAuthorization == nil {
            throw reader.refusal(
                .authorizationStatus, allowed: "authorizationStatus, accuracyAuthorization or both", given: "neither")
        }
        if once, authorizationStatus != .authorizedWhenInUse {
            throw reader.refusal(
                .once, allowed: "true only with the authorizationStatus authorizedWhenInUse")
        }
    }
}
