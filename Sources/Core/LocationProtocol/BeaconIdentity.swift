// SPDX-License-Identifier: Apache-2.0

/// Which beacons are meant (CLBeaconIdentityConstraint). Nothing here hears beacons: ranging them answers error 16.
public struct BeaconIdentity: Sendable, Hashable, Codable {
    /// The members on the wire.
    package enum Member: String, CodingKey, CaseIterable { case uuid, major, minor }

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

    static let uuidPattern = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
}

extension BeaconIdentity {
    /// Reads the parameters of a request.
    init(_ reader: ParameterReader<Member>) throws(RPCError) {
        let allowed = "a UUID: 8-4-4-4-12 hexadecimal digits"
        let uuid = try reader.required(reader.string(.uuid, allowed: allowed), .uuid, allowed: allowed)
        let groups = uuid.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12],
            groups.joined().allSatisfy({ hexadecimalValue($0) != nil })
        else { throw reader.refusal(.uuid, allowed: allowed) }
        let numbers = "a whole number, 0 to 65535"
        self.init(
            uuid: uuid.uppercased(), major: try reader.value(.major, UInt16.self, allowed: numbers),
            minor: try reader.value(.minor, UInt16.self, allowed: numbers))
        if minor != nil, major == nil { throw reader.refusal(.minor, allowed: "only beside a major") }
    }

    func appendMembers(to writer: inout JSONWriter) {
        writer.member("uuid", uuid)
        if let major { writer.member("major", UInt64(major)) }
        if let minor { writer.member("minor", UInt64(minor)) }
    }
}
