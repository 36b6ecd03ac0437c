// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

extension DaemonFixture {
    /// What happens to the runtime directory when the machine boots: it is empty.
    func emptyRuntimeDirectory() throws {
        for name in ["fixes", "managers", "reduced-view"] { unlink(directory.file("run/\(name)")) }
        rmdir(directory.file("run"))
        guard mkdir(directory.file("run"), 0o700) == 0 else {
            throw TestFailure("cannot empty the runtime directory: it holds more than is known here")
        }
    }

    /// Takes away what an orderly stop copied.
    func removeCopies() {
        for name in ["fixes.copy", "managers.copy"] { unlink(directory.file("state/\(name)")) }
    }
}

@Suite("A daemon that was stopped and started again", .blocking)
struct RestartTests {
    /// How it stopped, and whether the runtime directory was emptied meanwhile.
    enum Stop: CaseIterable, Sendable {
        case killed, orderly, orderlyAndEmptied

        func happen(to daemon: DaemonFixture) throws {
            // Its answer proves that it has noted what it wrote; kills between writing and noting are a test of their own.
            _ = try daemon.status()
            let end = try daemon.stop(self == .killed ? SIGKILL : SIGTERM)
            #expect(end == (self == .killed ? .signalled(SIGKILL) : .exited(0)))
            if self == .orderlyAndEmptied { try daemon.emptyRuntimeDirectory() }
            try daemon.start()
        }
    }

    private static let greeting = ["-> hello", "authorization authorizedAlways full initial"]

    @Test("goes on counting where it stopped", arguments: Stop.allCases)
    func sequence(stop: Stop) throws {
        let daemon = try DaemonFixture()
        var last = 0
        for _ in 0..<3 {
            let client = try daemon.startUpdating()
            try daemon.fixes(count: 5)
            try client.waitForStandard(5)
            #expect(client.sequences == Array(last + 1...last + 5))
            last += 5
            try stop.happen(to: daemon)
        }
    }

