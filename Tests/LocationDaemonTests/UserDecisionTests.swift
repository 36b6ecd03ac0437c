// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("A decision about a user", .blocking, .needsOtherUsers)
struct UserDecisionTests {
    // A manifest is the way in which a test can be an app of a user without a manager of that user.
    private static let manifests = [
        "maps": "[App]\nUser=12001\n", "vouched": "[App]\nUser=12002\n[Authorization]\nDefault=authorizedAlways\n",
    ]

    @Test("covers what the user starts, at once and over a restart, until there is one about the app itself")
    func covers() throws {
        let daemon = try DaemonFixture(awake, manifests: UserDecisionTests.manifests)
        let app = try daemon.connect(uid: 12001)
        #expect(try app.call("startUpdatingLocation")["state"]?.string == "waitingForAuthorization")
        try daemon.authorize("uid:12001", "denied")
        try app.wait(for: "fail 1 standard")
        #expect(try daemon.asAdministrator("pendingRequests").array?.isEmpty == true)
        let status = try daemon.app("maps uid:12001")
        #expect(status?["authorizationStatus"]?.string == "denied")
        #expect(status?["decidedBy"] == nil && status?["rule"]?.string == "the decision about uid:12001")
        try daemon.restart()
        let again = try daemon.connect(uid: 12001)
        #expect(try again.call("startUpdatingLocation")["state"]?.string == "denied")
        try daemon.authorize("maps uid:12001", "authorizedWhenInUse")
        #expect(try again.hear("didChangeAuthorization")["authorizationStatus"]?.string == "authorizedWhenInUse")
        try daemon.authorize("uid:12001", "denied")
        #expect(try daemon.app("maps uid:12001")?["authorizationStatus"]?.string == "authorizedWhenInUse")
    }

    @Test("gives what the user starts no less than a rule about the app itself, but a refusal goes before all rules")
    func rules() throws {
        let daemon = try DaemonFixture(awake, manifests: UserDecisionTests.manifests)
        let app = try daemon.connect(uid: 12002)
        try daemon.authorize("uid:12002", "authorizedWhenInUse")
        #expect(try app.call("startUpdatingLocation")["state"]?.string == "running")
        #expect(try daemon.app("vouched uid:12002")?["authorizationStatus"]?.string == "authorizedAlways")
        #expect(try daemon.app("vouched uid:12002")?["rule"]?.string == "the app's manifest")
        try daemon.authorize("uid:12002", "denied")
        try app.wait(for: "fail 1 standard")
        try daemon.asAdministrator("resetAuthorization", #"{"app":"uid:12002"}"#)
        #expect(try daemon.app("vouched uid:12002")?["authorizationStatus"]?.string == "authorizedAlways")
    }

    @Test("can be made by the user's name, and is shown with it")
    func named() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        try daemon.authorize("root", "authorizedWhenInUse")
        let status = try daemon.app("uid:0")
        #expect(status?["authorizationStatus"]?.string == "authorizedWhenInUse" && status?["user"]?.string == "root")
    }

    @Test("is not asked for without end: connections that come and go leave few entries, and no app behind")
    func flood() throws {
        let daemon = try DaemonFixture(awake + noRejoin, manifests: [:])
        for _ in 0..<60 {
            let client = try daemon.connect(uid: 12001)
            try client.call("startUpdatingLocation")
            client.close()
        }
        try waitUntil("they are gone") { try daemon.app("uid:12001") == nil }
        let entries = daemon.journal.split(separator: "\n").count { $0.contains("uid:12001 asks for the location") }
        // Ten more a minute.
        #expect((30..<55).contains(entries), "\(entries)")
        #expect(
            daemon.journal.contains("nobody is there to be asked: `locctl authorize 'uid:12001' when-in-use` allows it")
        )
    }

    @Test("does not make an app of who only administers")
    func administration() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        let looks = try DaemonClient(path: daemon.socket, uid: 12001)
        try looks.call("status")
        #expect(try daemon.app("uid:12001") == nil)
        let client = try daemon.connect(uid: 12001)
        try client.settle()
        #expect(try daemon.app("uid:12001") != nil)
    }
}
