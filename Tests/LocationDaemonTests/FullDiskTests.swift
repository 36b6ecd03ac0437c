// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("A full disk", .blocking, .needsOtherUsers)
struct FullDiskTests {
    private static let rules =
        awake + noRejoin + "[Limits]\nChangesPerSecond=10000\n[Regions]\nRegionsPerApp=10000\n"
        + "[Authorization]\nAlwaysUsers=root 12001 12002 12003\n"

    private static func daemon() throws -> DaemonFixture {
        try DaemonFixture(rules, step: 1000, manifests: [:], stateKilobytes: 512)
    }

    /// Lets nothing more be written: the disk is full, and so is what the database had in reserve.
    static func fill(_ daemon: DaemonFixture) throws {
        let fd = open(daemon.directory.file("state/filler"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let page = [UInt8](repeating: 1, count: 4096)
        while write(fd, page, page.count) > 0 {}
        close(fd)
        let other = try daemon.connect(uid: 12003)
        for number in 0..<5000 {
            let region = DaemonFixture.region("filler \(number)", at: 9000)
            let reply = try other.reply(to: try other.send("startMonitoring", region))
            guard reply["result"] == nil else { continue }
            #expect(reply["error"]?["code"]?.int == -32007)
            return
        }
        throw TestFailure("cannot fill the disk")
    }

    static func empty(_ daemon: DaemonFixture) { unlink(daemon.directory.file("state/filler")) }

    private static func regions(_ client: DaemonClient) throws -> [String] {
        try client.call("monitoredRegions").array?.compactMap { $0["identifier"]?.string } ?? []
    }

    @Test(
        "leaves no trace of an app that could not be stored: later each has its own, also after a kill",
        arguments: [[UInt32(12001), 12002], [12002, 12001]])
    func newApps(order: [UInt32]) throws {
        let daemon = try FullDiskTests.daemon()
        try FullDiskTests.fill(daemon)
        let refused = try daemon.connect(uid: 12001)
        #expect(try refused.refusal("startMonitoring", DaemonFixture.region("refused", at: 9000)).code == -32007)
        #expect(try FullDiskTests.regions(refused).isEmpty)
        FullDiskTests.empty(daemon)
        for uid in order {
            let client = uid == 12001 ? refused : try daemon.connect(uid: uid)
            try client.call("startMonitoring", DaemonFixture.region("of \(uid)", at: 9000))
        }
        try daemon.restart()
        for uid in order { #expect(try FullDiskTests.regions(try daemon.connect(uid: uid)) == ["of \(uid)"]) }
    }

    @Test("that kept an app from being forgotten does not keep it from being stored again")
    func forgotten() throws {
        let daemon = try FullDiskTests.daemon()
        let app = try daemon.connect(uid: 12001, #","events":true"#)
        try app.call("startMonitoring", DaemonFixture.region("home"))
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        let event = try app.hear("didExitRegion")["event"]?.int ?? 0
        try app.call("stopMonitoring", #"{"identifier":"home"}"#)
        try FullDiskTests.fill(daemon)
        // If that is taken, the last that was kept of the app is gone.
        let reply = try app.reply(to: try app.send("acknowledge", #"{"event":\#(event)}"#))
        FullDiskTests.empty(daemon)
        try app.call("startMonitoring", DaemonFixture.region("again", at: 9000))
        let other = try daemon.connect(uid: 12002)
        try other.call("startMonitoring", DaemonFixture.region("of another", at: 9000))
        try daemon.restart()
        let back = try daemon.connect(uid: 12001, #","events":true"#)
        try back.settle()
        #expect(try FullDiskTests.regions(back) == ["again"])
        #expect(back.events == (reply["error"] == nil ? [] : [event]))
        #expect(try FullDiskTests.regions(try daemon.connect(uid: 12002)) == ["of another"])
    }

    @Test("is no reason to refuse a location to an app whose last use cannot be noted")
    func services() throws {
        let daemon = try FullDiskTests.daemon()
        try daemon.authorize("uid:12001", "authorizedAlways")
        try FullDiskTests.fill(daemon)
        let app = try daemon.connect(uid: 12001)
        #expect(try app.call("startUpdatingLocation")["state"]?.string == "running")
        try daemon.fix()
        try app.waitForStandard(1)
        try app.call("stopUpdatingLocation")
        #expect(try app.call("requestLocation")["request"]?.int == 1)
        try daemon.fix()
        _ = try app.call("startLiveUpdates", #"{"configuration":"default"}"#)
    }

    @Test("is over when there is room again, and not when a change happens to fit")
    func over() throws {
        let daemon = try DaemonFixture(FullDiskTests.rules, step: 1000, manifests: [:], stateKilobytes: 1024)
        try FullDiskTests.fill(daemon)
        func problems() throws -> [JSON] { try daemon.status()["daemon"]?["stateProblems"]?.array ?? [] }
        let filler = daemon.directory.file("state/filler")
        var status = stat()
        try #require(stat(filler, &status) == 0 && truncate(filler, status.st_size - 128 << 10) == 0)
        try daemon.authorize("uid:12001", "authorizedAlways")
        #expect(try !problems().isEmpty)
        #expect(!daemon.journal.contains("can be written again"))
        FullDiskTests.empty(daemon)
        try daemon.authorize("uid:12002", "authorizedAlways")
        #expect(try problems().isEmpty)
        try waitUntil("the journal has it") { daemon.journal.contains("can be written again") }
    }

    @Test("is said to forget a refusal with the daemon, where the runtime directory does not take it either")
    func untilTheEnd() throws {
        let daemon = try FullDiskTests.daemon()
        try FullDiskTests.fill(daemon)
        mkdir(daemon.directory.file("run/decisions.owed"), 0o700)
        for (method, params) in [
            ("authorize", #"{"app":"uid:12001","authorizationStatus":"denied"}"#),
            ("setLocationServicesEnabled", #"{"enabled":false}"#),
        ] {
            let result = try daemon.asAdministrator(method, params)
            #expect(result["stored"]?.bool == false)
            #expect(result["problem"]?.string?.contains("it holds only until the daemon ends") == true, "\(result)")
        }
        let problems = try daemon.status()["daemon"]?["stateProblems"]?.array?.compactMap(\.string) ?? []
        #expect(problems.contains { $0.contains("they hold only until the daemon ends") }, "\(problems)")
        rmdir(daemon.directory.file("run/decisions.owed"))
        let kept = try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":false}"#)
        #expect(kept["problem"]?.string?.contains("ends") == false)
    }

    @Test("that cannot be written is read all the same: decisions and regions hold, and what is to be kept is refused")
    func readOnly() throws {
        let daemon = try FullDiskTests.daemon()
        try daemon.authorize("uid:12001", "denied")
        let app = try daemon.connect(uid: 12002)
        try app.call("startMonitoring", DaemonFixture.region("home", at: 9000))
        try daemon.stop()
        let state = daemon.directory.file("state")
        let isReadOnly = mount("locationd-test", state, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
        try #require(isReadOnly)
        try daemon.start()
        let denied = try daemon.connect(uid: 12001)
        #expect(try denied.call("startUpdatingLocation")["state"]?.string == "denied")
        let back = try daemon.connect(uid: 12002)
        #expect(try FullDiskTests.regions(back) == ["home"])
        #expect(try back.refusal("startMonitoring", DaemonFixture.region("more", at: 9000)).code == -32007)
        #expect((try daemon.status()["daemon"]?["stateProblems"]?.array ?? []).isEmpty == false)
    }
}
