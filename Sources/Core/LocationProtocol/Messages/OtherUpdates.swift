// SPDX-License-Identifier: Apache-2.0

import LocationModel

// Significant changes, headings, beacons and live updates.
extension Method {
    static let significantChange = [
        startMonitoringSignificantLocationChanges, stopMonitoringSignificantLocationChanges,
    ]
    static let heading = [startUpdatingHeading, stopUpdatingHeading]
    static let ranging = [startRangingBeacons, stopRangingBeacons]
    static let liveUpdates = [startLiveUpdates, stopLiveUpdates]

    package static let startMonitoringSignificantLocationChanges = Method(
        "startMonitoringSignificantLocationChanges", "Starts the significant-change service.",
        .startMonitoringSignificantLocationChanges, result: .named("state"), errors: [.limitExceeded],
        coreLocation: "startMonitoringSignificantLocationChanges()", effect: .durable)

    package static let stopMonitoringSignificantLocationChanges = Method(
        "stopMonitoringSignificantLocationChanges", "Stops the significant-change service.",
        .stopMonitoringSignificantLocationChanges, coreLocation: "stopMonitoringSignificantLocationChanges()",
        effect: .durable, undoes: .startMonitoringSignificantLocationChanges)

    package static let startUpdatingHeading = Method(
        "startUpdatingHeading", "Tells where the device points, if something here measures it.",
        .startUpdatingHeading, result: .named("state"), errors: [.limitExceeded],
        coreLocation: "startUpdatingHeading()")

    package static let stopUpdatingHeading = Method(
        "stopUpdatingHeading", "Tells headings no longer; silent after the reply.", .stopUpdatingHeading,
        coreLocation: "stopUpdatingHeading()", undoes: .startUpdatingHeading)

    package static let startRangingBeacons = Method(
        "startRangingBeacons", "Nothing here hears beacons: unavailable, and one rangingDidFail with error 16.",
        BeaconIdentity.uuidMember, BeaconIdentity.majorMember, BeaconIdentity.minorMember, result: .named("state"),
        coreLocation: "startRangingBeacons(satisfying:)", check: BeaconIdentity.check,
        call: { .startRangingBeacons(BeaconIdentity(uuid: $0, major: $1, minor: $2)) },
        values: { if case .startRangingBeacons(let beacons) = $0 { beacons.members } else { nil } })

    package static let stopRangingBeacons = Method(
        "stopRangingBeacons", "Does nothing, since no ranging runs.",
        BeaconIdentity.uuidMember, BeaconIdentity.majorMember, BeaconIdentity.minorMember,
        coreLocation: "stopRangingBeacons(satisfying:)", check: BeaconIdentity.check,
        call: { .stopRangingBeacons(BeaconIdentity(uuid: $0, major: $1, minor: $2)) },
        values: { if case .stopRangingBeacons(let beacons) = $0 { beacons.members } else { nil } })

    package static let startLiveUpdates = Method(
        "startLiveUpdates", "Begins a stream of didUpdate; several at once are possible.",
        optional("configuration", .word, else: .default, "what it is used for; default unless said"),
        result: .named("state"), errors: [.limitExceeded], coreLocation: "CLLocationUpdate.liveUpdates(_:)",
        opens: .updates,
        call: Call.startLiveUpdates,
        values: { if case .startLiveUpdates(let configuration) = $0 { configuration } else { nil } })

    package static let stopLiveUpdates = Method(
        "stopLiveUpdates", "Ends a stream; silent after the reply.", number("updates", of: .updates, "its number"),
        errors: [.notFound], coreLocation: "the end of the iteration over CLLocationUpdate.liveUpdates(_:)",
        closes: .updates,
        call: Call.stopLiveUpdates, values: { if case .stopLiveUpdates(let updates) = $0 { updates } else { nil } })
}

/// Which beacons are meant (CLBeaconIdentityConstraint). Nothing here hears beacons: ranging them answers error 16.
public struct BeaconIdentity: Sendable, Hashable, Codable {
    /// 8-4-4-4-12 hexadecimal digits, capital.
    public var uuid: String
    /// nil: any.
    public var major: UInt16?
    /// Only with `major`; nil: any.
    public var minor: UInt16?

    /// The beacons of `uuid`, of one `major`, or the one of a `minor`.
    public init(uuid: String, major: UInt16? = nil, minor: UInt16? = nil) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }
}

extension BeaconIdentity {
    static let uuidMember = required("uuid", .uuid, "whose beacons")
    static let majorMember = optional(
        "major", .beaconNumber, "which of them, a whole number; any unless said")
    static let minorMember = optional(
        "minor", .beaconNumber, "which of the major's, a whole number; any unless said")

    static let descriptions = [uuidMember.description, majorMember.description, minorMember.description]

    var members: (String, UInt16?, UInt16?) { (uuid, major, minor) }

    @Sendable fileprivate static func check(
        _ given: GivenObject, _ uuid: String, _ major: UInt16?, _ minor: UInt16?
    ) throws(RPCError) {
        if minor != nil, major == nil { throw given.refusal("minor", allowed: "only beside a major") }
    }

    func appendMembers(to writer: inout JSONWriter) {
        BeaconIdentity.uuidMember.write(uuid, &writer)
        BeaconIdentity.majorMember.write(major, &writer)
        BeaconIdentity.minorMember.write(minor, &writer)
    }
}

extension Rule<String> {
    fileprivate static let uuid: Rule = {
        let allowed = "a UUID: 8-4-4-4-12 hexadecimal digits"
        return Rule(
            .string(pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"), allowed: allowed,
            read: { given throws(RPCError) in
                guard let uuid = try given.string(allowed: allowed) else { throw given.refusal(allowed: allowed) }
                let groups = uuid.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
                guard groups.map(\.count) == [8, 4, 4, 4, 12],
                    groups.joined().allSatisfy({ hexadecimalValue($0) != nil })
                else { throw given.refusal(allowed: allowed) }
                return uuid.uppercased()
            }, write: { $1.string($0) })
    }()
}

extension Rule<UInt16> {
    fileprivate static let beaconNumber = Rule(
        .number(minimum: 0, maximum: 65_535), allowed: "a whole number, 0 to 65535",
        value: { $0.integer(UInt16.self) }, write: { $1.integer(UInt64($0)) })
}
