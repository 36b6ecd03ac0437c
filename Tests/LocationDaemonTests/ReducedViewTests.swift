// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("The reduced view", .blocking, .needsOtherUsers)
struct ReducedViewTests {
    /// What an app with reduced accuracy is told while the device stands far from the place of the view in force.
    private static func place(_ daemon: DaemonFixture, at metres: Double) throws -> JSON? {
        let app = try daemon.connect(uid: 12001)
        try app.call("startUpdatingLocation")
        try daemon.fix(at: metres)
        try daemon.waitUntilAccepted()
        defer { app.close() }
        return try app.call("location")["latitude"]
    }

    private static func daemon(_ more: String = "", isManaged: Bool = false) throws -> DaemonFixture {
        let daemon = try DaemonFixture(awake + noRejoin + more, manifests: [:], isManaged: isManaged)
        try daemon.authorize("uid:12001", "authorizedWhenInUse", "reduced")
        return daemon
    }

    @Test("stays in force for its quarter of an hour however the daemon ends", arguments: [SIGTERM, SIGKILL])
    func ends(by signal: Int32) throws {
        let daemon = try ReducedViewTests.daemon()
        let first = try #require(try ReducedViewTests.place(daemon, at: 0))
        for round in 1...2 {
            try daemon.restart(kill: signal)
            #expect(try ReducedViewTests.place(daemon, at: Double(round) * 20_000) == first)
        }
    }

    @Test("stays in force when the daemon ends because nobody needs it, and is started by the next client")
    func idleExit() throws {
        let daemon = try ReducedViewTests.daemon("[Service]\nExitWhenIdleSec=1\n", isManaged: true)
        let first = try #require(try ReducedViewTests.place(daemon, at: 0))
        daemon.hangUp()
        #expect(try daemon.process.waitForExit() == .exited(0))
        try daemon.start()
        #expect(try ReducedViewTests.place(daemon, at: 20_000) == first)
    }

    @Test("stays in force over an orderly stop after which the runtime directory is gone, as a reboot has it")
    func reboot() throws {
        let daemon = try ReducedViewTests.daemon()
        let first = try #require(try ReducedViewTests.place(daemon, at: 0))
        try daemon.stop(SIGTERM)
        for name in ["fixes", "managers", "reduced-view"] { unlink(daemon.directory.file("run/\(name)")) }
        try daemon.start()
        #expect(try ReducedViewTests.place(daemon, at: 20_000) == first)
    }

    @Test("that a file tells is none if it is damaged")
    func damaged() throws {
        let daemon = try ReducedViewTests.daemon()
        let first = try #require(try ReducedViewTests.place(daemon, at: 0))
        try daemon.stop()
        let text =
            #"{"view":{"computedAt":-9223372036854775808,"latitude":1e300,"longitude":0,"sequence":18446744073709551615},"#
            + #""date":9223372036854775807,"boot":0}"#
        try daemon.directory.write(text, to: "run/reduced-view")
        try daemon.start()
        #expect(try ReducedViewTests.place(daemon, at: 20_000) != first)
    }
}
