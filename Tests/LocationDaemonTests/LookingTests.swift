// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("locctl top and locctl metrics, of a daemon", .blocking)
struct LookingTests {
    private func locctl(_ daemon: DaemonFixture, _ arguments: String...) throws -> String {
        let locctl = try ChildProcess(
            try BuildProducts.program("locctl"), arguments,
            environment: ["LOCATIOND_SOCKET": daemon.socket, "TZ": "UTC"])
        let end = try locctl.waitForExit()
        guard end == .exited(0) else { throw TestFailure("cannot run locctl \(arguments): \(locctl.standardError)") }
        return locctl.standardOutput
    }

    @Test func `to look switches no receiver on`() throws {
        let daemon = try DaemonFixture(awake)
        let picture = try locctl(daemon, "top")
        #expect(picture.contains("off: nobody needs a location"))
        #expect(try locctl(daemon, "metrics").contains("\nlocationd_receiver_on 0\n"))
        #expect(!daemon.isWatching)
        #expect(try daemon.status()["power"]?["onTime"]?.double == 0)
    }

    @Test func `--on has the receiver on as long as somebody looks`() throws {
        let daemon = try DaemonFixture(awake)
        let picture = try locctl(daemon, "top", "--on")
        #expect(picture.contains("on at full rate: somebody needs every fix"))
        try daemon.waitForNoWatch()
    }

    @Test func `who asks for what stands in both, and where the device is in the metrics only if asked`() throws {
        let daemon = try DaemonFixture(awake)
        let client = try daemon.startUpdating()
        try daemon.fix(accuracy: 7)
        try client.waitForStandard(1)
        let picture = try locctl(daemon, "top")
        #expect(picture.contains(": standard (best), got 1"))
        let metrics = try locctl(daemon, "metrics")
        for line in [
            "up 1", "fixes_accepted_total 1", "locations_delivered_total 1", "clients{service=\"standard\"} 1",
            "fixes_rejected_total{reason=\"outOfOrder\"} 0",
        ] {
            #expect(metrics.contains("\nlocationd_\(line)\n"), "\(line)")
        }
        #expect(!metrics.contains("latitude"))
        #expect(try locctl(daemon, "metrics", "--coordinates").contains("\nlocationd_latitude_degrees "))
    }
}
