// SPDX-License-Identifier: Apache-2.0

extension RegionShape {
    /// Whether `place` is in the area or on its border: by the distance along the ellipsoid for a circle, in longitude and latitude
    /// for a polygon.
    public func contains(_ place: Coordinate) -> Bool {
        switch self {
        case .circle(let center, let radius): radius > 0 && center.distance(to: place) <= radius
        case .polygon(let polygon): polygon.signedDistance(to: place) <= 0
        case .beacon: false
        }
    }

    /// Metres from `place` to the border: negative inside, positive outside; infinite for a circle that holds nothing, and for beacons.
    ///
    /// A circle's is as good as `Coordinate.distance(to:)`; a polygon's is right to 1e-3 within 10 km of its border, and grows less
    /// exact beyond (some per cent at hundreds of kilometres).
    public func signedDistance(to place: Coordinate) -> Double {
        switch self {
        case .circle(let center, let radius): radius > 0 ? center.distance(to: place) - radius : .infinity
        case .polygon(let polygon): polygon.signedDistance(to: place)
        case .beacon: .infinity
        }
    }
}

extension Polygon {
    /// As `RegionShape.signedDistance(to:)`.
    func signedDistance(to place: Coordinate) -> Double {
        let frame = LocalFrame(latitude: place.latitude)
        var isInside = false
        var nearest = Double.infinity
        var nearestOffset = LocalOffset(north: 0, east: 0)
        var (fromX, fromY) = degrees(to: vertices[vertices.count - 1], from: place)
        for vertex in vertices {
            let (toX, toY) = degrees(to: vertex, from: place)
            // An edge on the far side of the Earth does not cross the meridian of the place.
            if (fromX <= 0) != (toX <= 0), abs(toX - fromX) < 180 {
                if fromY - fromX * (toY - fromY) / (toX - fromX) > 0 { isInside.toggle() }
            }
            let edgeX = shorterWay(toX - fromX)
            let foot = footOfPerpendicular(fromX: fromX, fromY: fromY, edgeX: edgeX, edgeY: toY - fromY, frame)
            if foot.squaredLength < nearest {
                nearest = foot.squaredLength
                nearestOffset = foot
            }
            (fromX, fromY) = (toX, toY)
        }
        let distance = length(of: nearestOffset, from: place, frame)
        return isInside ? -distance : distance
    }

    private func degrees(to vertex: Coordinate, from place: Coordinate) -> (Double, Double) {
        (shorterWay(vertex.longitude - place.longitude), vertex.latitude - place.latitude)
    }

    /// The way from the place (0, 0) to the point of an edge that is nearest in the metric of `frame`.
    private func footOfPerpendicular(
        fromX: Double, fromY: Double, edgeX: Double, edgeY: Double, _ frame: LocalFrame
    ) -> LocalOffset {
        let (scaleX, scaleY) = (frame.metresPerDegreeOfLongitude, frame.metresPerDegreeOfLatitude)
        let (x, y) = (fromX * scaleX, fromY * scaleY)
        let (dx, dy) = (edgeX * scaleX, edgeY * scaleY)
        let squared = dx * dx + dy * dy
        let fraction = squared > 0 ? min(max(-(x * dx + y * dy) / squared, 0), 1) : 0
        return LocalOffset(north: y + fraction * dy, east: x + fraction * dx)
    }

    private func length(of offset: LocalOffset, from place: Coordinate, _ frame: LocalFrame) -> Double {
        let flat = offset.squaredLength.squareRoot()
        guard flat > 1_000 else { return flat }
        return place.distance(to: frame.place(offset, from: place))
    }
}
