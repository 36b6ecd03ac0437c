// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("A client that does not read", .blocking)
struct SlowReaderTests {
    /// Pushes fixes in small heaps, each read by the witness before the next.
    private static func push(_ count: Int, _ daemon: DaemonFixture, _ witness: DaemonClient) throws {
        var left = count
        while left > 0 {
            let heap = min(left, 100)
            try daemon.fixes(count: heap)
            try witness.waitForStandard(witness.sequences.count + heap)
            left -= heap
        }
    }

    private static func lag(_ daemon: DaemonFixture, app: String) throws -> JSON? {
        try daemon.status()["managers"]?.array?.first { $0["app"]?.string == app }?["lag"]
    }

    private static func slow(_ daemon: DaemonFixture) throws -> DaemonClient {
        let client = try daemon.connect()
        try client.call("hello", #"{"protocol":1,"app":"slow"}"#)
        try client.call("startUpdatingLocation")
        return client
    }

    @Test("gets bigger arrays later, is told how much it lost, and nobody else notices")
    func dropped() throws {
        let daemon = try DaemonFixture("[Limits]\nBacklogLocations=100\n")
        let witness = try daemon.startUpdating()
        let client = try SlowReaderTests.slow(daemon)
        for _ in 0..<4 {
            try SlowReaderTests.push(700, daemon, witness)
            let waiting = try SlowReaderTests.lag(daemon, app: "slow")?["locations"]?.int ?? -1
            #expect((0...100).contains(waiting), "\(waiting) locations wait")
        }
        #expect(!witness.transcript.contains { $0.contains("dropped") })
        #expect(witness.sequences.count == 2800)
        try client.wait("the newest") { client.sequences.last == witness.sequences.last }

        var (last, dropped, longest) = (0, 0, 0)
        for message in client.notifications where message["method"]?.string == "didUpdateLocations" {
            let sequences = (message["params"]?["locations"]?.array ?? []).compactMap { $0["sequence"]?.int }
            longest = max(longest, sequences.count)
            let lost = message["params"]?["dropped"]?.int ?? 0
            #expect((sequences.first ?? 0) - last - 1 == lost)
            #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 + 1 == $1 })
            dropped += lost
            last = sequences.last ?? 0
        }
        #expect(dropped > 1000)
        #expect(client.sequences.count + dropped == 2800)
        #expect((2...100).contains(longest))
        let counted = try client.call("status")["managers"]?.array?.first { $0["app"]?.string == "slow" }?["dropped"]
        #expect(counted?.int == dropped)
        // It is as quick as the others again.
        try daemon.fix()
        try client.waitForStandard(client.sequences.count + 1)
        #expect(client.transcript.last == "standard 1")
    }

    @Test("loses nothing of a deferral's batch, however small the backlog")
    func deferredBatch() throws {
        let daemon = try DaemonFixture("[Limits]\nBacklogLocations=16\nLogRecords=3000\n")
        let witness = try daemon.startUpdating()
        let client = try SlowReaderTests.slow(daemon)
        try daemon.fix()
        try client.waitForStandard(1)
        try witness.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates", "{}")
        try SlowReaderTests.push(2500, daemon, witness)
        try client.send("disallowDeferredLocationUpdates")
        try SlowReaderTests.push(200, daemon, witness)
        try client.wait("the newest") { client.sequences.last == witness.sequences.last }
        let batch = client.sequences.prefix(2501)
        #expect(Array(batch) == Array(witness.sequences.prefix(2501)))
        let finish = client.transcript.firstIndex(of: "finish 1 15") ?? 0
        let ofDeferral = client.transcript.indices.filter { client.transcript[$0].hasSuffix("deferral=1") }
        #expect(ofDeferral == Array(finish + 1..<finish + 1 + ofDeferral.count))
    }

    @Test("is closed when it takes no complete line for long, which the journal says, and others are not")
    func stalled() throws {
        let daemon = try DaemonFixture("[Limits]\nStalledClientSec=1s\nBacklogLocations=16\n")
        let witness = try daemon.startUpdating()
        let client = try SlowReaderTests.slow(daemon)
        try SlowReaderTests.push(1500, daemon, witness)
        try waitUntil("the journal says that it was closed") { daemon.journal.contains("closed the connection") }
        try client.readToEnd()
        try daemon.fix()
        try witness.waitForStandard(1501)
    }

    @Test("is closed when more that cannot be dropped waits for it than may")
    func undroppable() throws {
        let small = "[Limits]\nOutputHighWater=16K\nOutputLimit=64K\n"
        let daemon = try DaemonFixture(small)
        let witness = try daemon.startUpdating()
        let client = try SlowReaderTests.slow(daemon)
        let administrator = try daemon.connect()
        try waitUntil("the journal says that it was closed") {
            for status in ["denied", "authorizedAlways"] {
                try daemon.directory.write("\(small)[Authorization]\nDefault=\(status)\n", to: "locationd.conf")
                try administrator.call("reload")
            }
            try witness.readAvailable()
            return daemon.journal.contains("closed the connection")
        }
        try client.readToEnd()
        try daemon.fix()
        try witness.waitForStandard(1)
    }

    @Test("is asked nothing more while its output waits; later every request is answered in order")
    func requestsWait() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.call("hello", #"{"protocol":1,"app":"slow"}"#)
        var ids: [Int] = []
        var text = ""
        for _ in 0..<400 {
            let (id, line) = client.request("rpc.discover")
            ids.append(id)
            text += line + "\n"
        }
        try client.connection.send(bytes: Array(text.utf8))
        try waitUntil("output waits") { try SlowReaderTests.lag(daemon, app: "slow")?["bytes"]?.int ?? 0 > 0 }
        let document = try daemon.connect().call("rpc.discover")
        #expect(document["openrpc"] != nil)
        var most = 0
        for _ in 0..<50 { most = max(most, try SlowReaderTests.lag(daemon, app: "slow")?["bytes"]?.int ?? 0) }
        #expect(most <= 256 * 1024 + 128 * 1024, "\(most) bytes wait")
        for id in ids { #expect(try client.reply(to: id)["result"]?["openrpc"] != nil) }
        try client.settle()
    }

    @Test("does not hold up a thousand fixes for the others, however many such clients there are")
    func manySlow() throws {
        let daemon = try DaemonFixture("[Limits]\nBacklogLocations=16\n")
        let witness = try daemon.startUpdating()
        var slow: [DaemonClient] = []
        for _ in 0..<20 { slow.append(try daemon.startUpdating()) }
        try SlowReaderTests.push(1000, daemon, witness)
        #expect(witness.sequences.count == 1000)
        for client in slow {
            try client.wait("the newest") { client.sequences.last == witness.sequences.last }
            try client.settle()
        }
    }

    @Test("does not keep the daemon from stopping, and finds what it missed after it")
    func stopping() throws {
        let daemon = try DaemonFixture()
        let witness = try daemon.startUpdating()
        let (client, token) = try daemon.keptClient()
        try witness.waitForStandard(1)
        try SlowReaderTests.push(900, daemon, witness)
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        try client.readToEnd()
        #expect(client.sequences.count < 901)
        try daemon.start()
        let back = try daemon.rejoin(token).client
        try back.wait("the newest") { back.sequences.last == witness.sequences.last }
        #expect(client.sequences + back.sequences == witness.sequences)
    }

    @Test("but asks a thousand things at once lets others have their turn")
    func fairness() throws {
        let daemon = try DaemonFixture()
        let greedy = try daemon.connectWithToken(#","app":"greedy""#).client
        let modest = try daemon.connect()
        try modest.call("location")
        var text = ""
        for number in 1...500 { text += greedy.request("setProperties", #"{"distanceFilter":\#(number)}"#).line + "\n" }
        try daemon.freeze()
        try greedy.connection.send(bytes: Array(text.utf8))
        let id = try modest.send("status", #"{"scope":"all"}"#)
        daemon.thaw()
        let managers = try modest.reply(to: id)["result"]?["managers"]?.array
        let properties = try #require(managers?.first { $0["app"]?.string == "greedy" }?["properties"])
        let seen = properties["distanceFilter"]?.double ?? 0
        #expect(seen < 500, "\(properties)")
        try greedy.settle()
        #expect(try greedy.call("getProperties")["distanceFilter"]?.double == 500)
    }
}
