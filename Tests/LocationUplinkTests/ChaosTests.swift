// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

/// As long as the drive takes.
private let chaosSeconds = getenv("LOCATIOND_UPLINK_SECONDS").flatMap { Double(String(cString: $0)) } ?? 30

/// Real programs on a drive, of which at any time one is killed, stopped or cut off. Half a minute, or as long as
/// `LOCATIOND_UPLINK_SECONDS` says (`make uplink-test`).
@Suite("The uplink among deaths", .blocking(minutes: 10 + Int(chaosSeconds / 60)), .tellsSeed)
struct ChaosTests {
    private struct Drive {
        var random: SplitMix64
        let bench: UplinkBench
        /// Who hears each accepted fix, and lives.
        let witness: ChildProcess
        var deaths = 0

        init(seed: UInt64) throws {
            random = SplitMix64(seed: seed)
            let place = Coordinate(latitude: 45, longitude: -30).moved(by: 1000, course: 0)
            bench = try UplinkBench(
                uplink: "[Regions]\nmarket=\(place.latitude),\(place.longitude),200m",
                daemon: "[Limits]\nLogRecords=131072\n")
            try bench.startAll()
            witness = try ChildProcess(
                try BuildProducts.program("locctl"), ["watch", "--json", "--no-pause", "--socket", bench.address.path])
            try bench.fixes(1)
            _ = try witness.waitForOutput { $0.contains(#""sequence":1,"#) }
        }

        var heard: Set<UInt64> {
            var found: Set<UInt64> = []
            for line in witness.outputLines where line.contains("didUpdateLocations") {
                for location in (try? JSON(parsing: line))?["params"]?["locations"]?.array ?? [] {
                    if let sequence = location["sequence"]?.int { found.insert(UInt64(sequence)) }
                }
            }
            return found
        }

        mutating func step() throws {
            let program = UplinkBench.Program.allCases[random.below(3)]
            switch random.below(40) {
            case 0:
                deaths += 1
                try bench.kill(program)
                try pause(0.5)
                try bench.start(program)
            case 1:
                deaths += 1
                bench.process(program)?.terminate(SIGSTOP)
                try pause(1.5)
                bench.process(program)?.terminate(SIGCONT)
            case 2:
                deaths += 1
                bench.tap.cut(true)
                try pause(0.5)
                bench.tap.cut(false)
            case 3:
                bench.tap.silence(true)
                try pause(1)
                bench.tap.silence(false)
            default: try pause(0.1)
            }
        }

        // Fixes come all the while, some in bursts.
        private mutating func pause(_ most: Double) throws {
            let end = Deadline.within(random.uniform(0...most))
            repeat {
                try bench.fixes(random.chance(0.05) ? 100 : 1)
                poll(nil, 0, 10)
            } while !end.hasPassed
        }
    }

    @Test func `nothing is lost, and nothing is made up`() throws {
        var drive = try Drive(seed: SplitMix64.seeds(1)[0])
        let end = Deadline.within(chaosSeconds)
        while !end.hasPassed { try drive.step() }
        let bench = drive.bench
        try bench.gpsd.waitForWatch()
        // A connection that was silenced may have to be found dead first.
        try waitUntil("the last fix arrives: \(bench.status.map { "\($0)" } ?? "")", within: 90) {
            try bench.fixes(1)
            poll(nil, 0, 100)
            let newest = drive.heard.max() ?? 0
            return bench.sequences.last ?? 0 >= newest && newest > 0
        }
        try waitUntil("nothing waits: \(bench.status.map { "\($0)" } ?? "")", within: 90) {
            bench.status?["waiting"]?.int == 0 && bench.status?["waitingEvents"]?.int == 0
        }
        let heard = drive.heard
        let sent = Set(bench.sequences)
        #expect(heard.subtracting(sent).isEmpty, "lost: \(heard.subtracting(sent).sorted().prefix(20))")
        #expect(sent.subtracting(heard).isEmpty, "made up: \(sent.subtracting(heard).sorted().prefix(20))")
        #expect(Set(bench.locations.compactMap { $0["_id"]?.string }).count == heard.count)
        #expect(bench.tap.mostInFlight <= 20)
        let crossings = Set(
            bench.tap.acknowledged.filter { $0.topic.hasSuffix("/event") }.compactMap { $0["_id"]?.string })
        #expect(crossings == Set((1...max(crossings.count, 1)).map { "locationd/car-e\($0)" }), "all, without a hole")
        #expect(try LocationConnection(to: bench.address).events(of: "uid:0").isEmpty)
        print(
            "\(heard.count) fixes, \(bench.locations.count) messages, \(crossings.count) crossings, \(drive.deaths) deaths"
        )
    }
}
