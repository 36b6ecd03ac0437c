// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

/// The real daemon, started and stopped by a test, and the receiver that feeds it.
private final class RealDaemon {
    private let directory: TemporaryDirectory
    private let gpsd: FakeGPSD
    private var process: ChildProcess?
    private var epochs: Int64 = 0
    private let start: Int64

    init(rejoin: Int = 30) throws {
        directory = try TemporaryDirectory()
        gpsd = try FakeGPSD()
        start = Int64(time(nil)) * 1000 - 200_000
        for name in ["state", "run", "apps.d"] { mkdir(directory.file(name), 0o700) }
        try directory.write(
            "[Deferral]\nRejoinSec=\(rejoin)\n[Apps]\nDirectory=\(directory.file("apps.d"))\n", to: "locationd.conf")
    }

    deinit { process?.terminate(SIGKILL) }

    /// An app that no process of this test is.
    func writeManifest(named name: String) throws {
        try directory.write("[App]\nUnit=\(name)-of-somebody-else.service\n", to: "apps.d/\(name).conf")
    }

    var address: DaemonAddress { DaemonAddress(path: directory.file("run/socket")) }

    func launch() throws {
        process = try ChildProcess(
            try BuildProducts.program("locationd"),
            [
                "--config", directory.file("locationd.conf"), "--socket", address.path, "--gpsd",
                "127.0.0.1:\(gpsd.port)", "--state-directory", directory.file("state"), "--runtime-directory",
                directory.file("run"),
            ], environment: ["NOTIFY_SOCKET": nil, "JOURNAL_STREAM": nil, "LISTEN_FDS": nil, "LISTEN_PID": nil])
    }

    func kill() throws {
        process?.terminate(SIGKILL)
        _ = try process?.waitForExit()
        process = nil
        try gpsd.waitForConnections(0)
    }

    /// So many fixes, each 10 m north of the one before.
    func fixes(_ count: Int) throws {
        try gpsd.waitForWatch()
        try gpsd.waitForConnections()
        for _ in 0..<count {
            epochs += 1
            let place = Coordinate(latitude: 45, longitude: -30).moved(by: Double(epochs) * 10, course: 0)
            var time: [UInt8] = []
            WallTime(milliseconds: start + epochs * 200).appendRFC3339(to: &time)
            let text = String(decoding: time, as: UTF8.self)
            try gpsd.push(
                #"{"class":"TPV","device":"/dev/ttyFAKE0","mode":3,"time":"\#(text)","lat":\#(place.latitude),"#
                    + #""lon":\#(place.longitude),"altHAE":59.5,"altMSL":0.5,"epv":7.77,"eph":4.845}"#)
        }
    }
}

@Suite("A session at the real daemon", .serialized)
struct RealDaemonTests {
    private func session(at daemon: RealDaemon, _ log: SessionLog) -> LocationSession {
        LocationSession(
            of: SessionApplication(name: "session-tests", usageDescriptions: UsageDescriptions()),
            over: SocketTransport(to: daemon.address), handler: log.handler)
    }

    private func live(_ log: SessionLog) -> [UInt64] {
        log.all.flatMap { event -> [UInt64] in
            guard case .told(.didUpdateLocations(let update)) = event, !update.isCached else { return [] }
            return update.locations.map(\.sequence)
        }
    }

    private func waitForLive(_ count: Int, _ log: SessionLog) throws {
        try waitUntil("\(count) locations come, of \(log.words)") { live(log).count >= count }
    }

    @Test("a daemon that is killed and started again gives the manager back: nothing is lost, nothing comes twice")
    func killed() throws {
        let daemon = try RealDaemon()
        let log = SessionLog()
        let session = session(at: daemon, log)
        session.perform(.startUpdatingLocation(resumeAfter: nil))
        try log.waitFor(["disconnected"])
        // Started only now: the session has been there before it.
        try daemon.launch()
        try daemon.fixes(5)
        try waitForLive(5, log)
        for round in 1...3 {
            try daemon.kill()
            try daemon.launch()
            try daemon.fixes(5)
            try waitForLive(5 + 5 * round, log)
        }
        let sequences = live(log)
        #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
        #expect(log.words.count { $0 == "rejoined" } == 3)
    }

    @Test("a daemon that has forgotten the manager gets the same wishes, and the deferral goes on to its one finish")
    func forgotten() throws {
        let daemon = try RealDaemon(rejoin: 0)
        try daemon.launch()
        let log = SessionLog()
        let session = session(at: daemon, log)
        session.perform(.startUpdatingLocation(resumeAfter: nil))
        try daemon.fixes(3)
        try waitForLive(3, log)
        session.perform(.allowDeferredLocationUpdates(DeferralParameters(untilTraveled: 60, timeout: nil)))
        try waitUntil("the deferral runs") { log.words.count { $0 == "running" } == 2 }
        try daemon.kill()
        try daemon.launch()
        try waitUntil("the session is connected again") { log.words.count { $0 == "connected" } == 2 }
        try daemon.fixes(2)
        try waitForLive(5, log)
        // The deferral goes on with the first of them, but only what comes after it is known at the daemon is travelled.
        try waitUntil("the deferral ends, in \(log.words)") {
            try daemon.fixes(2)
            return log.words.contains { $0.hasPrefix("finish1:") }
        }
        try waitForLive(10, log)
        let sequences = live(log)
        #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
        #expect(log.words.filter { $0.hasPrefix("finish") } == ["finish1:met"])
    }

    @Test("a session that ends leaves nothing running at the daemon")
    func ends() throws {
        let daemon = try RealDaemon()
        try daemon.launch()
        let log = SessionLog()
        var session: LocationSession? = session(at: daemon, log)
        session?.perform(.startUpdatingLocation(resumeAfter: nil))
        session?.perform(SessionCommand(.startLiveUpdates(.default), opening: SessionHandle(1)))
        try waitUntil("both services run") { log.words.count { $0 == "running" } == 2 }
        let observer = try LocationConnection(to: daemon.address)
        #expect(try observer.status(.all).power?.demands?.isEmpty == false)
        session = nil
        try waitUntil("nothing asks for power") { try observer.status(.all).power?.demands?.isEmpty ?? false }
    }

    @Test(
        "takes a name that nobody gave the program, unless an app has a manifest of that name", .timeLimit(.minutes(1)))
    func assumedName() throws {
        let daemon = try RealDaemon()
        try daemon.writeManifest(named: "taken")
        try daemon.launch()
        for (name, words) in [("free", ["connected"]), ("taken", ["nameRefused:identityMismatch", "connected"])] {
            let log = SessionLog()
            let application = SessionApplication(
                name: name, usageDescriptions: UsageDescriptions(), isNameAssumed: true)
            let session = LocationSession(
                of: application, over: SocketTransport(to: daemon.address), handler: log.handler)
            try waitUntil("it is connected: \(log.words)") { log.words.contains("connected") }
            #expect(log.words.filter { $0 != "disconnected" }.starts(with: words))
            #expect(session.standing()?.app == (name == "free" ? "free" : nil))
        }
    }
}
