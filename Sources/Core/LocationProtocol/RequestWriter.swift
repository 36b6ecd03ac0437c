// SPDX-License-Identifier: Apache-2.0

import LocationModel

/// Writes requests as a client sends them.
package enum RequestWriter {
    /// The line of `call`, with LF. Members that have their default are left out, and so is `params` without members.
    package static func line(_ id: RequestID, _ call: Call) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw(#"{"jsonrpc":"2.0""#)
        writer.name("id")
        writer.append(id)
        writer.name("method")
        writer.string(call.method.rawValue)
        var params = JSONWriter()
        params.beginObject()
        call.append(to: &params)
        if params.bytes.count > 1 {
            params.endObject()
            writer.name("params")
            writer.raw(params.bytes)
        }
        writer.endObject()
        writer.bytes.append(UInt8(ascii: "\n"))
        return writer.bytes
    }
}

extension Call {
    fileprivate func append(to writer: inout JSONWriter) {
        switch self {
        case .hello(let hello): hello.append(to: &writer)
        case .setPresence(let presence): writer.member(PresenceMember.presence, presence.word)
        case .setProperties(let patch): patch.append(to: &writer)
        case .startUpdatingLocation(let sequence?):
            writer.name(StartUpdatingMember.resumeAfter.rawValue)
            writer.integer(sequence)
        case .requestLocation(let timeout?):
            writer.member(RequestLocationMember.timeout, timeout)
        case .allowDeferredLocationUpdates(let limits):
            writer.member(DeferralParameters.Member.untilTraveled, limits.untilTraveled)
            writer.member(DeferralParameters.Member.timeout, limits.timeout)
        case .status(let scope) where scope != .connection: writer.member(StatusMember.scope, scope.word)
        default:
            appendService(to: &writer)
            appendAdministration(to: &writer)
        }
    }

    private func appendService(to writer: inout JSONWriter) {
        switch self {
        case .requestTemporaryFullAccuracyAuthorization(let key): writer.member(PurposeMember.purposeKey, key)
        case .startMonitoring(let region):
            writer.name(StartMonitoringMember.region.rawValue)
            region.append(to: &writer)
        case .stopMonitoring(let identifier), .requestState(let identifier):
            writer.member(IdentifierMember.identifier, identifier)
        case .startRangingBeacons(let beacons), .stopRangingBeacons(let beacons): beacons.appendMembers(to: &writer)
        case .startLiveUpdates(let configuration) where configuration != .default:
            writer.member(StartLiveUpdatesMember.configuration, configuration.word)
        case .stopLiveUpdates(let updates): writer.member(LiveUpdatesMember.updates, updates)
        case .openMonitor(let name): writer.member(OpenMonitorMember.name, name)
        case .closeMonitor(let monitor): writer.member(MonitorMember.monitor, monitor)
        case .addCondition(let condition): condition.append(to: &writer)
        case .removeCondition(let name), .monitorRecord(let name):
            writer.member(ConditionName.Member.monitor, name.monitor)
            writer.member(ConditionName.Member.identifier, name.identifier)
        case .invalidateBackgroundActivitySession(let session), .invalidateServiceSession(let session):
            writer.member(SessionMember.session, session)
        case .startServiceSession(let session):
            writer.member(ServiceSessionParameters.Member.requirement, session.requirement.word)
            writer.member(
                ServiceSessionParameters.Member.fullAccuracyPurposeKey, session.fullAccuracyPurposeKey)
        case .acknowledge(let event): writer.member(EventMember.event, event)
        default: break
        }
    }

    private func appendAdministration(to writer: inout JSONWriter) {
        switch self {
        case .answerRequest(let request, let answer):
            writer.member(AnswerMember.request, request)
            writer.member(AnswerMember.answer, answer.word)
        case .authorize(let decision):
            writer.member(AuthorizeParameters.Member.app, decision.app)
            writer.member(AuthorizeParameters.Member.authorizationStatus, decision.authorizationStatus?.word)
            writer.member(AuthorizeParameters.Member.accuracyAuthorization, decision.accuracyAuthorization?.word)
            if decision.once { writer.member(AuthorizeParameters.Member.once, true) }
        case .resetAuthorization(let app), .forgetApp(let app), .events(let app): writer.member(AppMember.app, app)
        case .closeConnection(let number): writer.member(ConnectionMember.connection, number)
        case .setLocationServicesEnabled(let isEnabled): writer.member(EnabledMember.enabled, isEnabled)
        default: break
        }
    }
}

extension ConditionParameters {
    fileprivate func append(to writer: inout JSONWriter) {
        writer.member(Member.monitor, monitor)
        writer.member(Member.identifier, identifier)
        writer.name(Member.condition.rawValue)
        condition.append(to: &writer)
        if assuming != .unknown { writer.member(Member.assuming, assuming.word) }
    }
}

extension HelloParameters {
    fileprivate func append(to writer: inout JSONWriter) {
        writer.member(Member.protocolVersion, Double(locationProtocolVersion))
        writer.member(Member.app, app)
        if usageDescriptions != UsageDescriptions() {
            writer.name(Member.usageDescriptions.rawValue)
            writer.beginObject()
            usageDescriptions.append(to: &writer)
            writer.endObject()
        }
        writer.member(Member.presence, presence?.word)
        writer.member(Member.manager, manager?.text)
        if events { writer.member(Member.events, true) }
    }
}

extension UsageDescriptions {
    fileprivate func append(to writer: inout JSONWriter) {
        writer.member(Member.whenInUse, whenInUse)
        writer.member(Member.always, always)
        guard !temporaryFullAccuracy.isEmpty else { return }
        writer.name(Member.temporaryFullAccuracy.rawValue)
        writer.beginObject()
        for (key, text) in temporaryFullAccuracy.sorted(by: { $0.key < $1.key }) {
            writer.name(key)
            writer.string(text)
        }
        writer.endObject()
    }
}

extension PropertiesPatch {
    fileprivate func append(to writer: inout JSONWriter) {
        writer.filter(.distanceFilter, distanceFilter)
        if let desiredAccuracy {
            if let word = desiredAccuracy.word {
                writer.member(PropertiesMember.desiredAccuracy, word)
            } else {
                writer.member(PropertiesMember.desiredAccuracy, desiredAccuracy.number)
            }
        }
        writer.member(PropertiesMember.activityType, activityType?.word)
        writer.member(
            PropertiesMember.pausesLocationUpdatesAutomatically, pausesLocationUpdatesAutomatically)
        writer.member(PropertiesMember.allowsBackgroundLocationUpdates, allowsBackgroundLocationUpdates)
        writer.filter(.headingFilter, headingFilter)
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ member: some RawRepresentable<String>, _ text: String?) {
        guard let text else { return }
        name(member.rawValue)
        string(text)
    }

    fileprivate mutating func member(_ member: some RawRepresentable<String>, _ value: Double?) {
        guard let value else { return }
        name(member.rawValue)
        number(value)
    }

    fileprivate mutating func member(_ member: some RawRepresentable<String>, _ number: UInt64) {
        name(member.rawValue)
        integer(number)
    }

    fileprivate mutating func member(_ member: some RawRepresentable<String>, _ flag: Bool?) {
        guard let flag else { return }
        name(member.rawValue)
        bool(flag)
    }

    fileprivate mutating func filter(_ property: PropertiesMember, _ value: Double?) {
        guard let value else { return }
        if value < 0 { member(property, "none") } else { member(property, value) }
    }
}
