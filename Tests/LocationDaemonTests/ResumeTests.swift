// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("Updates that resume after a sequence", .blocking)
struct ResumeTests {
    /// A client of an app whose service stays, and the number of the last of some fixes.
    private static func running(_ daemon: DaemonFixture, fixes: Int) throws -> DaemonClient {
        let witness = try daemon.startUpdating()
        // In portions that the smallest log here holds: more at once could be lost to a client that does not keep up.
        for fed in stride(from: 0, to: fixes, by: 50) {
            try daemon.fixes(count: min(50, fixes - fed))
            try witness.waitForStandard(min(fed + 50, fixes))
        }
        return witness
    }

    @Test("begin right behind it, without a stored one and without a gap, and go on live")
    func complete() throws {
        let daemon = try DaemonFixture()
        let witness = try ResumeTests.running(daemon, fixes: 20)
        let client = try daemon.connect()
        let after = witness.sequences[4]
        try client.call("startUpdatingLocation", #"{"resumeAfter":\#(after)}"#)
        try daemon.fix()
        try witness.waitForStandard(21)
        try client.waitForStandard(16)
        #expect(client.sequences == Array(witness.sequences.dropFirst(5)))
        let trace = client.trace()
        #expect(trace.prefix(2) == ["-> startUpdatingLocation running", "authorization authorizedAlways full initial"])
        #expect(!trace.contains { $0.contains("cached") || $0.contains("gap") })
        #expect(trace.count < 6, "not gathered: \(trace)")
    }

    @Test("after the newest begin live, without a stored one")
    func newest() throws {
        let daemon = try DaemonFixture()
        let witness = try ResumeTests.running(daemon, fixes: 3)
        let client = try daemon.connect()
        try client.call("startUpdatingLocation", #"{"resumeAfter":\#(witness.sequences[2])}"#)
        try daemon.fix()
        try client.waitForStandard(1)
        #expect(client.trace().suffix(1) == ["standard 1"])
        #expect(client.notifications.count == 2)
    }

    @Test("after a number that was never given say so, and begin live")
    func neverGiven() throws {
        let daemon = try DaemonFixture()
        let witness = try ResumeTests.running(daemon, fixes: 3)
        for number in [witness.sequences[2] + 1, 9_007_199_254_740_991] {
            let client = try daemon.connect()
            try client.call("startUpdatingLocation", #"{"resumeAfter":\#(number)}"#)
            try daemon.fix()
            try client.waitForStandard(1)
            #expect(client.trace().last == "standard 1 gap")
            try daemon.fix()
            try client.waitForStandard(2)
            #expect(client.trace() == ["standard 1"])
        }
    }

    @Test("say so if the log does not reach back")
    func tooOld() throws {
        let daemon = try DaemonFixture("[Limits]\nLogRecords=64\n")
        let witness = try ResumeTests.running(daemon, fixes: 500)
        let client = try daemon.connect()
        try client.call("startUpdatingLocation", #"{"resumeAfter":\#(witness.sequences[9])}"#)
        try client.wait("the newest") { client.sequences.last == witness.sequences.last }
        let first = client.transcript.first { $0.hasPrefix("standard") }
        #expect(first?.contains("gap") == true, "\(client.transcript)")
        #expect(client.transcript.count { $0.contains("gap") } == 1)
        #expect(client.sequences.count >= 64)
        #expect(Array(witness.sequences.suffix(client.sequences.count)) == client.sequences)
    }

    @Test("never tell what came while the app had no service, and say that there is a gap")
    func hole() throws {
        let daemon = try DaemonFixture("[Deferral]\nRejoinSec=0\n")
        let witness = try daemon.startUpdating()
        let client = try daemon.connectWithToken(#","app":"logger""#).client
        try client.call("startUpdatingLocation")
        try daemon.fixes(count: 5)
        try client.waitForStandard(5)
        try client.call("stopUpdatingLocation")
        try daemon.fixes(count: 5)
        try witness.waitForStandard(10)
        try client.call("startUpdatingLocation", #"{"resumeAfter":\#(client.sequences[2])}"#)
        try daemon.fix()
        try client.wait("the newest") { client.times.last == daemon.simulation.time(of: 10) }
        #expect(client.times == [0, 1, 2, 3, 4, 3, 4, 10].map { daemon.simulation.time(of: $0) })
        #expect(client.transcript.count { $0.contains("gap") } == 1)
        #expect(
            client.transcript.first { $0.contains("gap") }
                == client.transcript.dropFirst().first { $0 == "standard 2 gap" })
    }

    @Test("tell what came before consent was taken and given back, and tell a gap when the daemon was restarted")
    func consentGivenBack() throws {
        let daemon = try DaemonFixture()
        let (client, token) = try daemon.keptClient()
        try daemon.fixes(count: 2)
        try client.waitForStandard(3)
        for status in ["denied", "authorizedAlways"] { try daemon.authorize("uid:0", status, "full") }
        try daemon.fixes(count: 2)
        try client.waitForStandard(5)
        let sequences = client.sequences
        let params = #"{"resumeAfter":\#(sequences[0])}"#
        let other = try daemon.connect()
        try other.call("startUpdatingLocation", params)
        try other.waitForStandard(4)
        #expect(other.sequences == Array(sequences.dropFirst()))
        #expect(!other.transcript.contains { $0.contains("gap") })
        try daemon.restart()
        let (back, rejoined) = try daemon.rejoin(token)
        try back.call("startUpdatingLocation", params)
        try back.waitForStandard(2)
        #expect(rejoined && back.sequences == Array(sequences.suffix(2)))
        #expect(back.transcript.contains("standard 2 gap"))
    }

    @Test("see only their own app's time")
    func otherApp() throws {
        let daemon = try DaemonFixture()
        let witness = try ResumeTests.running(daemon, fixes: 10)
        let client = try daemon.connectWithToken(#","app":"curious""#).client
        try client.call("startUpdatingLocation", #"{"resumeAfter":\#(witness.sequences[0])}"#)
        try daemon.fix()
        try client.wait("the newest") { client.times.last == daemon.simulation.time(of: 10) }
        #expect(client.sequences.count == 1)
        #expect(client.transcript.last == "standard 1 gap")
    }

    @Test("go by the properties now in force, and the filter counts from the location that was named")
    func filtered() throws {
        let daemon = try DaemonFixture()
        let witness = try daemon.startUpdating()
        try daemon.fixes((0...20).map { Double($0) * 10.001 })
        try witness.waitForStandard(21)
        let client = try daemon.connect()
        try client.call("setProperties", #"{"distanceFilter":50}"#)
        try client.call("startUpdatingLocation", #"{"resumeAfter":\#(witness.sequences[2])}"#)
        try daemon.fixes([200, 223, 240])
        try witness.waitForStandard(24)
        try client.settle()
        #expect(client.times == [7, 12, 17, 22].map { daemon.simulation.time(of: $0) })
    }

    @Test("come in lines of at most 60 KiB")
    func long() throws {
        let daemon = try DaemonFixture()
        let witness = try ResumeTests.running(daemon, fixes: 1000)
        let client = try daemon.connect()
        try client.call("startUpdatingLocation", #"{"resumeAfter":\#(witness.sequences[0])}"#)
        try client.waitForStandard(999)
        #expect(client.sequences == Array(witness.sequences.dropFirst()))
        let lines = client.trace().filter { $0.hasPrefix("standard") }
        #expect((4...10).contains(lines.count) && lines.dropLast(2).allSatisfy { $0.hasSuffix("more") }, "\(lines)")
        #expect(lines.last?.contains("more") == false)
    }

    @Test("again and again, one after the other, as the client says")
    func whileRunning() throws {
        let daemon = try DaemonFixture()
        let client = try ResumeTests.running(daemon, fixes: 10)
        let first = client.sequences
        try client.call("startUpdatingLocation", #"{"resumeAfter":\#(first[6])}"#)
        try client.waitForStandard(13)
        #expect(Array(client.sequences.dropFirst(10)) == Array(first.dropFirst(7)))
        try daemon.fix()
        try client.waitForStandard(14)
        #expect(client.transcript.last == "standard 1")
    }
}
