// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationTestSupport
import Testing

/// As long as the drive takes.
private let chaosSeconds = getenv("LOCATIOND_UPLINK_SECONDS").flatMap { Double(String(cString: $0)) } ?? 30

/// Half a minute, or as long as `LOCATIOND_UPLINK_SECONDS` says (`make uplink-test`, which adds a network that is cut and a full disk).
@Suite("The uplink among deaths", .blocking(minutes: 15 + Int(chaosSeconds / 60)), .tellsSeed)
struct ChaosTests {
    @Test(arguments: [false, true])
    func `nothing is lost, and nothing is made up`(isServer: Bool) throws {
        var drive = try ChaosDrive(seed: SplitMix64.seeds(1)[0], isServer: isServer)
        let end = Deadline.within(chaosSeconds)
        while !end.hasPassed { try drive.step() }
        let bench = drive.bench
        try bench.gpsd.waitForWatch()
        try bench.fixes(1)
        // A connection that was silenced may have to be found dead first.
        try waitUntil("nothing waits", within: 200) {
            bench.status?["waiting"]?.int == 0 && bench.status?["waitingEvents"]?.int == 0
        }
        // The witness may hear of the last fix before the uplink does.
        try? waitUntil("all arrives") { drive.missing(from: Set(bench.sequences), heard: drive.heard).isEmpty }
        let (heard, sent) = (drive.heard, Set(bench.sequences))
        let missing = drive.missing(from: sent, heard: heard)
        #expect(missing.isEmpty, "lost: \(missing.count), \(missing.sorted().prefix(20)); \(drive.story)")
        let invented = drive.invented(in: sent, heard: heard)
        #expect(invented.isEmpty, "made up: \(invented.sorted().prefix(20))")
        #expect(Set(bench.locationIdentifiers).count == sent.count)
        #expect(drive.dearCuts(sent).isEmpty, "power cuts cost too much: \(drive.dearCuts(sent))")
        #expect(bench.tap.mostInFlight <= 20)
        let crossings = Set(bench.crossings)
        #expect(crossings == Set((1...max(crossings.count, 1)).map { "locationd/car-e\($0)" }), "all, without a hole")
        #expect(try LocationConnection(to: bench.address).events(of: "uid:0").isEmpty)
        print(
            "\(isServer ? "server" : "broker"): \(heard.count) fixes, \(bench.locationIdentifiers.count) messages, "
                + "\(crossings.count) crossings, \(drive.deaths.sorted { $0.key < $1.key }), "
                + "\(drive.cost(sent)) fixes lost to power cuts")
        try drive.end()
    }
}
