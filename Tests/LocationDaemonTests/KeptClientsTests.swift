// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

extension DaemonFixture {
    /// What `systemctl restart` does.
    func restartInOrder() throws {
        #expect(try stop(SIGTERM) == .exited(0))
        try start()
    }
}

@Suite("Clients of a service that is restarted", .blocking, .tellsSeed)
struct KeptClientsTests {
    @Test("go on without a token: every location once, seq without a gap, and nothing is said of it")
    func tokenless() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let client = try daemon.startUpdating()
        for round in 1...3 {
            try daemon.fixes(count: 5)
            try client.waitForStandard(round * 5)
            try daemon.restartInOrder()
        }
        try daemon.fix()
        try client.waitForStandard(16)
        #expect(client.sequences == Array(1...16))
        #expect(client.trace().allSatisfy { $0.hasPrefix("standard") })
        try waitUntil("nothing is kept any more") { daemon.manager?.kept == [] }
    }

    @Test("have their requests answered that they sent meanwhile, also one of which they sent a half before")
    func requests() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let (client, quiet) = (try daemon.connect(), try daemon.connect())
        try client.call("setProperties", #"{"distanceFilter":7}"#)
        let (id, line) = client.request("getProperties")
        let bytes = Array("\(line)\n".utf8)
        try client.connection.send(bytes: Array(bytes.prefix(20)))
        _ = try daemon.status()
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        try client.connection.send(bytes: Array(bytes.dropFirst(20)))
        let second = try client.send("startUpdatingLocation")
        // Who said nothing yet is nobody yet.
        let first = try quiet.send("hello", #"{"protocol":1}"#)
        try daemon.start()
        #expect(try client.reply(to: id)["result"]?["distanceFilter"]?.int == 7)
        #expect(try client.reply(to: second)["result"]?["state"]?.string == "running")
        #expect(try quiet.reply(to: first)["result"]?["rejoined"]?.bool == false)
    }

    @Test("have the changes made that had to wait for their turn")
    func waiting() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let client = try daemon.connect()
        let ids = try (0..<25).map { try client.send("startMonitoring", DaemonFixture.region("region \($0 % 20)")) }
        _ = try daemon.status()
        try daemon.restartInOrder()
        for id in ids { #expect(try client.reply(to: id)["result"]?["state"]?.string == "running") }
        #expect(try client.call("monitoredRegions").array?.count == 20)
        #expect(client.heard("didStartMonitoring").count == 25)
    }

    @Test("that do not read find all that they were to be sent, each line whole")
    func unwritten() throws {
        let daemon = try DaemonFixture("[Limits]\nBacklogLocations=65536\n", isManaged: true)
        let witness = try daemon.startUpdating()
        let (client, _) = try daemon.keptClient()
        for _ in 0..<20 {
            try daemon.fixes(count: 100)
            try witness.waitForStandard(witness.sequences.count + 100)
        }
        try daemon.restartInOrder()
        try daemon.restartInOrder()
        try client.wait("all, only \(client.sequences.count)") { client.sequences.count >= 2001 }
        try daemon.fix()
        try client.waitForStandard(2002)
        #expect(client.sequences == Array(1...2002))
        #expect(!client.transcript.contains { $0.contains("dropped") || $0.contains("gap") })
    }

    @Test("get the rest of a line of which they had the beginning")
    func halfWritten() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let client = try daemon.connect()
        let ids = try (0..<12).map { _ in try client.send("rpc.discover") }
        _ = try daemon.status()
        try daemon.restartInOrder()
        let documents = try ids.map { try client.reply(to: $0)["result"] ?? .null }
        // After an upgrade the last ones are of the next release.
        let (first, last) = (documents[0], documents[11])
        #expect(first != .null && last != .null && documents.allSatisfy { $0 == first || $0 == last })
    }

    @Test("keep the deferral that was going on, which finishes once, with all that it held")
    func deferral() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":100}"#)
        _ = client.trace()
        try daemon.fixes([20, 40])
        try daemon.waitUntilAccepted()
        try daemon.restartInOrder()
        try daemon.fixes([60, 80, 101, 120])
        try client.waitForStandard(7)
        try daemon.restartInOrder()
        try client.settle()
        #expect(client.trace() == ["finish 1 null", "standard 5 deferral=1", "standard 1"])
        #expect(client.sequences == Array(1...7))
    }

    @Test("are told of a deferral whose time was over meanwhile")
    func timeout() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates", #"{"timeout":1}"#)
        let end = Deadline.within(1.1)
        try daemon.fixes([1, 2])
        try daemon.waitUntilAccepted()
        _ = client.trace()
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        try waitUntil("the timeout is over") { end.hasPassed }
        try daemon.start()
        try client.waitForStandard(3)
        #expect(client.trace() == ["finish 1 null", "standard 2 deferral=1"])
    }

    @Test("keep presence, properties, streams, sessions, monitors and their numbers")
    func everything() throws {
        let daemon = try DaemonFixture(awake, step: 1000, isManaged: true)
        let client = try daemon.connect()
        try client.call("startBackgroundActivitySession")
        try client.call("startServiceSession", #"{"requirement":"whenInUse"}"#)
        try client.call("startLiveUpdates")
        try client.call("openMonitor", #"{"name":"places"}"#)
        let circle = DaemonFixture.circle(at: 0)
        try client.call(
            "addCondition", #"{"monitor":1,"identifier":"home","condition":{"type":"circle",\#(circle)}}"#)
        try client.call("setPresence", #"{"presence":"foreground"}"#)
        try client.call("requestLocation", #"{"timeout":600}"#)
        try daemon.stay(at: 0)
        let event = try client.hear("monitorEvent")
        try client.settle()
        _ = client.trace()
        try daemon.restartInOrder()
        try client.settle()
        #expect(client.trace() == [])
        try daemon.fix()
        try client.wait(for: "didUpdate")
        try client.call("acknowledge", #"{"event":\#(event["event"]?.int ?? 0)}"#)
        let record = try client.call("monitorRecord", #"{"monitor":1,"identifier":"home"}"#)
        #expect(record["lastEvent"]?["state"]?.string == "satisfied")
        #expect(try client.call("startLiveUpdates")["updates"]?.int == 2)
        #expect(try client.call("startBackgroundActivitySession")["session"]?.int == 3)
        try client.call("invalidateServiceSession", #"{"session":2}"#)
        let status = try client.call("status")["managers"]?.array?.first
        #expect(status?["presence"]?.string == "foreground")
        #expect(client.heard("monitorEvent").count == 1 && client.heard("serviceSessionDiagnostic").count == 1)
    }

    @Test("see the end when the service closes them after that, and when it is stopped for good")
    func end() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let (client, other) = (try daemon.startUpdating(), try daemon.startUpdating())
        try daemon.restartInOrder()
        try client.connection.send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: 70_000))
        try client.readToEnd()
        #expect(client.transcript.last == "-> refused -32600")
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        #expect(daemon.manager?.kept == ["connections"])
        daemon.manager?.emptyStore()
        try other.readToEnd()
        try daemon.start()
    }

    @Test("that sent all they had are answered to the end, and closed then")
    func halfClosed() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let client = try daemon.connect()
        try client.call("startUpdatingLocation")
        let (_, line) = client.request("stopUpdatingLocation")
        try client.connection.send(bytes: Array(line.utf8))
        _ = try daemon.status()
        try daemon.restartInOrder()
        client.connection.halfClose()
        try client.readToEnd()
        #expect(client.transcript.last == "-> stopUpdatingLocation")
    }

    @Test("are there: nobody is started for events that they have not acknowledged", .needsOtherUsers)
    func wake() throws {
        let daemon = try DaemonFixture(
            awake, step: 1000,
            manifests: ["gpx": "[App]\nUser=12001\n[Authorization]\nDefault=authorizedAlways\n"], isManaged: true)
        let client = try daemon.connect(uid: 12001, #","events":true"#)
        try client.call("startMonitoring", DaemonFixture.region("home"))
        try daemon.walk(from: 0, to: 0)
        try daemon.walk(from: 0, to: 500)
        let event = try client.hear("didExitRegion")["event"]?.int ?? 0
        try daemon.restartInOrder()
        try client.settle()
        #expect(access(daemon.directory.file("run/wake/gpx"), F_OK) != 0)
        #expect(client.heard("didExitRegion").count == 1)
        try client.call("acknowledge", #"{"event":\#(event)}"#)
    }

    @Test("are more than one message carries, and all go on")
    func hundreds() throws {
        let daemon = try DaemonFixture(isManaged: true)
        let clients = try (0..<300).map { _ in try daemon.connect() }
        for client in clients { try client.settle() }
        try daemon.restartInOrder()
        #expect(daemon.journal.contains("took over 300 of 300 connections"))
        for client in clients { try client.settle() }
    }

    @Test("many at once, which do this and that: nobody loses a location, a line or an answer")
    func many() throws {
        var random = SplitMix64()
        let daemon = try DaemonFixture("[Limits]\nBacklogLocations=65536\n", isManaged: true)
        let clients = try (0..<20).map { _ in try daemon.startUpdating() }
        var asked: [(client: Int, id: Int)] = []
        for _ in 0..<5 {
            for _ in 0..<40 {
                let index = Int.random(in: 0..<clients.count, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: asked.append((index, try clients[index].send("getProperties")))
                case 1: asked.append((index, try clients[index].send("allowDeferredLocationUpdates")))
                case 2: asked.append((index, try clients[index].send("disallowDeferredLocationUpdates")))
                case 3: try clients[index].readAvailable()
                default: try daemon.fixes(count: Int.random(in: 1...10, using: &random))
                }
            }
            try daemon.waitUntilAccepted()
            try daemon.restartInOrder()
        }
        for client in clients { try client.call("disallowDeferredLocationUpdates") }
        let newest = try daemon.newestSequence()
        for client in clients {
            try client.waitForStandard(newest)
            #expect(client.sequences == Array(1...newest))
        }
        for (client, id) in asked { #expect(clients[client].hasReply(to: id)) }
    }
}
