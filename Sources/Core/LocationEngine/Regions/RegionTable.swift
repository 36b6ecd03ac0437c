// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// All shapes with their states, and where they are: slots that are used again, a grid over the watched ones, polygons apart.
struct RegionTable: Sendable {
    private(set) var slots: [RegionSlot] = []
    private(set) var grid = RegionGrid()
    private var polygons: [(shape: Polygon, inradius: Double)?] = []
    private var freePolygons: [Int32] = []
    private var firstFree: Int32 = -1

    /// As few slots are looked through one by one sooner than through the grid.
    private static let fewSlots = 4_096

    var watchedCount: Int { grid.count }
    var isSmall: Bool { slots.count <= RegionTable.fewSlots }

    mutating func add(_ shape: RegionShape, _ hysteresis: RegionHysteresis) -> RegionHandle {
        let (center, radius, polygon) = place(of: shape)
        var slot = RegionSlot(
            center: center, radius: radius, polygon: polygon, generation: 0,
            cushion: hysteresis.cushion.map { Float($0) } ?? .nan,
            dwell: hysteresis.dwell.map { Float($0.seconds) } ?? .nan, state: .unknown, flags: [.used],
            level: RegionGrid.level(radius: radius))
        guard firstFree >= 0 else {
            slots.append(slot)
            return RegionHandle(index: Int32(slots.count - 1), generation: 0)
        }
        let index = firstFree
        firstFree = slots[Int(index)].next
        slot.generation = slots[Int(index)].generation
        slots[Int(index)] = slot
        return RegionHandle(index: index, generation: slot.generation)
    }

    /// The slot is free for another shape; it is not watched any more.
    mutating func free(_ index: Int) {
        if slots[index].polygon >= 0 {
            polygons[Int(slots[index].polygon)] = nil
            freePolygons.append(slots[index].polygon)
        }
        slots[index].flags = []
        slots[index].generation &+= 1
        slots[index].next = firstFree
        firstFree = Int32(index)
    }

    private mutating func place(of shape: RegionShape) -> (Coordinate, Double, Int32) {
        switch shape {
        case .circle(let center, let radius): return (center, radius, -1)
        case .polygon(let polygon):
            let circle = polygon.surroundingCircle
            return (circle.center, circle.radius, store((polygon, polygon.roughInradius(in: circle))))
        // Not on the ground: `Borders` keeps beacons apart.
        case .beacon: return (Coordinate(latitude: 0, longitude: 0), 0, -1)
        }
    }

    private mutating func store(_ polygon: (shape: Polygon, inradius: Double)) -> Int32 {
        guard let free = freePolygons.popLast() else {
            polygons.append(polygon)
            return Int32(polygons.count - 1)
        }
        polygons[Int(free)] = polygon
        return free
    }

    mutating func watch(_ index: Int) {
        // The grid hangs up all watched slots anew when it grows: this one is not among them yet.
        grid.insert(index, &slots)
        slots[index].flags.insert(.watched)
    }

    mutating func unwatch(_ index: Int) {
        grid.remove(index, &slots)
        slots[index].flags = [.used]
        slots[index].state = .unknown
    }

    /// The slot of a handle that is not out of date.
    func index(of handle: RegionHandle) -> Int? {
        let index = Int(handle.index)
        guard slots.indices.contains(index), slots[index].flags.contains(.used),
            slots[index].generation == handle.generation
        else { return nil }
        return index
    }

    func handle(_ index: Int) -> RegionHandle {
        RegionHandle(index: Int32(index), generation: slots[index].generation)
    }

    func state(_ index: Int) -> RegionState { slots[index].state.state }
    mutating func setState(_ state: RegionState, _ index: Int) { slots[index].state = RegionSlotState(state) }
    func has(_ flag: RegionSlot.Flags, _ index: Int) -> Bool { slots[index].flags.contains(flag) }
    mutating func set(_ flag: RegionSlot.Flags, _ index: Int) { slots[index].flags.insert(flag) }
    mutating func clear(_ flag: RegionSlot.Flags, _ index: Int) { slots[index].flags.remove(flag) }

    func shape(_ index: Int) -> RegionShape {
        let slot = slots[index]
        if slot.polygon >= 0, let polygon = polygons[Int(slot.polygon)] { return .polygon(polygon.shape) }
        return .circle(center: slot.center, radius: slot.radius)
    }

    func hysteresis(_ index: Int, _ settings: RegionSettings) -> BorderWatch.Hysteresis {
        let slot = slots[index]
        return BorderWatch.Hysteresis(
            cushion: slot.cushion.isNaN ? nil : Double(slot.cushion),
            dwell: slot.dwell.isNaN ? settings.dwell.seconds : Double(slot.dwell), hasOwnDwell: !slot.dwell.isNaN,
            deepest: (slot.polygon >= 0 ? polygons[Int(slot.polygon)]?.inradius ?? 0 : slot.radius) / 2)
    }

    /// The watched slots that contain `place` or whose border may come within `distance` of it; some twice.
    func forEach(within distance: Double, of place: Coordinate, _ body: (Int) -> Void) {
        guard isSmall else { return grid.forEach(within: distance, of: place, slots, body) }
        for index in slots.indices where slots[index].flags.contains(.watched) { body(index) }
    }

    /// Whether the circle of the slot comes within `distance` of `place`.
    func reaches(_ index: Int, within distance: Double, of place: Coordinate) -> Bool {
        slots[index].center.distance(to: place) - slots[index].radius <= distance
    }
}
