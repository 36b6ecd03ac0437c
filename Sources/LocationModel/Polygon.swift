// SPDX-License-Identifier: Apache-2.0

/// A closed line on the ground: edges are straight in longitude and latitude, neighbours joined the shorter way round the Earth.
///
/// 3 to 1,000 vertices, closes itself, does not cross itself, no pole inside (protocol.md 2).
public struct Polygon: Sendable, Hashable {
    /// In order, the first not repeated at the end.
    public let vertices: [Coordinate]

    /// A polygon that was checked before.
    package init(unchecked vertices: [Coordinate]) { self.vertices = vertices }
}
