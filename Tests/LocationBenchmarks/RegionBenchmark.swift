// SPDX-License-Identifier: Apache-2.0
import CAllocationCount
import LocationEngine
import LocationModel
import LocationTracks

/// What a fix costs with many circles on a drive of an hour, beside looking at all of them and beside SQLite's R*Tree.
enum RegionBenchmark {
    private static let city = Coordinate(latitude: 48.14, longitude: 11.58)

    static func run() throws {
        print("regions: circles of 100 m, a drive of an hour at 1 Hz and 15 m/s; crossings in brackets")
        print(
            "  circles    where    ns/fix   worst us   allocations/fix   bytes each   add+remove ns   scan ns/fix   R*Tree ns/fix   bytes each"
        )
        for count in [10, 1_000, 100_000, 1_000_000] {
            for isCity in [false, true] { try measure(count, isCity: isCity) }
        }
        print("")
    }

    private static func measure(_ count: Int, isCity: Bool) throws {
        var random = NoiseGenerator(seed: 1)
        let centers = (0..<count).map { _ in
            let metres = isCity ? 15_000.0 : 300_000
            return city.moved(by: random.uniform(-metres...metres), course: 0)
                .moved(by: random.uniform(-metres...metres), course: 90)
        }
        let drive = drive(&random)
        let before = memoryInUse()
        var monitor = RegionMonitor()
        for center in centers { _ = monitor.add(.circle(center: center, radius: 100), state: .outside) }
        // Pages are too coarse for a few.
        let bytes = count < 100_000 ? .nan : Double(memoryInUse() - before) / Double(count)
        var crossings: [RegionCrossing] = []
        crossings.reserveCapacity(100_000)
        let fixes = measureFixes(&monitor, drive, into: &crossings)
        let changes = measureChanges(&monitor, centers)
        let scan = measureScan(centers, drive.prefix(count > 10_000 ? 10 : 1_000))
        let tree = try RTree(centers, radius: 100)
        let treeTime = try tree.measure(drive)
        print(
            "  \(padded("\(count)", 10)) \(padded(isCity ? "city" : "country", 8)) \(padded(fixed(fixes.mean, 0), 8)) \(padded(fixed(fixes.worst / 1000, 0), 10)) \(padded(fixed(fixes.allocations, 3), 17)) \(padded(fixed(bytes, 0), 12)) \(padded(fixed(changes, 0), 15)) \(padded(fixed(scan, 0), 13)) \(padded(fixed(treeTime, 0), 15)) \(fixed(tree.bytesEach, 0))   (\(crossings.count))"
        )
    }

    /// Turns now and then, and comes back when it is 12 km from the middle.
    private static func drive(_ random: inout NoiseGenerator) -> [Location] {
        var place = city
        var course = 45.0
        return (0..<3_600).map { second in
            if second % 60 == 0 { course += random.uniform(-90...90) }
            if place.distance(to: city) > 12_000 { course += 6 }
            place = place.moved(by: 15, course: course)
            return Location(
                coordinate: place.moved(by: random.gaussian() * 3, course: random.uniform(0...360)),
                horizontalAccuracy: 5, timestamp: WallTime(milliseconds: 1_700_000_000_000 + Int64(second) * 1000))
        }
    }

    private static func measureFixes(
        _ monitor: inout RegionMonitor, _ drive: [Location], into crossings: inout [RegionCrossing]
    ) -> (mean: Double, worst: Double, allocations: Double) {
        let settings = RegionSettings()
        var now = BootInstant(nanoseconds: 0)
        // The first fix looks at every region once.
        monitor.process(drive[0], at: now, settings, into: &crossings)
        var worst: Int64 = 0
        let allocations = callocationcount_allocations()
        let begin = nanoseconds()
        for location in drive.dropFirst() {
            now = now + .seconds(1)
            let start = nanoseconds()
            monitor.process(location, at: now, settings, into: &crossings)
            worst = max(worst, nanoseconds() - start)
        }
        let steps = Double(drive.count - 1)
        return (
            Double(nanoseconds() - begin) / steps, Double(worst),
            Double(callocationcount_allocations() - allocations) / steps
        )
    }

    private static func measureChanges(_ monitor: inout RegionMonitor, _ centers: [Coordinate]) -> Double {
        let rounds = 100_000
        let begin = nanoseconds()
        for round in 0..<rounds {
            let handle = monitor.add(.circle(center: centers[round % centers.count], radius: 100))
            monitor.remove(handle)
        }
        return Double(nanoseconds() - begin) / Double(rounds)
    }

    private static func measureScan(_ centers: [Coordinate], _ drive: ArraySlice<Location>) -> Double {
        var inside = 0
        let begin = nanoseconds()
        for location in drive {
            for center in centers where center.distance(to: location.coordinate) <= 100 { inside += 1 }
        }
        let time = Double(nanoseconds() - begin) / Double(drive.count)
        precondition(inside >= 0)
        return time
    }

    /// Bytes: what the process has in memory, in whole pages.
    private static func memoryInUse() -> Int {
        let pages = (readText("/proc/self/statm") ?? "").split(separator: " ").dropFirst().first
        return (pages.flatMap { Int($0) } ?? 0) * 4_096
    }
}
