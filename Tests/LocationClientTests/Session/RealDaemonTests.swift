// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

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

    @Test("the start of a session is answered with its number")
    func sessions() throws {
        let daemon = try RealDaemon()
        try daemon.launch()
        try daemon.waitUntilItServes()
        let connection = try LocationConnection(to: daemon.address)
        #expect(try connection.startServiceSession(.none).session == 1)
        #expect(try connection.startBackgroundActivitySession().session == 2)
    }

    @Test(
        "takes a name that nobody gave the program, unless an app has a manifest of that name", .asynchronous)
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