    @Test("gives no number twice after runs that had no fix")
    func runsWithoutFix() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fixes(count: 5)
        try client.waitForStandard(5)
        try daemon.stop(SIGKILL)
        try daemon.emptyRuntimeDirectory()
        for _ in 0..<2 {
            try daemon.start()
            _ = try daemon.status()
            try daemon.stop(SIGTERM)
        }
        try daemon.emptyRuntimeDirectory()
        daemon.removeCopies()
        try daemon.start()
        let later = try daemon.startUpdating()
        try daemon.fix()
        try later.waitForStandard(1)
        #expect((later.sequences.first ?? 0) > 5)
    }

    @Test(
        "gives no number twice though the log is lost",
        arguments: [
            [SIGKILL, SIGKILL, SIGKILL], [SIGTERM, SIGTERM, SIGTERM], [SIGTERM, SIGKILL, SIGTERM, SIGKILL, SIGKILL],
        ])
    func lostLog(signals: [Int32]) throws {
        let daemon = try DaemonFixture()
        var last = 0
        for signal in signals + [SIGKILL] {
            let client = try daemon.startUpdating()
            try daemon.fixes(count: 5)
            try client.waitForStandard(5)
            #expect((client.sequences.first ?? 0) > last)
            last = client.sequences.last ?? 0
            try daemon.stop(signal)
            try daemon.emptyRuntimeDirectory()
            daemon.removeCopies()
            try daemon.start()
        }
    }

    @Test("knows the last location", arguments: Stop.allCases)
    func lastLocation(stop: Stop) throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fixes([0, 100])
        try client.waitForStandard(2)
        let location = try client.call("location")
        #expect(location != .null)
        try stop.happen(to: daemon)
        let after = try daemon.connect()
        #expect(try after.call("location") == location)
        // Its date is of the last minutes, so that it may also be a first one.
        try after.call("startUpdatingLocation")
        try after.wait(for: "standard 1 cached")
        try daemon.fix()
        try after.waitForStandard(1)
        #expect(after.trace().suffix(2) == ["standard 1 cached", "standard 1"])
    }

    @Test("knows the last location though the log is lost after an orderly stop")
    func lastLocationAlone() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        let location = try client.call("location")
        try daemon.stop(SIGTERM)
        try daemon.emptyRuntimeDirectory()
        daemon.removeCopies()
        try daemon.start()
        #expect(try daemon.connect().call("location") == location)
    }

    @Test("takes its clients back, with properties, services and all fixes since", arguments: Stop.allCases)
    func rejoin(stop: Stop) throws {
        let daemon = try DaemonFixture()
        let (client, token) = try daemon.keptClient(#","app":"back""#)
        try client.call("setProperties", #"{"activityType":"fitness","allowsBackgroundLocationUpdates":true}"#)
        try daemon.fixes(count: 4)
        try client.waitForStandard(5)
        try client.call("startMonitoringSignificantLocationChanges")
        try client.settle()
        try stop.happen(to: daemon)
        // The receiver goes on for those who are awaited, and nothing of it is lost to them.
        try daemon.fixes(count: 3)
        try daemon.waitUntilAccepted()
        let (back, rejoined) = try daemon.rejoin(token, #","app":"back""#)
        #expect(rejoined)
        try back.waitForStandard(3)
        try daemon.fix()
        try back.waitForStandard(4)
        #expect(Array(back.trace().prefix(2)) == RestartTests.greeting)
        #expect(client.times + back.times == (0...8).map { daemon.simulation.time(of: $0) })
        #expect(client.sequences + back.sequences == Array(1...9))
        let properties = try back.call("getProperties")
        #expect(properties["activityType"]?.string == "fitness")
        #expect(properties["allowsBackgroundLocationUpdates"]?.bool == true)
        let services = try back.call("status")["managers"]?.array?.first?["services"]?.array?.compactMap {
            $0["service"]?.string
        }
        #expect(services?.sorted() == ["significantChange", "standard"])
    }

    @Test(
        "goes on with deferrals: what they held, what is left of the distance, and their numbers",
        arguments: Stop.allCases)
    func deferral(stop: Stop) throws {
        let daemon = try DaemonFixture()
        let (client, token) = try daemon.keptClient()
        try client.call("allowDeferredLocationUpdates", #"{"timeout":0}"#)
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":100}"#)
        try daemon.fixes([20, 40])
        try daemon.waitUntilAccepted()
        try client.settle()
        try stop.happen(to: daemon)
        try daemon.fix(at: 60)
        try daemon.waitUntilAccepted()
        let (back, rejoined) = try daemon.rejoin(token)
        #expect(rejoined)
        try daemon.fix(at: 80)
        try daemon.waitUntilAccepted()
        try back.settle()
        #expect(back.trace() == RestartTests.greeting)
        try daemon.fixes([101, 120])
        try back.waitForStandard(6)
        #expect(back.trace() == ["finish 2 null", "standard 5 deferral=2", "standard 1"])
        #expect(back.times == (1...6).map { daemon.simulation.time(of: $0) })
        #expect(try back.call("allowDeferredLocationUpdates", #"{"timeout":0}"#)["deferral"]?.int == 3)
    }

    @Test("ends a deferral whose time was over meanwhile, for its client when it comes", arguments: Stop.allCases)
    func timeout(stop: Stop) throws {
        let daemon = try DaemonFixture()
        let (client, token) = try daemon.keptClient()
        try client.call("allowDeferredLocationUpdates", #"{"timeout":0.4}"#)
        let end = Deadline.within(0.5)
        try daemon.fixes([1, 2])
        try daemon.waitUntilAccepted()
        try daemon.stop(stop == .killed ? SIGKILL : SIGTERM)
        try client.readToEnd()
        try waitUntil("the timeout is over") { end.hasPassed }
        if stop == .orderlyAndEmptied { try daemon.emptyRuntimeDirectory() }
        try daemon.start()
        let back = try daemon.rejoin(token).client
        try back.wait(for: "finish 1 null")
        if client.sequences.count == 1 {
            try back.waitForStandard(2)
            #expect(back.trace() == RestartTests.greeting + ["finish 1 null", "standard 2 deferral=1"])
        }
    }

    @Test("sends a finish again that its client may not have seen", arguments: Stop.allCases)
    func finish(stop: Stop) throws {
        let daemon = try DaemonFixture()
        let (client, token) = try daemon.keptClient()
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":100}"#)
        try daemon.fix(at: 101)
        try client.waitForStandard(2)
        try stop.happen(to: daemon)
        let back = try daemon.rejoin(token).client
        try back.wait(for: "finish 1 null")
        try back.settle()
        #expect(back.trace() == RestartTests.greeting + ["finish 1 null"])
        try stop.happen(to: daemon)
        let confirmed = try daemon.rejoin(token).client
        try confirmed.settle()
        #expect(confirmed.trace() == RestartTests.greeting)
    }

    @Test("forgets clients that do not come back in time, counted from its start")
    func rejoinTime() throws {
        let daemon = try DaemonFixture("[Deferral]\nRejoinSec=1s\n")
        let (_, token) = try daemon.keptClient()
        try daemon.restart(kill: SIGKILL)
        try daemon.waitForWatch()
        try daemon.waitForNoWatch()
        #expect(try !daemon.rejoin(token).rejoined)
    }

    @Test("keeps a request that was pending")
    func request() throws {
        let daemon = try DaemonFixture("[Updates]\nRequestCacheSec=0\n")
        let (client, token) = try daemon.connectWithToken()
        try client.call("requestLocation", #"{"timeout":600}"#)
        try daemon.restart(kill: SIGKILL)
        let back = try daemon.rejoin(token).client
        try daemon.fix(accuracy: 3)
        try back.wait(for: "request 1 request=1")
    }

    @Test("leaves its socket behind only when it is killed, and another one may take it")
    func socket() throws {
        let daemon = try DaemonFixture()
        try daemon.stop(SIGTERM)
        #expect(access(daemon.socket, F_OK) != 0)
        try daemon.start()
        try daemon.stop(SIGKILL)
        #expect(access(daemon.socket, F_OK) == 0)
        try daemon.start()
        #expect(try daemon.connect().call("location") == .null)
        var status = stat()
        #expect(stat(daemon.socket, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o666)
    }

    @Test(
        "begins though what it kept is damaged, says so, and gives no number twice",
        arguments: ["run/fixes", "run/managers", "state/locationd.sqlite"])
    func damage(file: String) throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fixes(count: 3)
        try client.waitForStandard(3)
        try daemon.stop()
        var random = SplitMix64(seed: 7)
        try daemon.directory.write((0..<5000).map { _ in UInt8(truncatingIfNeeded: random.next()) }, to: file)
        for suffix in ["-wal", "-shm"] { unlink(daemon.directory.file(file + suffix)) }
        try daemon.start()
        #expect(daemon.journal.contains("aside"), "\(daemon.journal)")
        let after = try daemon.startUpdating()
        try daemon.fix()
        try after.waitForStandard(1)
        #expect((after.sequences.first ?? 0) > 3)
    }

    @Test("ends a connection in order: what was asked before is answered, then it closes")
    func closing() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates")
        _ = client.trace()
        try daemon.fixes(count: 3)
        try daemon.waitUntilAccepted()
        try daemon.stop(SIGTERM)
        try client.readToEnd()
        #expect(client.trace().isEmpty)
    }
}
