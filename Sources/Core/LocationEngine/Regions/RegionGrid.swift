// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Where shapes are on the Earth: grids of cells, each twice as coarse as the one before, a shape in the finest one whose cells are as
/// large as it is. Chains of slots hang on a table of hashed cells, so an empty cell costs nothing, and a slot 8 bytes and its 4 here.
///
/// Cells that share a place of the table share a chain: a query finds a few shapes too many, and some twice.
struct RegionGrid: Sendable {
    private var heads: [Int32] = Array(repeating: -1, count: 64)
    private var counts: [Int32] = Array(repeating: 0, count: RegionGrid.levels)
    private(set) var count = 0

    private static let levels = 18
    /// Metres: the largest radius in the finest grid.
    private static let finestRadius = 256.0
    /// No degree of latitude is shorter, metres.
    private static let shortestDegree = 110_500.0
    /// No cosine is asked for closer to a pole, degrees of latitude.
    private static let polarCircle = 89.5

    /// The grid for shapes of `radius`, metres.
    static func level(radius: Double) -> UInt8 {
        var (level, limit) = (0, finestRadius)
        while radius > limit, level < levels - 1 { (level, limit) = (level + 1, limit * 2) }
        return UInt8(level)
    }

    mutating func insert(_ index: Int, _ slots: inout [RegionSlot]) {
        if count >= heads.count { grow(&slots) }
        link(index, &slots)
        count += 1
        counts[Int(slots[index].level)] += 1
    }

    mutating func remove(_ index: Int, _ slots: inout [RegionSlot]) {
        let (next, previous) = (slots[index].next, slots[index].previous)
        if next >= 0 { slots[Int(next)].previous = previous }
        if previous >= 0 { slots[Int(previous)].next = next } else { heads[place(of: slots[index])] = next }
        (slots[index].next, slots[index].previous) = (-1, -1)
        count -= 1
        counts[Int(slots[index].level)] -= 1
    }

    private mutating func link(_ index: Int, _ slots: inout [RegionSlot]) {
        let place = place(of: slots[index])
        let head = heads[place]
        if head >= 0 { slots[Int(head)].previous = Int32(index) }
        slots[index].next = head
        slots[index].previous = -1
        heads[place] = Int32(index)
    }

    private mutating func grow(_ slots: inout [RegionSlot]) {
        heads = Array(repeating: -1, count: heads.count * 2)
        for index in slots.indices where slots[index].flags.contains(.watched) { link(index, &slots) }
    }

    /// Calls `body` with every slot whose circle may come within `distance`, metres, of `place`.
    func forEach(
        within distance: Double, of place: Coordinate, _ slots: [RegionSlot], _ body: (Int) -> Void
    ) {
        for level in 0..<RegionGrid.levels where counts[level] > 0 {
            let reach = (distance + RegionGrid.finestRadius * Double(1 << level)) * 1.01
            let height = RegionGrid.height(level)
            let span = reach / RegionGrid.shortestDegree
            let lowest = RegionGrid.row(max(place.latitude - span, -90), height)
            let highest = RegionGrid.row(min(place.latitude + span, 90), height)
            let farthest = abs(place.latitude) + span
            let turn =
                farthest < RegionGrid.polarCircle
                ? reach * 1.01 / LocalFrame(latitude: farthest).metresPerDegreeOfLongitude : 360
            for row in lowest...highest {
                let columns = RegionGrid.columns(row, height)
                let width = 360 / Double(columns)
                let first = Int(((place.longitude + 180 - turn) / width).rounded(.down))
                let last = min(Int(((place.longitude + 180 + turn) / width).rounded(.down)), first + columns - 1)
                for column in first...last {
                    let wrapped = (column % columns + columns) % columns
                    var index = heads[RegionGrid.hash(level, row, wrapped) & (heads.count - 1)]
                    while index >= 0 {
                        body(Int(index))
                        index = slots[Int(index)].next
                    }
                }
            }
        }
    }

    private func place(of slot: RegionSlot) -> Int {
        let height = RegionGrid.height(Int(slot.level))
        let row = RegionGrid.row(slot.center.latitude, height)
        let columns = RegionGrid.columns(row, height)
        let column = Int(((slot.center.longitude + 180) / 360 * Double(columns)).rounded(.down)) % columns
        return RegionGrid.hash(Int(slot.level), row, column) & (heads.count - 1)
    }

    /// Degrees of latitude of a cell.
    private static func height(_ level: Int) -> Double {
        finestRadius * Double(2 << level) / shortestDegree
    }

    private static func row(_ latitude: Double, _ height: Double) -> Int {
        Int(((latitude + 90) / height).rounded(.down))
    }

    /// Cells round the Earth, about as wide as high in the middle of the row.
    private static func columns(_ row: Int, _ height: Double) -> Int {
        let middle = min((Double(row) + 0.5) * height - 90, 90)
        let around = 360 * LocalFrame(latitude: middle).metresPerDegreeOfLongitude
        return max(Int(around / (height * shortestDegree)), 1)
    }

    /// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
    private static func hash(_ level: Int, _ row: Int, _ column: Int) -> Int {
        var mixed = UInt64(truncatingIfNeeded: (row << 34) ^ (column << 5) ^ level)
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) >> 1)
    }
}
