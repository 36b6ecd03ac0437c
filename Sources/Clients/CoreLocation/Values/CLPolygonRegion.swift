// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import LocationModel

/// A polygon on the ground that an app wants to hear of. Only here: Apple's systems know circles alone.
///
/// Its edges are straight in longitude and latitude and join neighbours the shorter way round the Earth.
public final class CLPolygonRegion: CLRegion, @unchecked Sendable {
    let polygon: Polygon

    /// The corners, in order; the first is not repeated at the end.
    public var vertices: [CLLocationCoordinate2D] { polygon.vertices.map(CLLocationCoordinate2D.init) }

    /// The polygon with these corners; a last one that repeats the first is dropped.
    ///
    /// - Parameters:
    ///   - vertices: 3 to 1,000 places. The polygon closes itself, must not cross or touch itself, and must not have a
    ///     pole inside.
    ///   - identifier: The name by which the app knows the region.
    /// - Throws: `CLError.regionMonitoringFailure`, whose description says what is wrong with the corners.
    public init(vertices: [CLLocationCoordinate2D], identifier: String) throws {
        do {
            polygon = try Polygon(vertices: vertices.map(\.modelled))
        } catch {
            throw CLError(.regionMonitoringFailure, userInfo: [NSLocalizedDescriptionKey: error.description])
        }
        super.init(identifier: identifier)
    }

    init(_ polygon: Polygon, identifier: String) {
        self.polygon = polygon
        super.init(identifier: identifier)
    }

    /// Reads an archived polygon; nil if it is not one.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "vertices") else { return nil }
        let numbers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "vertices") as? [Double] ?? []
        let vertices = stride(from: 0, to: numbers.count - 1, by: 2).map {
            Coordinate(latitude: numbers[$0], longitude: numbers[$0 + 1])
        }
        guard let polygon = try? Polygon(vertices: vertices) else { return nil }
        self.polygon = polygon
        super.init(coder: coder)
    }

    /// Writes the corners, bit for bit.
    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let numbers = polygon.vertices.flatMap { [NSNumber(value: $0.latitude), NSNumber(value: $0.longitude)] }
        coder.encode(NSArray(array: numbers), forKey: "vertices")
    }

    /// Whether `coordinate` is in the polygon. The border belongs to it.
    public func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        RegionShape.polygon(polygon).contains(coordinate.modelled)
    }

    /// A polygon that is the same, with flags of its own.
    public override func copy(with zone: NSZone? = nil) -> Any {
        copied(to: CLPolygonRegion(polygon, identifier: identifier))
    }

    /// The kind, identifier and number of corners, for logs.
    public override var description: String {
        "CLPolygonRegion (identifier:'\(identifier)', \(polygon.vertices.count) vertices)"
    }
}
