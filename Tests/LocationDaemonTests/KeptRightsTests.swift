// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("Clients, to a service that was restarted and knows them by what is left", .blocking)
struct KeptRightsTests {
    @Test("are asked of the kernel again who they are: who is somebody else by now begins anew", .needsOtherUsers)
    func identity() throws {
        let daemon = try DaemonFixture(
            "[Authorization]\nAlwaysUsers=root 12001\n", manifests: [:], isManaged: true)
        let client = try daemon.connect(uid: 12001)
        try client.call("startUpdatingLocation")
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        try daemon.directory.write("[App]\nUser=12001\n", to: "apps.d/gpx.conf")
        try daemon.start()
        try client.readToEnd()
        #expect(daemon.journal.contains("it was uid:12001 and is gpx uid:12001"))
    }

    @Test("can come back with their token later, to what they have then")
    func token() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let (client, token) = try daemon.keptClient()
        try daemon.restartInOrder()
        try daemon.fixes(count: 2)
        try client.waitForStandard(3)
        try client.settle()
        try daemon.stop(SIGKILL)
        try client.readToEnd()
        try daemon.start()
        let (back, rejoined) = try daemon.rejoin(token)
        #expect(rejoined)
        try daemon.fix()
        try back.waitForStandard(1)
        #expect(client.sequences + back.sequences == Array(1...4))
    }

    @Test("keep a place of their own where what they left is of a boot that nobody knows")
    func otherBoot() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let (client, token) = try daemon.keptClient()
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        let file = open(daemon.directory.file("run/managers"), O_RDWR)
        var boot: UInt64 = 0x6E6F_7768_6572_6521
        #expect(pwrite(file, &boot, 8, 40) == 8)
        close(file)
        try daemon.start()
        let (other, another) = try daemon.connectWithToken()
        try client.settle()
        try other.settle()
        try daemon.restart()
        #expect(try daemon.rejoin(token).rejoined)
        #expect(try daemon.rejoin(another).rejoined)
    }

    @Test("that went meanwhile leave nothing behind, or what waits for their token")
    func gone() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let (client, token) = try daemon.keptClient()
        let tokenless = try daemon.startUpdating()
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        client.close()
        tokenless.close()
        try daemon.start()
        try daemon.waitForAbsent(1)
        #expect(try daemon.status()["managers"]?.array?.count == 2)
        #expect(try daemon.rejoin(token).rejoined)
    }

    @Test("lose the connection where nobody keeps it, and come back with their tokens")
    func unkept() throws {
        let daemon = try DaemonFixture(isManaged: true)
        daemon.manager?.refuse()
        let (client, token) = try daemon.keptClient()
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        try client.readToEnd()
        try daemon.start()
        #expect(try daemon.rejoin(token).rejoined)
    }

    @Test("are as many as the limits allow, whatever was kept", .needsOtherUsers)
    func limits() throws {
        let daemon = try DaemonFixture(manifests: [:], isManaged: true)
        let clients = try (0..<4).map { _ in try daemon.connect(uid: 12001) }
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        try daemon.directory.write("[Limits]\nConnectionsPerUser=3\n", to: "locationd.conf")
        try daemon.start()
        for client in clients.prefix(3) { try client.settle() }
        try clients[3].readToEnd()
        #expect(daemon.journal.contains("cannot go on with a connection"))
    }

    @Test("keep who answers questions, and the questions", .needsOtherUsers)
    func agent() throws {
        let daemon = try DaemonFixture(manifests: [:], isManaged: true)
        let (agent, app) = (try daemon.connect(), try daemon.connect(uid: 12001))
        try agent.call("registerAgent")
        #expect(try app.call("startUpdatingLocation")["state"]?.string == "waitingForAuthorization")
        let question = try agent.hear("authorizationRequested")["request"]?.int ?? 0
        try daemon.restartInOrder()
        try agent.settle()
        #expect(agent.heard("authorizationRequested").count == 1)
        try agent.call("answerRequest", #"{"request":\#(question),"answer":"always"}"#)
        #expect(try app.hear("didChangeAuthorization")["authorizationStatus"]?.string == "authorizedAlways")
        #expect(try agent.hear("authorizationRequestClosed")["request"]?.int == question)
        let another = try daemon.connect(uid: 12002)
        try another.call("startUpdatingLocation")
        let abandoned = try agent.hear("authorizationRequested")["request"]?.int
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        another.close()
        try daemon.start()
        let closed = try agent.hear("authorizationRequestClosed")
        #expect(closed["request"]?.int == abandoned && closed["outcome"]?.string == "withdrawn")
    }

    @Test("are told what the configuration makes of them now", .needsOtherUsers)
    func configuration() throws {
        let daemon = try DaemonFixture(
            "[Authorization]\nAlwaysUsers=root 12001\n", manifests: [:], isManaged: true)
        let client = try daemon.connect(uid: 12001)
        try client.call("startUpdatingLocation")
        try daemon.fix()
        try client.waitForStandard(1)
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        try daemon.directory.write("[Authorization]\nAlwaysUsers=root\nDeniedUsers=12001\n", to: "locationd.conf")
        try daemon.start()
        try client.wait(for: "authorization denied full")
        try client.wait(for: "fail 1 standard")
    }

    @Test("lose their connection, and nobody else does, when what is left of one is damaged")
    func damage() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let clients = try (0..<3).map { try daemon.connect(uid: 0, #","app":"client\#($0)""#) }
        for client in clients { try client.call("startUpdatingLocation") }
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        try daemon.manager?.tamper { bytes in
            let name = Array("client1".utf8)
            guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: name) }) else { return }
            bytes[place] ^= 1
        }
        try daemon.start()
        try clients[1].readToEnd()
        try daemon.fix()
        for index in [0, 2] { try clients[index].waitForStandard(1) }
    }

    @Test("all lose it when nothing can be told of any of them, and the service serves", arguments: [0, 8, 16, 40])
    func nonsense(place: Int) throws {
        let daemon = try DaemonFixture(isManaged: true)
        let client = try daemon.startUpdating()
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        try daemon.manager?.tamper { $0[place] ^= 0x40 }
        try daemon.start()
        try client.readToEnd()
        try waitUntil("nothing is kept any more") { daemon.manager?.kept == [] }
        let after = try daemon.startUpdating()
        try daemon.fix()
        try after.waitForStandard(1)
    }

    @Test("have what a connection of their app gives them whose client has to come back", .needsOtherUsers)
    func absentSession() throws {
        let manifest =
            "[App]\nUser=12001\nRequireExplicitServiceSession=yes\n[Authorization]\nDefault=authorizedAlways\n"
        let daemon = try DaemonFixture(awake, manifests: ["trails": manifest], isManaged: true)
        let (holder, stream) = (try daemon.connect(uid: 12001), try daemon.connect(uid: 12001))
        try holder.call("startServiceSession", #"{"requirement":"always"}"#)
        try stream.call("startLiveUpdates")
        try daemon.fix()
        try stream.wait(for: "didUpdate")
        _ = stream.trace()
        holder.close()
        try daemon.waitForAbsent(1)
        let heard = stream.heard("didUpdate").count
        try daemon.restartInOrder()
        try daemon.fix()
        try stream.wait("the next location") { stream.heard("didUpdate").count > heard }
        #expect(stream.heard("didUpdate").allSatisfy { $0["serviceSessionRequired"] == nil })
    }
}
