// SPDX-License-Identifier: Apache-2.0

import LocationModel

/// The widest cushion and the longest dwell that a region may have, and what messages say of them.
package enum RegionLimits {
    /// Metres.
    package static let cushion = 0.0...100_000.0
    /// Seconds.
    package static let dwell = 0.0...86_400.0
    /// The fewest and the most vertices of a polygon.
    package static let vertices = 3...1000

    static let vertexRule =
        "an array of 3 to 1000 [latitude, longitude], a polygon that does not cross itself and has no pole inside"
}

extension Region {
    /// Reads a request's `region`.
    init(_ reader: ParameterReader<RegionMember>) throws(RPCError) {
        self.init(
            identifier: try reader.required(reader.name(.identifier), .identifier, allowed: nameRule),
            shape: try Region.shape(reader),
            notifyOnEntry: try reader.flag(.notifyOnEntry) ?? true,
            notifyOnExit: try reader.flag(.notifyOnExit) ?? true,
            hysteresis: RegionHysteresis(
                cushion: try Region.bounded(reader, .cushion, RegionLimits.cushion, unit: "metres"),
                dwell: try Region.bounded(reader, .dwell, RegionLimits.dwell, unit: "seconds")
                    .map { TimeSpan.seconds($0) }))
    }

    private static func shape(_ reader: ParameterReader<RegionMember>) throws(RPCError) -> RegionShape {
        guard reader.has(.vertices) else { return try .circle(reader, center: .center, radius: .radius) }
        for member in [RegionMember.center, .radius] where reader.has(member) {
            throw reader.refusal(
                member, allowed: "either center and radius or vertices", given: "it beside vertices")
        }
        return try .polygon(reader, vertices: .vertices)
    }

    private static func bounded(
        _ reader: ParameterReader<RegionMember>, _ member: RegionMember, _ range: ClosedRange<Double>, unit: String
    ) throws(RPCError) -> Double? {
        let allowed = "a number of \(unit), 0 to \(Int(range.upperBound))"
        guard let number = try reader.number(member, allowed: allowed) else { return nil }
        guard range.contains(number) else { throw reader.refusal(member, allowed: allowed) }
        return number
    }
}

extension RegionShape {
    /// Reads a request's `condition`.
    init(_ reader: ParameterReader<ConditionMember>) throws(RPCError) {
        let allowed = "one of " + ConditionType.words.joined(separator: ", ")
        switch try reader.required(reader.word(.type, ConditionType.self), .type, allowed: allowed) {
        case .circle:
            try RegionShape.refuse([.vertices], in: reader, because: "beside the type circle")
            self = try .circle(reader, center: .center, radius: .radius)
        case .polygon:
            try RegionShape.refuse([.center, .radius], in: reader, because: "beside the type polygon")
            self = try .polygon(reader, vertices: .vertices)
        }
    }

    private static func refuse(
        _ members: [ConditionMember], in reader: ParameterReader<ConditionMember>, because reason: String
    ) throws(RPCError) {
        for member in members where reader.has(member) {
            throw reader.refusal(
                member, allowed: "center and radius with circle, vertices with polygon", given: "it \(reason)")
        }
    }

    fileprivate static func circle<Member>(
        _ reader: ParameterReader<Member>, center: Member, radius: Member
    ) throws(RPCError) -> RegionShape {
        let place = try reader.required(
            reader.object(center), center, allowed: "an object with latitude and longitude")
        let coordinate = try Coordinate(try ParameterReader(place, path: reader.path(to: center)))
        // How large a region may be is Core Location's to say, by an error that the delegate gets.
        let allowed = "a number of metres, more than 0"
        let metres = try reader.required(reader.number(radius, allowed: allowed), radius, allowed: allowed)
        guard metres > 0 else { throw reader.refusal(radius, allowed: allowed) }
        return .circle(center: coordinate, radius: metres)
    }

    fileprivate static func polygon<Member>(
        _ reader: ParameterReader<Member>, vertices: Member
    ) throws(RPCError) -> RegionShape {
        let allowed = RegionLimits.vertexRule
        let pairs = try reader.required(
            reader.value(vertices, [[Double]].self, allowed: allowed), vertices, allowed: allowed)
        var coordinates: [Coordinate] = []
        coordinates.reserveCapacity(pairs.count)
        for (index, pair) in pairs.enumerated() {
            guard pair.count == 2 else {
                throw reader.refusal(
                    vertices, allowed: allowed, given: "\(pair.count) numbers as the vertex \(index)")
            }
            let coordinate = Coordinate(latitude: pair[0], longitude: pair[1])
            guard coordinate.isValid else {
                throw reader.refusal(
                    vertices, allowed: "latitudes of -90 to 90 and longitudes of -180 to 180",
                    given: "[\(pair[0]), \(pair[1])] as the vertex \(index)")
            }
            coordinates.append(coordinate)
        }
        do {
            return .polygon(try Polygon(vertices: coordinates))
        } catch {
            var reason = error.reason
            if case .vertexCount(let count) = error, count < coordinates.count {
                reason += ", and the last one repeats the first"
            }
            throw reader.refusal(vertices, because: reason)
        }
    }
}

extension Coordinate {
    fileprivate init(_ reader: ParameterReader<CoordinateMember>) throws(RPCError) {
        func degrees(_ member: CoordinateMember, _ limit: Double) throws(RPCError) -> Double {
            let allowed = "a number of degrees, -\(Int(limit)) to \(Int(limit))"
            let number = try reader.required(reader.number(member, allowed: allowed), member, allowed: allowed)
            guard abs(number) <= limit else { throw reader.refusal(member, allowed: allowed) }
            return number
        }
        self.init(latitude: try degrees(.latitude, 90), longitude: try degrees(.longitude, 180))
    }
}
