// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

extension DaemonFixture {
    /// Waits until so many managers, of `app` or of all, wait for their clients.
    func waitForAbsent(_ count: Int = 1, app: String? = nil) throws {
        try waitUntil("\(count) managers wait for their clients") {
            try status()["managers"]?.array?.count {
                $0["waitingToRejoin"]?.bool == true && (app == nil || $0["app"]?.string == app)
            } == count
        }
    }

    /// A client with a token, running updates and a first fix.
    func keptClient(_ hello: String = "") throws -> (client: DaemonClient, token: String) {
        let (client, token) = try connectWithToken(hello)
        try client.call("startUpdatingLocation")
        try fix()
        try client.waitForStandard(1)
        _ = client.trace()
        return (client, token)
    }
}

@Suite("A client that comes back with its token", .blocking)
struct RejoinTests {
    private static let greeting = ["-> hello", "authorization authorizedAlways full initial"]

    @Test("finds properties, services and every fix since, in order, and seq begins anew")
    func nothingLost() throws {
        let daemon = try DaemonFixture()
        let witness = try daemon.startUpdating()
        let (client, token) = try daemon.keptClient(#","app":"back""#)
        try client.call("setProperties", #"{"activityType":"fitness"}"#)
        client.close()
        try daemon.waitForAbsent()
        try daemon.fixes(count: 12)
        try witness.waitForStandard(13)
        let (back, rejoined) = try daemon.rejoin(token, #","app":"back""#)
        #expect(rejoined)
        try daemon.fix()
        try back.waitForStandard(13)
        try witness.waitForStandard(14)
        let trace = back.trace()
        #expect(Array(trace.prefix(2)) == RejoinTests.greeting)
        #expect(trace.count < 6, "not gathered: \(trace)")
        #expect(client.sequences + back.sequences == witness.sequences)
        #expect(try back.call("getProperties")["activityType"]?.string == "fitness")
    }

    @Test("gets nothing twice if there was nothing new")
    func nothingNew() throws {
        let daemon = try DaemonFixture()
        let (client, token) = try daemon.keptClient()
        client.close()
        try daemon.waitForAbsent()
        let (back, rejoined) = try daemon.rejoin(token)
        #expect(rejoined)
        try back.settle()
        #expect(back.trace() == RejoinTests.greeting)
    }

    @Test("has its filter applied to what it missed, from the last place that it was told")
    func filter() throws {
        let daemon = try DaemonFixture()
        let witness = try daemon.startUpdating()
        let (client, token) = try daemon.keptClient()
        try client.call("setProperties", #"{"distanceFilter":50}"#)
        try daemon.fix(at: 10)
        try witness.waitForStandard(2)
        client.close()
        try daemon.waitForAbsent()
        try daemon.fixes([20, 45, 55, 80, 106, 120])
        try witness.waitForStandard(8)
        let back = try daemon.rejoin(token).client
        try daemon.fix(at: 160)
        try back.waitForStandard(3)
        #expect(back.times == [4, 6, 8].map { daemon.simulation.time(of: $0) })
    }

    @Test("finds its deferral as it stands")
    func deferralGoesOn() throws {
        let daemon = try DaemonFixture()
        let (client, token) = try daemon.keptClient()
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":100}"#)
        try daemon.fixes([20, 40])
        try daemon.waitUntilAccepted()
        client.close()
        try daemon.waitForAbsent()
        try daemon.fixes([60, 80])
        try daemon.waitUntilAccepted()
        let back = try daemon.rejoin(token).client
        try back.settle()
        #expect(back.trace() == RejoinTests.greeting)
        try daemon.fixes([101, 120])
        try back.waitForStandard(6)
        #expect(back.trace() == ["finish 1 null", "standard 5 deferral=1", "standard 1"])
    }

    @Test("is told the end of a deferral that was met meanwhile: finish, its batch, then the rest")
    func deferralEnded() throws {
        let daemon = try DaemonFixture()
        let (client, token) = try daemon.keptClient()
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":100}"#)
        client.close()
        try daemon.waitForAbsent()
        try daemon.fixes([50, 101, 110, 120])
        try daemon.waitUntilAccepted()
        let back = try daemon.rejoin(token).client
        try back.waitForStandard(4)
        #expect(Array(back.trace().prefix(4)) == RejoinTests.greeting + ["finish 1 null", "standard 2 deferral=1"])
        #expect(back.times == (1...4).map { daemon.simulation.time(of: $0) })
    }

    @Test("is told a finish again, by its number and before anything else, until it has asked something after it")
    func unconfirmedFinish() throws {
        let daemon = try DaemonFixture()
        let (client, token) = try daemon.keptClient()
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":100}"#)
        try daemon.fix(at: 101)
        try client.waitForStandard(2)
        client.close()
        try daemon.waitForAbsent()
        for _ in 0..<2 {
            // Saying hello is no request after it: only one on the new connection is.
            let (back, rejoined) = try daemon.rejoin(token)
            #expect(rejoined)
            try back.wait(for: "finish 1 null")
            #expect(back.trace() == RejoinTests.greeting + ["finish 1 null"])
            back.close()
            try daemon.waitForAbsent()
        }
        let confirming = try daemon.rejoin(token).client
        try confirming.wait(for: "finish 1 null")
        try confirming.call("location")
        confirming.close()
        try daemon.waitForAbsent()
        let last = try daemon.rejoin(token).client
        try last.settle()
        #expect(last.trace() == RejoinTests.greeting)
        #expect(try last.call("allowDeferredLocationUpdates", #"{"timeout":0}"#)["deferral"]?.int == 2)
    }

    @Test("is a stranger with a token that is unknown, in use, another app's or late")
    func stranger() throws {
        let daemon = try DaemonFixture("[Deferral]\nRejoinSec=1s\n")
        let unknown = String(repeating: "0123456789abcdef", count: 2)
        #expect(try !daemon.rejoin(unknown).rejoined)
        let (client, token) = try daemon.keptClient(#","app":"mine""#)
        let (second, rejoined) = try daemon.rejoin(token, #","app":"mine""#)
        #expect(!rejoined)
        try daemon.fix()
        try client.waitForStandard(2)
        try second.settle()
        #expect(second.trace() == RejoinTests.greeting)
        second.close()
        try daemon.waitForAbsent(0)
        client.close()
        try daemon.waitForAbsent(1, app: "mine")
        #expect(try !daemon.rejoin(token, #","app":"other""#).rejoined)
        #expect(try !daemon.rejoin(token).rejoined)
        try daemon.waitForAbsent(0)
        try daemon.waitForNoWatch()
        let late = try daemon.rejoin(token, #","app":"mine""#)
        #expect(!late.rejoined)
        #expect(try late.client.call("getProperties")["distanceFilter"]?.string == "none")
        try late.client.settle()
        #expect(late.client.transcript.filter { $0.hasPrefix("finish") || $0.hasPrefix("standard") }.isEmpty)
    }

    @Test("can say at once where it wants to resume")
    func resumeAfter() throws {
        let daemon = try DaemonFixture()
        let witness = try daemon.startUpdating()
        let (client, token) = try daemon.keptClient()
        try daemon.fixes(count: 9)
        try client.waitForStandard(10)
        client.close()
        try daemon.waitForAbsent()
        try daemon.fixes(count: 3)
        try witness.waitForStandard(13)
        let back = try daemon.connect()
        let hello = back.request("hello", #"{"protocol":1,"manager":"\#(token)"}"#).line
        let start = back.request("startUpdatingLocation", #"{"resumeAfter":\#(client.sequences[4])}"#).line
        try back.connection.send(bytes: Array("\(hello)\n\(start)\n".utf8))
        try back.wait("the newest") { back.sequences.last == witness.sequences.last }
        try back.settle()
        let last = back.sequences.suffix(8)
        #expect(Array(last) == Array(witness.sequences.suffix(8)))
        #expect(!back.transcript.contains { $0.contains("gap") })
    }

    @Test("is sent what was not wholly written to it, if it did not read")
    func notWritten() throws {
        let daemon = try DaemonFixture("[Limits]\nBacklogLocations=65536\n")
        let witness = try daemon.startUpdating()
        let (client, token) = try daemon.keptClient()
        try witness.waitForStandard(1)
        for _ in 0..<20 {
            try daemon.fixes(count: 100)
            try witness.waitForStandard(witness.sequences.count + 100)
        }
        // What the kernel took counts as written; the rest must come. The daemon holds still, lest it write on while this reads.
        try daemon.freeze()
        let taken = client.connection.linesSoFar()
        client.close()
        daemon.thaw()
        try daemon.waitForAbsent()
        let back = try daemon.rejoin(token).client
        try back.wait("the newest") { back.sequences.last == witness.sequences.last }
        let lastTaken =
            try JSON(parsing: taken.last ?? "{}")["params"]?["locations"]?.array?.last?["sequence"]?.int ?? 0
        #expect(back.sequences.first == lastTaken + 1)
        #expect(back.sequences == Array(witness.sequences.suffix(back.sequences.count)))
    }

    @Test("finds its pending request, and the numbers go on")
    func pendingRequest() throws {
        let daemon = try DaemonFixture("[Updates]\nRequestCacheSec=0\n")
        let (client, token) = try daemon.connectWithToken()
        #expect(try client.call("requestLocation", #"{"timeout":600}"#)["request"]?.int == 1)
        client.close()
        try daemon.waitForAbsent()
        let back = try daemon.rejoin(token).client
        #expect(try back.call("requestLocation")["request"]?.int == 1)
        try daemon.fix(accuracy: 3)
        try back.wait(for: "request 1 request=1")
        #expect(try back.call("requestLocation")["request"]?.int == 2)
    }

    @Test("may change its presence by coming back")
    func presence() throws {
        let daemon = try DaemonFixture()
        let (client, token) = try daemon.keptClient()
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":1000}"#)
        try daemon.fixes(count: 3)
        try daemon.waitUntilAccepted()
        client.close()
        try daemon.waitForAbsent()
        let back = try daemon.rejoin(token, #","presence":"foreground""#).client
        try back.waitForStandard(3)
        try daemon.fix()
        try back.waitForStandard(4)
        #expect(!back.transcript.contains { $0.hasPrefix("finish") })
    }

    @Test("keeps the receiver on while it is awaited, and lets it go off when its time is up")
    func demand() throws {
        let daemon = try DaemonFixture("[Deferral]\nRejoinSec=1s\n")
        let (client, _) = try daemon.keptClient()
        client.close()
        try daemon.waitForAbsent()
        #expect(daemon.isWatching)
        try daemon.waitForNoWatch()
        #expect(try daemon.status()["managers"]?.array?.count == 1)
    }

    @Test("that never said hello is not awaited")
    func withoutToken() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        client.close()
        try daemon.waitForNoWatch()
        #expect(try daemon.status()["managers"]?.array?.count == 1)
    }

    @Test("many times in a row loses and repeats nothing", .tellsSeed)
    func manyTimes() throws {
        var random = SplitMix64()
        let daemon = try DaemonFixture()
        let witness = try daemon.startUpdating()
        var (client, token) = try daemon.keptClient()
        var sequences: [Int] = []
        for _ in 0..<30 {
            try daemon.fixes(count: Int(random.uniform(0...5)))
            try daemon.waitUntilAccepted()
            try client.settle()
            sequences += client.sequences
            client.close()
            try daemon.waitForAbsent()
            try daemon.fixes(count: Int(random.uniform(0...5)))
            try daemon.waitUntilAccepted()
            let result = try daemon.rejoin(token)
            #expect(result.rejoined)
            client = result.client
        }
        try daemon.fix()
        try daemon.waitUntilAccepted()
        try client.settle()
        try witness.settle()
        #expect(sequences + client.sequences == witness.sequences)
    }
}
