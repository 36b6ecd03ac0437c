// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationTestSupport
import Testing

/// As long as the drive takes.
private let chaosSeconds = getenv("LOCATIOND_UPLINK_SECONDS").flatMap { Double(String(cString: $0)) } ?? 30

/// Half a minute, or as long as `LOCATIOND_UPLINK_SECONDS` says (`make uplink-test`, which adds a network that is cut and a full disk).
@Suite("The uplink among deaths", .blocking(minutes: 30 + Int(chaosSeconds / 60)), .tellsSeed)
struct ChaosTests {
    @Test(arguments: [false, true])
    func `nothing is lost, and nothing is made up`(isServer: Bool) throws {
        var drive = try ChaosDrive(seed: SplitMix64.seeds(1)[0], isServer: isServer)
        let end = Deadline.within(chaosSeconds)
        while !end.hasPassed { try drive.step() }
        try drive.settle()
        let (bench, account) = (drive.bench, drive.account)
        #expect(account.identifiers.count == account.sent.count)
        #expect(drive.brokenPromises.isEmpty, "a power cut took \(drive.brokenPromises.sorted().prefix(20))")
        #expect(bench.tap.mostInFlight <= 20)
        let crossings = Set(bench.crossings)
        #expect(crossings == Set((1...max(crossings.count, 1)).map { "locationd/car-e\($0)" }), "all, without a hole")
        try waitUntil("no event is kept", within: 120) {
            try LocationConnection(to: bench.address).events(of: "uid:0").isEmpty
        }
        print(
            "\(isServer ? "server" : "broker"): \(account.heard.count) fixes, \(bench.locationIdentifiers.count) messages, "
                + "\(crossings.count) crossings, \(drive.deaths.sorted { $0.key < $1.key }), "
                + "\(drive.cost) fixes lost to power cuts")
        try drive.end()
    }
}
