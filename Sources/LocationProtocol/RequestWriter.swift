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
        default: break
        }
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
