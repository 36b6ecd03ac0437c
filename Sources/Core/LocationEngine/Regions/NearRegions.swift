// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A border that the device can reach before the table is asked again.
struct NearRegion: Sendable {
    /// Metres travelled, by the estimates: before that the device cannot be at the border.
    var due: Double
    var index: Int32
    var watch: BorderWatch
}

/// The near borders, ordered by slot, and from where they are near.
struct NearRegions: Sendable {
    private(set) var regions: [NearRegion] = []
    /// Where the table was asked, how far around, and how much had been travelled then.
    var home: (place: Coordinate, reach: Double, travelled: Double)?

    subscript(position: Int) -> NearRegion {
        _read { yield regions[position] }
        _modify { yield &regions[position] }
    }

    var indices: Range<Int> { regions.indices }

    /// Puts `region` where its slot belongs, or at the end for `sort`.
    mutating func append(_ region: NearRegion) { regions.append(region) }

    mutating func sort() { regions.sort { $0.index < $1.index } }

    mutating func remove(_ index: Int) {
        var (low, high) = (0, regions.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(regions[middle].index) < index { low = middle + 1 } else { high = middle }
        }
        if low < regions.count, Int(regions[low].index) == index { regions.remove(at: low) }
    }

    /// Keeps those that `isKept` wants.
    mutating func removeAll(where isDropped: (NearRegion) -> Bool) { regions.removeAll(where: isDropped) }
}
