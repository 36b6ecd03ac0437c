// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("Apps with a manifest", .blocking, .needsOtherUsers)
struct AgentsTests {
    /// Processes of user 12001 in group 12900.
    private static let agent = "[App]\nUser=12001\nGroup=12900\nAgent=yes\n"

    @Test("are it by the kernel's word: the name is theirs alone, and a label is only a label")
    func identity() throws {
        let daemon = try DaemonFixture(
            manifests: ["gpx": "[App]\nIdentifier=org.gpx\nUser=12001\n[UsageDescriptions]\nWhenInUse=Shows you.\n"])
        let app = try daemon.connect()
        #expect(try app.call("hello", #"{"protocol":1}"#)["identity"]?.string == "uid:0")
        let own = try DaemonClient(path: daemon.socket, uid: 12001)
        let greeting = try own.call("hello", #"{"protocol":1,"app":"org.gpx"}"#)
        #expect(greeting["identity"]?.string == "org.gpx uid:12001" && greeting["app"]?.string == "org.gpx")
        for uid: UInt32 in [0, 12002] {
            let pretender = try DaemonClient(path: daemon.socket, uid: uid)
            let refusal = try pretender.refusal("hello", #"{"protocol":1,"app":"org.gpx"}"#)
            #expect(refusal.code == -32003 && refusal.name == "identityMismatch")
            #expect(refusal.message.contains("org.gpx") && refusal.message.contains("uid:\(uid)"))
        }
        let labelled = try DaemonClient(path: daemon.socket, uid: 12001)
        let second = try labelled.call("hello", #"{"protocol":1,"app":"helper"}"#)
        #expect(second["identity"]?.string == "org.gpx uid:12001" && second["app"]?.string == "helper")
    }

    @Test("say in it what for, and others in hello; what is missing is named with its place")
    func usage() throws {
        let daemon = try DaemonFixture(
            manifests: ["gpx": "[App]\nUser=12001\n[UsageDescriptions]\nWhenInUse=Shows you.\n"])
        let app = try daemon.connect(uid: 12001, #","usageDescriptions":{"whenInUse":"x","always":"ignored"}"#)
        let missing = try app.refusal("requestAlwaysAuthorization")
        #expect(missing.code == -32002 && missing.name == "missingUsageDescription")
        #expect(missing.message.contains("Always= in [UsageDescriptions]") && missing.message.contains("gpx"))
        let session = try app.refusal(
            "startServiceSession", #"{"requirement":"whenInUse","fullAccuracyPurposeKey":"turns"}"#)
        #expect(session.code == -32002 && session.message.contains("turns= in [TemporaryFullAccuracy]"))
        let agent = try daemon.connect()
        try agent.call("registerAgent")
        try app.call("requestWhenInUseAuthorization")
        #expect(try agent.hear("authorizationRequested")["usageDescription"]?.string == "Shows you.")
        let bare = try daemon.connect(uid: 12002)
        let refusal = try bare.refusal("requestWhenInUseAuthorization")
        #expect(refusal.code == -32002 && refusal.message.contains("usageDescriptions.whenInUse"))
        #expect(try daemon.asAdministrator("pendingRequests").array?.count == 1)
    }

    @Test("may be agents of their own user, never for themselves, and never of others")
    func agentOfUser() throws {
        let daemon = try DaemonFixture(manifests: ["desk": AgentsTests.agent])
        let agent = try daemon.connect(uid: 12001, gid: 12900)
        try agent.call("registerAgent")
        let (own, other) = (try daemon.connect(uid: 12001), try daemon.connect(uid: 12002))
        #expect(try own.refusal("registerAgent").code == -32001)
        try agent.call("startUpdatingLocation")
        try other.call("startUpdatingLocation")
        try own.call("startUpdatingLocation")
        let question = try agent.hear("authorizationRequested")
        #expect(question["identity"]?.string == "uid:12001")
        try agent.settle()
        #expect(agent.heard("authorizationRequested").count == 1)
        let pending = try daemon.asAdministrator("pendingRequests").array ?? []
        #expect(Set(pending.compactMap { $0["identity"]?.string }) == ["desk uid:12001", "uid:12001", "uid:12002"])
        for request in pending where request["identity"]?.string != "uid:12001" {
            let params = #"{"request":\#(request["request"]?.int ?? 0),"answer":"always"}"#
            // Another user's is as if it never was.
            let isOwn = request["uid"]?.int == 12001
            #expect(try agent.refusal("answerRequest", params).code == (isOwn ? -32001 : -32005))
        }
        try agent.call("answerRequest", #"{"request":\#(question["request"]?.int ?? 0),"answer":"always"}"#)
        #expect(try own.hear("didChangeAuthorization")["authorizationStatus"]?.string == "authorizedAlways")
        #expect(try daemon.app("uid:12001")?["decidedBy"]?.string == "desk uid:12001")
    }

    @Test("alone learn whether a request exists")
    func existence() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        let app = try daemon.connect(uid: 12002)
        try app.call("startUpdatingLocation")
        let number = try daemon.asAdministrator("pendingRequests").array?.first?["request"]?.int ?? 0
        #expect(number > 0)
        let other = try daemon.connect(uid: 12001)
        let refusals = try [number, number + 1].map { number in
            let refusal = try other.refusal("answerRequest", #"{"request":\#(number),"answer":"always"}"#)
            return "\(refusal.code) \(refusal.message.replacing("\(number)", with: "N"))"
        }
        #expect(Set(refusals) == ["-32001 cannot answer request N: only agents and administrators may"])
    }

    @Test("are what a reload makes of them, and so is what the rules allow")
    func reload() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        let app = try daemon.connect(uid: 12001)
        #expect(try app.call("startUpdatingLocation")["state"]?.string == "waitingForAuthorization")
        try daemon.reload(awake + "[Authorization]\nAlwaysUsers=root 12001\n")
        #expect(try app.hear("didChangeAuthorization")["authorizationStatus"]?.string == "authorizedAlways")
        try daemon.fix()
        try app.waitForStandard(1)
        try daemon.reload(awake + "[Authorization]\nAlwaysUsers=root\nDeniedUsers=12001\n")
        try app.wait(for: "fail 1 standard")
        #expect(try app.hear("didChangeAuthorization")["authorizationStatus"]?.string == "denied")
        try daemon.directory.write(
            "[App]\nUser=12001\n[Authorization]\nDefault=authorizedWhenInUse\n", to: "apps.d/gpx.conf")
        try daemon.reload(awake)
        let named = try daemon.connect(uid: 12001)
        #expect(try named.call("startUpdatingLocation")["state"]?.string == "running")
        #expect(try daemon.app("gpx uid:12001")?["authorizationStatus"]?.string == "authorizedWhenInUse")
    }

    @Test("that are connected are what their changed manifest says")
    func changedManifest() throws {
        let daemon = try DaemonFixture(awake, manifests: ["gpx": "[App]\nUser=12001\nAgent=yes\n"])
        let app = try daemon.connect(uid: 12001)
        #expect(try app.call("startUpdatingLocation")["state"]?.string == "waitingForAuthorization")
        try app.call("registerAgent")
        #expect(try app.refusal("requestWhenInUseAuthorization").code == -32002)
        try daemon.directory.write(
            "[App]\nUser=12001\n[UsageDescriptions]\nWhenInUse=Shows you.\n[Authorization]\nDefault=authorizedAlways\n",
            to: "apps.d/gpx.conf")
        try daemon.reload(awake)
        #expect(try app.hear("didChangeAuthorization")["authorizationStatus"]?.string == "authorizedAlways")
        #expect(try app.call("requestWhenInUseAuthorization")["state"]?.string == "alreadyDetermined")
        #expect(try app.refusal("registerAgent").code == -32001)
        try daemon.fix()
        try app.waitForStandard(1)
    }

    @Test("and those without may call themselves by few names, but those that are gone make room")
    func labels() throws {
        let daemon = try DaemonFixture("[Authorization]\nAlwaysUsers=root 12001\n" + noRejoin, manifests: [:])
        let keeper = try daemon.connect(uid: 12001, #","app":"keeper""#)
        try keeper.call("startMonitoring", DaemonFixture.region("home"))
        keeper.close()
        for number in 1...40 {
            let client = try daemon.connect(uid: 12001, #","app":"l\#(number)""#)
            client.close()
            try waitUntil("it is gone") { try daemon.app("uid:12001")?["connections"]?.int == 0 }
        }
        let clients = try (1...31).map { try daemon.connect(uid: 12001, #","app":"m\#($0)""#) }
        let late = try DaemonClient(path: daemon.socket, uid: 12001)
        #expect(try late.refusal("hello", #"{"protocol":1,"app":"one more"}"#).code == -32004)
        let back = try daemon.connect(uid: 12001, #","app":"keeper""#)
        #expect(try back.call("monitoredRegions").array?.count == 1)
        for client in clients { try client.settle() }
    }
}
