// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("Notices and who shows them", .blocking, .needsOtherUsers)
struct NoticesTests {
    private static let manifests = [
        "gpx": "[App]\nUser=12001\n[Authorization]\nDefault=authorizedAlways\n",
        "desk": "[App]\nUser=12001\nGroup=12900\nAgent=yes\n", "other": "[App]\nUser=12002\nGroup=12900\nAgent=yes\n",
    ]
    private static let silent =
        #","notifyOnEntry":false,"notifyOnExit":false,"notice":{"title":"You are home","text":"Shoes off","on":"both"}"#

    /// A daemon whose app of user 12001 watches `home`, is inside and has gone.
    private static func left(_ more: String = silent) throws -> DaemonFixture {
        let daemon = try DaemonFixture(awake + noRejoin, step: 1000, manifests: manifests)
        let app = try daemon.connect(uid: 12001)
        try app.call("startMonitoring", DaemonFixture.region("home", more))
        try daemon.stay(at: 0)
        try daemon.waitUntilAccepted()
        app.close()
        try waitUntil("the app is gone") { try daemon.app("gpx uid:12001")?["connections"]?.int == 0 }
        return daemon
    }

    /// An agent of a user that shows notices.
    private static func agent(of daemon: DaemonFixture, uid: UInt32 = 12001) throws -> DaemonClient {
        let agent = try daemon.connect(uid: uid, gid: 12900)
        try agent.call("takeNotices")
        return agent
    }

    private static func acknowledge(_ notice: JSON, _ agent: DaemonClient) throws {
        try agent.call("acknowledgeNotice", parameters(notice))
    }

    private static func parameters(_ notice: JSON) -> String {
        #"{"identity":"\#(notice["identity"]?.string ?? "")","event":\#(notice["event"]?.int ?? 0)}"#
    }

