// SPDX-License-Identifier: Apache-2.0

// How conditions are written and read, for programs that keep them; a monitor keeps its own at the daemon. `CLLocationCoordinate2D` is
// left without a coding, which a program may want to add itself.

private struct CodedPlace: Codable {
    let latitude: CLLocationDegrees
    let longitude: CLLocationDegrees

    init(_ place: CLLocationCoordinate2D) { (latitude, longitude) = (place.latitude, place.longitude) }

    var place: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
}

extension CLMonitor.CircularGeographicCondition {
    private enum CodingKeys: String, CodingKey { case center, radius }

    /// Reads what `encode(to:)` wrote; nothing is checked, as in `init(center:radius:)`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            center: try values.decode(CodedPlace.self, forKey: .center).place,
            radius: try values.decode(CLLocationDistance.self, forKey: .radius))
    }

    /// Writes the middle, degrees, and the radius, metres.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(CodedPlace(center), forKey: .center)
        try values.encode(radius, forKey: .radius)
    }
}

extension CLMonitor.PolygonGeographicCondition {
    private enum CodingKeys: String, CodingKey { case vertices }

    /// Reads what `encode(to:)` wrote; nothing is checked, as in `init(vertices:)`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(vertices: try values.decode([CodedPlace].self, forKey: .vertices).map(\.place))
    }

    /// Writes the corners, degrees.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(vertices.map(CodedPlace.init), forKey: .vertices)
    }
}
