// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

private func monotonicMicroseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
}

@Suite("systemd's protocol for a reload by a signal", .blocking)
struct ReloadProtocolTests {
    @Test(
        "on SIGHUP: RELOADING=1 with the moment at which it begins, and READY=1 when it is over, be it refused",
        arguments: ["", "[Log]\nLevel=loud\n"])
    func reload(configuration: String) throws {
        let directory = try TemporaryDirectory()
        let manager = try ServiceManager(directory)
        let daemon = try manager.start(
            try BuildProducts.program("locationd"),
            [
                "--config", try directory.write("", to: "locationd.conf"), "--gpsd", "127.0.0.1:1",
                "--state-directory", directory.path, "--runtime-directory", directory.path,
            ])
        try waitUntil("it is ready") { manager.told == ["READY=1"] }

        try directory.write(configuration, to: "locationd.conf")
        let asked = monotonicMicroseconds()
        daemon.terminate(SIGHUP)
        try waitUntil("the reload is over") { manager.told.count == 4 }
        let told = manager.told
        #expect(told[1] == "RELOADING=1")
        let began = try #require(Int64(told[2].dropFirst("MONOTONIC_USEC=".count)))
        #expect(began >= asked && began <= monotonicMicroseconds())
        #expect(told[3] == "READY=1")

        daemon.terminate(SIGTERM)
        #expect(try daemon.waitForExit() == .exited(0))
        try waitUntil("it has said that it stops") { manager.told.dropFirst(4) == ["STOPPING=1"] }
    }
}

extension ServiceManager {
    /// What the service said but for how it is and that it goes on reading.
    fileprivate var told: [String] {
        heard.filter { line in !["STATUS=", "EXTEND_TIMEOUT_USEC=", "WATCHDOG="].contains { line.hasPrefix($0) } }
    }
}