    private static func stored(_ daemon: DaemonFixture) throws -> [JSON] {
        try daemon.asAdministrator("events", #"{"app":"gpx uid:12001"}"#).array ?? []
    }

    @Test func `a crossing is told to its user's agent, and starts no app`() throws {
        let daemon = try Self.left()
        let agent = try Self.agent(of: daemon)
        try daemon.walk(from: 0, to: 400)
        let notice = try agent.hear("noticeRaised")
        #expect(notice["title"]?.string == "You are home" && notice["text"]?.string == "Shoes off")
        #expect(notice["region"]?.string == "home" && notice["state"]?.string == "outside")
        #expect(notice["identity"]?.string == "gpx uid:12001" && notice["missed"] == nil && notice["date"] != nil)
        #expect(access(daemon.directory.file("run/wake/gpx"), F_OK) != 0)
        #expect(try Self.stored(daemon).first?["method"]?.string == "noticeRaised")
        try Self.acknowledge(notice, agent)
        #expect(try Self.stored(daemon).isEmpty)
        try Self.acknowledge(notice, agent)
    }

    @Test func `what nobody acknowledged is told to who comes, as missed, also by another process; what was is not`()
        throws
    {
        let daemon = try Self.left()
        try daemon.walk(from: 0, to: 400)
        try daemon.walk(from: 400, to: 0)
        try waitUntil("two wait") { try Self.stored(daemon).count == 2 }
        for _ in 0..<2 {
            try daemon.restart()
            let agent = try Self.agent(of: daemon)
            try agent.settle()
            let heard = agent.heard("noticeRaised")
            #expect(heard.compactMap { $0["state"]?.string } == ["outside", "inside"])
            #expect(heard.allSatisfy { $0["missed"]?.bool == true })
            agent.close()
        }
        let agent = try Self.agent(of: daemon)
        try agent.settle()
        try Self.acknowledge(agent.heard("noticeRaised")[0], agent)
        try daemon.restart()
        let last = try Self.agent(of: daemon)
        try last.settle()
        #expect(last.heard("noticeRaised").compactMap { $0["state"]?.string } == ["inside"])
    }

    @Test func `of two agents of a user only the first is told, and the other when that is gone`() throws {
        let daemon = try Self.left()
        let (first, second) = (try Self.agent(of: daemon), try Self.agent(of: daemon))
        try daemon.walk(from: 0, to: 400)
        try first.hear("noticeRaised")
        try second.settle()
        #expect(second.heard("noticeRaised").isEmpty)
        first.close()
        #expect(try second.hear("noticeRaised")["missed"]?.bool == true)
    }

    @Test func `another user's agent, and administrators, are told nothing and acknowledge nothing`() throws {
        let daemon = try Self.left()
        let other = try Self.agent(of: daemon, uid: 12002)
        let root = try daemon.connect()
        try root.call("takeNotices")
        let own = try Self.agent(of: daemon)
        try daemon.walk(from: 0, to: 400)
        let notice = try own.hear("noticeRaised")
        for agent in [other, root] {
            try agent.settle()
            #expect(agent.heard("noticeRaised").isEmpty)
            #expect(try agent.refusal("acknowledgeNotice", Self.parameters(notice)).code == -32005)
        }
        #expect(try Self.stored(daemon).count == 1)
        let app = try daemon.connect(uid: 12001)
        #expect(try app.refusal("takeNotices").code == -32001)
        #expect(try app.refusal("acknowledgeNotice", Self.parameters(notice)).code == -32001)
    }

    @Test func `a region keeps its notice over a restart, and one that comes once is gone with it`() throws {
        let once = Self.silent.replacing(#""on":"both""#, with: #""on":"exit","repeats":false"#)
        let daemon = try Self.left(once)
        let agent = try Self.agent(of: daemon)
        try daemon.restart()
        let app = try daemon.connect(uid: 12001)
        let notice = try app.call("monitoredRegions").array?.first?["notice"]
        #expect(notice?["title"]?.string == "You are home" && notice?["on"]?.string == "exit")
        #expect(notice?["repeats"]?.bool == false)
        let again = try Self.agent(of: daemon)
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        let raised = try again.hear("noticeRaised")
        #expect(try app.call("monitoredRegions").array?.isEmpty == true)
        try daemon.restart()
        #expect(try daemon.connect(uid: 12001).call("monitoredRegions").array?.isEmpty == true)
        let last = try Self.agent(of: daemon)
        #expect(try last.hear("noticeRaised")["event"]?.int == raised["event"]?.int)
        try Self.acknowledge(raised, last)
        agent.close()
    }

    @Test func `what is not shown yet goes with the consent and with the region`() throws {
        let daemon = try Self.left()
        try daemon.walk(from: 0, to: 400)
        try waitUntil("it waits") { try Self.stored(daemon).count == 1 }
        let app = try daemon.connect(uid: 12001)
        try app.call("stopMonitoring", #"{"identifier":"home"}"#)
        #expect(try Self.stored(daemon).isEmpty)
        try app.call("startMonitoring", DaemonFixture.region("home", Self.silent))
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        try waitUntil("the next one waits") { try Self.stored(daemon).count == 1 }
        app.close()
        try daemon.authorize("gpx uid:12001", "denied")
        #expect(try Self.stored(daemon).isEmpty)
        let agent = try Self.agent(of: daemon)
        try agent.settle()
        #expect(agent.heard("noticeRaised").isEmpty)
    }

    @Test func `an agent whose manifest says so no more is told nothing more, and another one is`() throws {
        let daemon = try Self.left()
        let first = try Self.agent(of: daemon)
        try daemon.directory.write("[App]\nUser=12001\nGroup=12901\nAgent=yes\n", to: "apps.d/able.conf")
        try daemon.reload(awake + noRejoin)
        let second = try daemon.connect(uid: 12001, gid: 12901)
        try second.call("takeNotices")
        try daemon.directory.write("[App]\nUser=12001\nGroup=12900\n", to: "apps.d/desk.conf")
        try daemon.reload(awake + noRejoin)
        try daemon.walk(from: 0, to: 400)
        try second.hear("noticeRaised")
        try first.settle()
        #expect(first.heard("noticeRaised").isEmpty)
    }

    @Test func `an agent whose connection a restart keeps goes on showing`() throws {
        let daemon = try DaemonFixture(awake, step: 1000, manifests: Self.manifests, isManaged: true)
        let app = try daemon.connect(uid: 12001)
        try app.call("startMonitoring", DaemonFixture.region("home", Self.silent))
        let agent = try Self.agent(of: daemon)
        try daemon.stay(at: 0)
        try daemon.waitUntilAccepted()
        try daemon.restart(kill: SIGTERM)
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        #expect(try agent.hear("noticeRaised")["state"]?.string == "outside")
    }

    @Test(
        arguments: [
            #"{}"#, #"{"title":""}"#, #"{"title":"  "}"#, #"{"title":"a\nb"}"#, #"{"title":"a\u202eb"}"#,
            #"{"title":"a","text":"a\u0007"}"#, #"{"title":"a","on":"never"}"#, #"{"title":"a","repeats":1}"#,
            #"{"title":"a","sound":"ping"}"#, #""You are home""#,
            "{\"title\":\"\(String(repeating: "a", count: 129))\"}",
            "{\"title\":\"a\",\"text\":\"\(String(repeating: "a", count: 257))\"}",
        ])
    func `a notice that nobody could read is refused`(notice: String) throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        let refusal = try daemon.connect().refusal(
            "startMonitoring", DaemonFixture.region("home", #","notice":\#(notice)"#))
        #expect(refusal.code == -32602 && refusal.message.contains("notice"))
    }
}
