// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import LocationUplink
import Testing

/// The uplink, the daemon, the broker and the way between them fail at any time: only what must always hold is checked.
@Suite("The uplink in disorder", .tellsSeed)
struct DisorderTests {
    private static func options(
        _ backlog: BacklogRule, batch: Double = 0, _ carrier: UplinkCarrier = .broker
    ) -> UplinkOptions {
        var options = UplinkOptions(
            topics: Topics(location: "owntracks/u/d"),
            writer: OwnTracks(device: "u/d", trackerID: "ud", monitoring: 2))
        options.backlog = backlog
        options.batch = .seconds(batch)
        options.carrier = carrier
        return options
    }

    private static func step(_ world: inout UplinkWorld) {
        switch world.random.below(100) {
        case 0..<40: world.fix()
        case 40..<55: world.deliverLive()
        case 55..<65: world.readOn()
        case 65..<75: world.takeMessages()
        case 75..<85: world.acknowledge()
        case 85..<88: world.answer()
        case 88..<90: world.cross()
        case 90: world.restart()
        case 91: world.loseBroker()
        case 92:
            world.isBrokerRunning.toggle()
            if !world.isBrokerRunning { world.loseBroker() }
        case 93:
            world.isDaemonRunning.toggle()
            if world.isDaemonRunning { world.connectDaemon() } else { world.loseDaemon() }
        case 94: for _ in 0..<world.random.below(400) { world.fix() }
        default: world.pass(world.random.uniform(0...20))
        }
    }

    private static func live(_ options: UplinkOptions, seed: UInt64) throws -> UplinkWorld {
        var world = UplinkWorld(options, seed: seed)
        world.fix()
        // What was there before the first that came live is not its business.
        world.excused = 0...(world.log.last?.sequence ?? 0)
        world.restart()
        world.fix()
        world.deliverLive()
        world.log.removeFirst()
        for _ in 0..<800 { step(&world) }
        try world.settle()
        #expect(world.faults.isEmpty, "\(world.faults.prefix(5)) \(world.random)")
        return world
    }

    @Test(arguments: SplitMix64.seeds(24))
    func `every fix arrives at least once, under one identifier, and in the order of the rules`(seed: UInt64) throws {
        let options = Self.options(.same, batch: seed % 3 == 0 ? 60 : 0, seed % 2 == 0 ? .server : .broker)
        let world = try Self.live(options, seed: seed)
        let locations = world.arrivals.filter { $0.sequence != nil }
        #expect(Set(locations.compactMap(\.sequence)) == Set(world.log.map(\.sequence)), "\(world.random)")
        #expect(Set(locations.map(\.id)).count == world.log.count, "\(world.random)")
        #expect(world.retained == "u/d-\(world.log.last?.sequence ?? 0)", "\(world.random)")
        // On each connection the newest may go ahead, and what is older comes in order.
        for (_, arrivals) in Dictionary(grouping: locations, by: \.connection) {
            var (newest, late): (UInt64, UInt64) = (0, 0)
            for sequence in arrivals.compactMap(\.sequence) {
                if sequence > newest {
                    newest = sequence
                } else {
                    #expect(sequence > late, "\(world.random)")
                    late = sequence
                }
            }
        }
    }

    @Test(arguments: SplitMix64.seeds(12))
    func `every crossing arrives, and the daemon keeps it until the broker has it`(seed: UInt64) throws {
        let world = try Self.live(Self.options(.same), seed: seed)
        #expect(world.storedEvents.isEmpty, "\(world.random)")
        for number in world.acknowledged {
            #expect(world.arrivals.contains { $0.id == "u/d-e\(number)" && $0.topic == "owntracks/u/d/event" })
        }
    }

    @Test(arguments: SplitMix64.seeds(12))
    func `late locations go to a topic of their own, and the location's own never goes back`(seed: UInt64) throws {
        let world = try Self.live(Self.options(.topic), seed: seed)
        let all = world.arrivals.compactMap(\.sequence)
        #expect(Set(all) == Set(world.log.map(\.sequence)), "\(world.random)")
        let main = world.arrivals.filter { $0.topic == "owntracks/u/d" }.compactMap(\.sequence)
        #expect(zip(main, main.dropFirst()).allSatisfy { $0 <= $1 }, "\(world.random)")
    }

    @Test(arguments: SplitMix64.seeds(12))
    func `late locations are left out where nobody wants them, and the newest arrives`(seed: UInt64) throws {
        let world = try Self.live(Self.options(.drop), seed: seed)
        let main = world.arrivals.compactMap(\.sequence)
        #expect(zip(main, main.dropFirst()).allSatisfy { $0 <= $1 }, "\(world.random)")
        #expect(main.last == world.log.last?.sequence, "\(world.random)")
    }

    @Test(arguments: SplitMix64.seeds(1))
    func `the same events have the same effects`(seed: UInt64) throws {
        let (first, second) = (
            try Self.live(Self.options(.same), seed: seed), try Self.live(Self.options(.same), seed: seed)
        )
        #expect(first.arrivals == second.arrivals)
    }
}
