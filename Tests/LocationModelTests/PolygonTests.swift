// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@Suite("Polygons")
struct PolygonTests {
    @Test("a last vertex that repeats the first is dropped")
    func closing() throws {
        let polygon = try Polygon(vertices: places((0, 0), (0, 1), (1, 1), (0, 0)))
        #expect(polygon.vertices == places((0, 0), (0, 1), (1, 1)))
    }

    static let wrong: [([Coordinate], PolygonError)] = [
        ([], .vertexCount(0)),
        (places((0, 0), (1, 1), (0, 0)), .vertexCount(2)),
        (places((0, 0), (0, 91), (91, 0)), .invalidVertex(2)),
        (places((0, 0), (0, 1), (.nan, 1)), .invalidVertex(2)),
        (places((0, 0), (0, 1), (0, 1), (1, 1)), .repeatedVertex(2)),
        (places((0, 180), (0, -180), (1, 179)), .repeatedVertex(1)),
        (places((0, 0), (0, 180), (1, 90)), .edgeHalfRound(1)),
        // A bow tie.
        (places((0, 0), (1, 1), (1, 0), (0, 1)), .edgesCross(0, 2)),
        // A vertex on another edge.
        (places((0, 0), (0, 2), (2, 2), (0, 1), (2, 0)), .edgesCross(0, 2)),
        // There and back on the same line.
        (places((0, 0), (0, 2), (0, 1)), .edgesCross(0, 1)),
        // A bow tie on the antimeridian.
        (places((0, 179), (1, -179), (1, 179), (0, -179)), .edgesCross(0, 2)),
        (places((80, 0), (80, 120), (80, -120)), .poleInside),
        (places((-80, 0), (-80, 120), (-90, -120)), .poleInside),
    ]

    @Test("vertices that make no polygon are refused, with what is wrong with which", arguments: wrong.indices)
    func refused(index: Int) {
        let (vertices, error) = PolygonTests.wrong[index]
        #expect(throws: error) { try Polygon(vertices: vertices) }
        #expect(error.description.hasPrefix("cannot use the polygon: "))
    }

    @Test("1,000 vertices are allowed, 1,001 are not")
    func count() throws {
        let round = (0..<1_001).map { Coordinate.munich.moved(by: 5_000, course: Double($0) * 360 / 1_001) }
        #expect(throws: PolygonError.vertexCount(1_001)) { try Polygon(vertices: round) }
        #expect(try Polygon(vertices: Array(round.dropLast())).vertices.count == 1_000)
    }

    @Test("a star of chance is a polygon, and a circle with two vertices exchanged is none", .tellsSeed)
    func stars() throws {
        var random = SplitMix64()
        for _ in 0..<200 {
            let count = Int.random(in: 5...40, using: &random)
            let center = Coordinate(latitude: random.uniform(-70...70), longitude: random.uniform(-180...180))
            let star = (0..<count).map { corner in
                center.moved(by: random.uniform(500...3_000), course: (Double(corner) + 0.5) * 360 / Double(count))
            }
            let polygon = try Polygon(vertices: star)
            #expect(RegionShape.polygon(polygon).contains(center))
            // Of points on a circle only their own order makes no crossing.
            var crossed = (0..<count).map { center.moved(by: 2_000, course: Double($0) * 360 / Double(count)) }
            crossed.swapAt(0, count / 2)
            #expect(throws: PolygonError.self) { try Polygon(vertices: crossed) }
        }
    }
}

extension Coordinate {
    static let munich = Coordinate(latitude: 48.1, longitude: 11.5)
}

private func places(_ pairs: (Double, Double)...) -> [Coordinate] {
    pairs.map { Coordinate(latitude: $0.0, longitude: $0.1) }
}
