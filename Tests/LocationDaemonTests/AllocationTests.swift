// SPDX-License-Identifier: Apache-2.0
import CAllocationCount
import LocationEngine
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("Memory that the daemon takes for a fix")
struct AllocationTests {
    private static let fixes = 200

    /// Allocations from the engine to the channels, all fixes together, with one client that gets every fix and those that `others` adds.
    private static func count(_ others: (ServiceInMemory) -> Void = { _ in }) throws -> UInt64 {
        let house = try ServiceInMemory { $0.limits.backlogLocations = 64 }
        let reader = house.connect(CountingChannel())
        house.ask(.startUpdatingLocation(resumeAfter: nil), from: reader)
        others(house)
        // What is kept from fix to fix is there after these; so is a backlog.
        for _ in 0..<100 { house.fix() }
        let before = callocationcount_allocations_of_this_thread()
        for _ in 0..<fixes { house.fix() }
        let after = callocationcount_allocations_of_this_thread()
        #expect(reader.outbox.deliveredCount == UInt64(fixes) + 100)
        return after - before
    }

    private static func addFiltered(_ house: ServiceInMemory) {
        for _ in 0..<300 {
            let manager = house.connect(CountingChannel())
            house.ask(.setProperties(PropertiesPatch(distanceFilter: 1_000_000)), from: manager)
            house.ask(.startUpdatingLocation(resumeAfter: nil), from: manager)
        }
    }

    private static func addFull(_ house: ServiceInMemory) {
        for _ in 0..<300 {
            let channel = CountingChannel()
            house.ask(.startUpdatingLocation(resumeAfter: nil), from: house.connect(channel))
            channel.room = 0
        }
    }

    private static func addReaders(_ house: ServiceInMemory) {
        for _ in 0..<300 {
            house.ask(.startUpdatingLocation(resumeAfter: nil), from: house.connect(CountingChannel()))
        }
    }

    /// `most`: for each of them and each fix. A build without optimization makes temporary values that a release does not make.
    static let others: [(name: String, most: Int, add: @Sendable (ServiceInMemory) -> Void)] = [
        ("filtered it out", 0, addFiltered), ("do not read", 5, addFull), ("get it", 6, addReaders),
    ]

    @Test(
        "is none for those who filtered it out, and next to nothing for those who get it or do not read",
        .enabled(if: callocationcount_counts(), "a sanitizer has a malloc of its own"), arguments: others)
    func perClient(_ others: (name: String, most: Int, add: @Sendable (ServiceInMemory) -> Void)) throws {
        let alone = try AllocationTests.count()
        let together = try AllocationTests.count(others.add)
        #expect(together <= alone + UInt64(300 * AllocationTests.fixes * others.most), "300 that \(others.name)")
    }

    @Test(
        "is as much for the last fix as for the first",
        .enabled(if: callocationcount_counts(), "a sanitizer has a malloc of its own"))
    func steady() throws {
        let once = try AllocationTests.count()
        #expect(once <= UInt64(AllocationTests.fixes) * 64)
        #expect(try AllocationTests.count() == once)
    }
}
