// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@Suite("Borders")
struct RegionGeometryTests {
    @Test("a circle goes by the distance along the ellipsoid, as Core Location's")
    func coreLocation() {
        let center = Coordinate(latitude: 31.2304, longitude: 121.4737)
        let circle = RegionShape.circle(center: center, radius: 500)
        #expect(!circle.contains(Coordinate(latitude: 31.2354, longitude: 121.4737)))
        #expect(circle.contains(Coordinate(latitude: 31.2304, longitude: 121.4787)))
        #expect(circle.contains(center))
        #expect(!RegionShape.circle(center: center, radius: -1).contains(center))
        #expect(!RegionShape.circle(center: center, radius: 0).contains(center))
    }

    @Test("the distance to a circle's border is right to a metre, from 1 m to 2,000 km", .tellsSeed)
    func circles() {
        var random = SplitMix64()
        for radius in [1.0, 30, 100, 5_000, 100_000, 2_000_000] {
            for _ in 0..<50 {
                let center = Coordinate(latitude: random.uniform(-85...85), longitude: random.uniform(-180...180))
                let place = Coordinate(latitude: random.uniform(-85...85), longitude: random.uniform(-180...180))
                let circle = RegionShape.circle(center: center, radius: radius)
                let distance = circle.signedDistance(to: place)
                #expect(abs(distance - (center.distance(to: place) - radius)) < 1)
                #expect(circle.contains(place) == (distance <= 0))
            }
        }
    }

    @Test("the distance to a polygon's border is right to a metre on both sides, over the antimeridian too")
    func polygonBorder() throws {
        for longitude in [11.5, 180, -179.995, 0.003] {
            let corner = Coordinate(latitude: 48, longitude: longitude)
            let square = RegionShape.polygon(try Polygon(vertices: square(corner)))
            for metres in [-400.0, -50, -1, 1, 50, 400, 9_000] {
                // Over the middle of the southern edge.
                let south = corner.moved(by: 1_000, course: 90).moved(by: metres, course: 180)
                let said = square.signedDistance(to: south)
                #expect(abs(said - metres) < max(1, abs(metres) * 1e-3), "\(longitude) \(metres): \(said)")
                #expect(square.contains(south) == (metres < 0))
            }
        }
    }

    @Test(
        "the circle around a polygon holds all of its border and is little larger, from a house to a continent",
        .tellsSeed)
    func surroundingCircle() throws {
        var random = SplitMix64()
        for size in [20.0, 2_000, 50_000, 400_000, 2_000_000] {
            for _ in 0..<20 {
                let center = Coordinate(latitude: random.uniform(-65...65), longitude: random.uniform(-180...180))
                let corners = (0..<9).map { corner in
                    center.moved(by: random.uniform(size / 2...size), course: Double(corner) * 40)
                }
                guard let polygon = try? Polygon(vertices: corners) else { continue }
                let circle = polygon.surroundingCircle
                var farthest = 0.0
                for (from, to) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
                    for part in 0..<40 {
                        let point = from.interpolated(to: to, Double(part) / 40)
                        farthest = max(farthest, circle.center.distance(to: point))
                    }
                }
                #expect(farthest <= circle.radius, "\(size) m at \(center)")
                #expect(circle.radius <= farthest * 1.03 + 2, "\(size) m at \(center)")
            }
        }
    }

    @Test("what a polygon holds does not depend on where its vertices are counted from", .tellsSeed)
    func rotation() throws {
        var random = SplitMix64()
        let corners = (0..<12).map { corner in
            Coordinate.munich.moved(by: random.uniform(500...3_000), course: Double(corner) * 30)
        }
        let one = RegionShape.polygon(try Polygon(vertices: corners))
        let other = RegionShape.polygon(try Polygon(vertices: Array((corners[5...] + corners[..<5]).reversed())))
        for _ in 0..<2_000 {
            let place = Coordinate.munich.moved(by: random.uniform(0...4_000), course: random.uniform(0...360))
            #expect(abs(one.signedDistance(to: place) - other.signedDistance(to: place)) < 1e-6)
        }
        // A meridian through vertices is crossed once.
        for corner in corners {
            let below = Coordinate(latitude: corner.latitude - 1, longitude: corner.longitude)
            #expect(!one.contains(below))
        }
    }

    @Test("a straight way enters and leaves a circle where its border is")
    func circlePassage() throws {
        let circle = RegionShape.circle(center: .munich, radius: 100)
        let west = Coordinate.munich.moved(by: 500, course: 270)
        let east = Coordinate.munich.moved(by: 500, course: 90)
        let through = try #require(circle.passage(from: west, to: east))
        #expect(abs(through.entry - 0.4) < 1e-3)
        #expect(abs(through.exit - 0.6) < 1e-3)
        #expect(abs(through.depth - 100) < 0.1)
        let out = try #require(circle.passage(from: .munich, to: east))
        #expect(out.entry == 0)
        #expect(abs(out.exit - 0.2) < 1e-3)
        let past = Coordinate.munich.moved(by: 120, course: 0)
        #expect(circle.passage(from: past.moved(by: 500, course: 270), to: past.moved(by: 500, course: 90)) == nil)
    }

    @Test("a straight way enters and leaves a polygon where its border is, over the antimeridian too")
    func polygonPassage() throws {
        for longitude in [11.5, 179.99, -180] {
            let corner = Coordinate(latitude: 48, longitude: longitude)
            let square = RegionShape.polygon(try Polygon(vertices: square(corner)))
            let west = corner.moved(by: 1_000, course: 0).moved(by: 1_000, course: 270)
            let east = west.moved(by: 4_000, course: 90)
            let through = try #require(square.passage(from: west, to: east))
            #expect(abs(through.entry - 0.25) < 1e-3)
            #expect(abs(through.exit - 0.75) < 1e-3)
            #expect(abs(through.depth - 1_000) < 10)
            #expect(square.passage(from: west, to: west.moved(by: 900, course: 90)) == nil)
        }
    }

    /// 2 km to a side, from its south-western corner.
    private func square(_ corner: Coordinate) -> [Coordinate] {
        let east = corner.moved(by: 2_000, course: 90)
        return [corner, east, east.moved(by: 2_000, course: 0), corner.moved(by: 2_000, course: 0)]
    }
}
