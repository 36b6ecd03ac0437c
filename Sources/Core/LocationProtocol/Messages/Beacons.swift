// SPDX-License-Identifier: Apache-2.0

public import LocationModel

// Ranging of beacons, and the programs that hear them.
extension Method {
    static let ranging = [startRangingBeacons, stopRangingBeacons]
    static let beaconProviders = [offerBeacons, withdrawBeacons, reportBeacons]

    package static let startRangingBeacons = Method(
        "startRangingBeacons", "Tells once a second which of the beacons are heard; several at once are possible.",
        BeaconIdentity.uuidMember, BeaconIdentity.majorMember, BeaconIdentity.minorMember, result: .named("state"),
        errors: [.limitExceeded], coreLocation: "startRangingBeacons(satisfying:)", check: BeaconIdentity.check,
        request: { .startRangingBeacons(BeaconIdentity(uuid: $0, major: $1, minor: $2)) },
        values: { if case .startRangingBeacons(let beacons) = $0 { beacons.members } else { nil } })

    package static let stopRangingBeacons = Method(
        "stopRangingBeacons", "Tells of these beacons no longer; silent after the reply.",
        BeaconIdentity.uuidMember, BeaconIdentity.majorMember, BeaconIdentity.minorMember,
        coreLocation: "stopRangingBeacons(satisfying:)", check: BeaconIdentity.check,
        request: { .stopRangingBeacons(BeaconIdentity(uuid: $0, major: $1, minor: $2)) },
        values: { if case .stopRangingBeacons(let beacons) = $0 { beacons.members } else { nil } })

    package static let offerBeacons = Method(
        "offerBeacons", "Says that this connection hears beacons; beaconsWanted follows at once, and with each change.",
        .offerBeacons, errors: [.notPermitted], sender: .provider)

    package static let withdrawBeacons = Method(
        "withdrawBeacons", "Says that this connection hears beacons no longer; silent after the reply.",
        optional("reason", .usageText, "why, for those who range"), errors: [.notPermitted], sender: .provider,
        request: { .withdrawBeacons(reason: $0) },
        values: { request -> (String?)? in if case .withdrawBeacons(let reason) = request { .some(reason) } else { nil }
        })

    package static let reportBeacons = Method(
        "reportBeacons", "Says which beacons were heard; those that nobody wants are passed over.",
        required("sightings", .sightings, "at most \(BeaconSighting.reportedAtOnce)"),
        errors: [.notPermitted, .limitExceeded, .notFound], sender: .provider,
        request: { .reportBeacons($0) },
        values: { request -> [BeaconSighting]? in
            if case .reportBeacons(let sightings) = request { sightings } else { nil }
        }
    )
}

extension BeaconSighting {
    /// Sightings in one report.
    public static let reportedAtOnce = 100

    fileprivate static let rule = Rule<BeaconSighting>.object(
        BeaconIdentity.uuidMember, required("major", .beaconNumber, "the beacon's group, a whole number"),
        required("minor", .beaconNumber, "which of the group, a whole number"),
        optional("rssi", .strength, "how loud, dBm; absent: not known"),
        required("measuredPower", .measuredPower, "how loud it says it is at one metre, dBm"),
        optional("age", .bounded(0...10, unit: "seconds"), else: 0, "seconds since it was heard"),
        make: {
            BeaconSighting(Beacon(uuid: $0, major: $1, minor: $2), rssi: $3, measuredPower: $4, age: $5)
        },
        values: {
            ($0.beacon.uuid, $0.beacon.major, $0.beacon.minor, $0.rssi, $0.measuredPower, $0.age)
        })
}

extension BeaconIdentity {
    fileprivate static let uuidMember = required("uuid", .uuid, "whose beacons")
    fileprivate static let majorMember = optional(
        "major", .beaconNumber, "which of them, a whole number; any unless said")
    fileprivate static let minorMember = optional(
        "minor", .beaconNumber, "which of the major's, a whole number; any unless said")

    static let descriptions = [uuidMember.description, majorMember.description, minorMember.description]

    fileprivate var members: (String, UInt16?, UInt16?) { (uuid, major, minor) }

    @Sendable fileprivate static func check(
        _ given: GivenObject, _ uuid: String, _ major: UInt16?, _ minor: UInt16?
    ) throws(RPCError) {
        if minor != nil, major == nil { throw given.refusal("minor", allowed: "only beside a major") }
    }

    static func read(_ given: GivenObject) throws(RPCError) -> BeaconIdentity {
        let (uuid, major, minor) = (
            try uuidMember.read(given), try majorMember.read(given), try minorMember.read(given)
        )
        try check(given, uuid, major, minor)
        return BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }

    func appendMembers(to writer: inout JSONWriter) {
        BeaconIdentity.uuidMember.write(uuid, &writer)
        BeaconIdentity.majorMember.write(major, &writer)
        BeaconIdentity.minorMember.write(minor, &writer)
    }
}

extension BeaconIdentity {
    /// Reads `UUID[,MAJOR[,MINOR]]`, as people write it; nil for anything else.
    package init?(text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().compactMap { UInt16($0) }
        guard let uuid = parts.first, isUUID(uuid), numbers.count == parts.count - 1, numbers.count <= 2 else {
            return nil
        }
        self.init(uuid: uuid.uppercased(), major: numbers.first, minor: numbers.dropFirst().first)
    }

    /// `UUID[,MAJOR[,MINOR]]`.
    package var text: String { ([uuid] + [major, minor].compactMap { $0.map { "\($0)" } }).joined(separator: ",") }
}

/// Whether `text` is 8-4-4-4-12 hexadecimal digits.
private func isUUID(_ text: some StringProtocol) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy { hexadecimalValue($0) != nil }
}

extension Rule<String> {
    fileprivate static let uuid: Rule = {
        let allowed = "a UUID: 8-4-4-4-12 hexadecimal digits"
        return Rule(
            .string(pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"), allowed: allowed,
            read: { given throws(RPCError) in
                guard let uuid = try given.string(allowed: allowed), isUUID(uuid) else {
                    throw given.refusal(allowed: allowed)
                }
                return uuid.uppercased()
            }, write: { $1.string($0) })
    }()
}

extension Rule<UInt16> {
    fileprivate static let beaconNumber = Rule(
        .number(minimum: 0, maximum: 65_535), allowed: "a whole number, 0 to 65535",
        value: { $0.integer(UInt16.self) }, write: { $1.integer(UInt64($0)) })
}

extension Rule<Int> {
    fileprivate static let strength = whole(-127...20)
    fileprivate static let measuredPower = whole(-128...127)

    private static func whole(_ range: ClosedRange<Int>) -> Rule {
        Rule(
            .number(minimum: Double(range.lowerBound), maximum: Double(range.upperBound)),
            allowed: "a whole number, \(range.lowerBound) to \(range.upperBound)",
            value: { $0.integer(Int.self).flatMap { range.contains($0) ? $0 : nil } }, write: { $1.integer($0) })
    }
}

extension Rule<[BeaconSighting]> {
    fileprivate static let sightings = array(of: BeaconSighting.rule, upTo: BeaconSighting.reportedAtOnce)
}
