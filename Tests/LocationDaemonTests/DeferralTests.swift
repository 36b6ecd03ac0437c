// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("A deferral", .blocking)
struct DeferralTests {
    private static let allow = "-> allowDeferredLocationUpdates running"

    /// A client that defers and holds `held` locations; nothing in its trace.
    private static func deferred(
        _ daemon: DaemonFixture, held: Int, _ params: String = "{}"
    ) throws -> DaemonClient {
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates", params)
        try daemon.fixes(count: held)
        try daemon.waitUntilAccepted()
        _ = client.trace()
        return client
    }

    private static func expectLive(_ client: DaemonClient, _ daemon: DaemonFixture) throws {
        try daemon.fixes(count: 2)
        try client.wait("two live fixes") { client.transcript.suffix(2) == ["standard 1", "standard 1"] }
    }

    @Test("is ended by the next one: finish 15 and batch before the reply; the criteria count anew")
    func secondAllow() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralTests.deferred(daemon, held: 3, #"{"untilTraveled":100}"#)
        try daemon.fix(at: 60)
        try daemon.waitUntilAccepted()
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":100}"#)
        try daemon.fixes([120, 140, 160, 180])
        try client.waitForStandard(9)
        #expect(
            client.trace() == [
                "finish 1 15", "standard 4 deferral=1", DeferralTests.allow, "finish 2 null", "standard 3 deferral=2",
                "standard 1",
            ])
    }

    @Test("is ended by disallow: finish 15 and batch before the reply, then one by one")
    func disallow() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralTests.deferred(daemon, held: 4)
        try client.call("disallowDeferredLocationUpdates")
        try DeferralTests.expectLive(client, daemon)
        #expect(
            client.trace() == [
                "finish 1 15", "standard 4 deferral=1", "-> disallowDeferredLocationUpdates", "standard 1",
                "standard 1",
            ])
    }

    @Test("that is none is disallowed without any effect")
    func disallowNone() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        #expect(try client.call("disallowDeferredLocationUpdates") == .object([:]))
        try DeferralTests.expectLive(client, daemon)
        #expect(client.trace() == ["-> disallowDeferredLocationUpdates", "standard 1", "standard 1"])
    }

    @Test("is ended by stop: finish 15 and batch before the reply, then silence")
    func stop() throws {
        let daemon = try DaemonFixture()
        let witness = try daemon.startUpdating()
        let client = try DeferralTests.deferred(daemon, held: 4)
        try client.call("stopUpdatingLocation")
        try daemon.fixes(count: 3)
        try witness.waitForStandard(8)
        try client.settle()
        #expect(client.trace() == ["finish 1 15", "standard 4 deferral=1", "-> stopUpdatingLocation"])
    }

    @Test(
        "is ended by a property that makes it unfit, before the reply",
        arguments: [
            (#"{"desiredAccuracy":"kilometer"}"#, 13), (#"{"distanceFilter":10}"#, 14),
            (#"{"desiredAccuracy":10,"distanceFilter":10}"#, 13),
        ])
    func unfitProperty(properties: String, code: Int) throws {
        let daemon = try DaemonFixture()
        let client = try DeferralTests.deferred(daemon, held: 2)
        try client.call("setProperties", properties)
        try client.settle()
        #expect(client.trace() == ["finish 1 \(code)", "standard 2 deferral=1", "-> setProperties"])
    }

    @Test("goes on when other properties change")
    func fitProperty() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralTests.deferred(daemon, held: 2)
        try client.call("setProperties", #"{"desiredAccuracy":"bestForNavigation","activityType":"fitness"}"#)
        try client.call("startUpdatingLocation")
        #expect(client.trace() == ["-> setProperties", "-> startUpdatingLocation running"])
        try client.call("disallowDeferredLocationUpdates")
        #expect(client.sequences.count == 3)
    }

    @Test("fails with 11 when no fix came for long, and delivers what it held")
    func outage() throws {
        let daemon = try DaemonFixture("[Deferral]\nOutageSec=1s\n")
        let client = try DeferralTests.deferred(daemon, held: 3)
        try client.wait(for: "finish 1 11")
        try client.waitForStandard(4)
        try DeferralTests.expectLive(client, daemon)
        #expect(client.trace() == ["finish 1 11", "standard 3 deferral=1", "standard 1", "standard 1"])
    }

    @Test("many calls in one write: as many finishes, in the order of the calls")
    func pipelined() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralTests.deferred(daemon, held: 2)
        var text = ""
        for _ in 0..<40 { text += client.request("allowDeferredLocationUpdates", #"{"timeout":600}"#).line + "\n" }
        text += client.request("disallowDeferredLocationUpdates").line + "\n"
        try client.connection.send(bytes: Array(text.utf8))
        try client.wait(for: "finish 41 15")
        try client.settle()
        var expected = ["finish 1 15", "standard 2 deferral=1", DeferralTests.allow]
        for number in 2...40 { expected += ["finish \(number) 15", DeferralTests.allow] }
        expected += ["finish 41 15", "-> disallowDeferredLocationUpdates"]
        #expect(client.trace() == expected)
    }

    @Test("lets a full log go early and goes on", arguments: [64, 100])
    func early(records: Int) throws {
        let daemon = try DaemonFixture("[Limits]\nLogRecords=\(records)\n")
        let client = try DeferralTests.deferred(daemon, held: 3 * records + 28)
        try client.settle()
        let batch = "standard \(records) early deferral=1"
        #expect(client.trace() == [batch, batch, batch])
        #expect(try client.call("status")["managers"]?.array?.first?["deferral"]?["held"]?.int == 28)
        _ = client.trace()
        try client.call("disallowDeferredLocationUpdates")
        #expect(client.trace() == ["finish 1 15", "standard 28 deferral=1", "-> disallowDeferredLocationUpdates"])
        #expect(client.times == (0..<3 * records + 29).map { daemon.simulation.time(of: $0) })
    }

    @Test("that held much delivers it in lines of at most 60 KiB, nothing between them", arguments: [false, true])
    func longBatch(isEarly: Bool) throws {
        let daemon = try DaemonFixture("[Limits]\nLogRecords=1500\n")
        let client = try DeferralTests.deferred(daemon, held: 1400)
        try client.call("startMonitoringSignificantLocationChanges")
        try client.settle()
        _ = client.trace()
        if isEarly {
            try daemon.fixes(count: 100)
            try client.waitForStandard(1501)
            try client.settle()
        } else {
            try client.call("disallowDeferredLocationUpdates")
        }
        var trace = client.trace()
        if isEarly { trace.removeAll { $0.hasPrefix("significantChange") } }
        let flags = isEarly ? " early" : ""
        let lines = trace.filter { $0.hasPrefix("standard") }
        #expect(lines.count > 4)
        #expect(lines.dropLast().allSatisfy { $0.hasSuffix("\(flags) more deferral=1") }, "\(lines)")
        #expect(lines.last?.hasSuffix("\(flags) deferral=1") == true && lines.last?.contains("more") == false)
        #expect(isEarly ? trace == lines : trace.first == "finish 1 15" && Array(trace.dropFirst().dropLast()) == lines)
        #expect(client.times == (0...(isEarly ? 1500 : 1400)).map { daemon.simulation.time(of: $0) })
    }

    @Test("in the foreground delivers live while its criteria are watched")
    func foreground() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try client.call("setPresence", #"{"presence":"foreground"}"#)
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":100}"#)
        _ = client.trace()
        for place in [30.0, 60, 90] {
            try daemon.fix(at: place)
            try client.wait(for: "standard 1")
            #expect(client.trace() == ["standard 1"])
        }
        try daemon.fix(at: 120)
        try client.waitForStandard(5)
        #expect(client.trace() == ["finish 1 null", "standard 1"])
    }

    @Test("that goes to the foreground lets go early; in the background again it goes on for the rest")
    func presenceChanges() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralTests.deferred(daemon, held: 0, #"{"untilTraveled":100}"#)
        try daemon.fixes([20, 40])
        try daemon.waitUntilAccepted()
        try client.call("setPresence", #"{"presence":"foreground"}"#)
        try daemon.fix(at: 60)
        try client.waitForStandard(4)
        #expect(client.trace() == ["-> setPresence", "standard 2 early deferral=1", "standard 1"])
        try client.call("setPresence", #"{"presence":"background"}"#)
        try daemon.fix(at: 80)
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(client.trace() == ["-> setPresence"])
        try daemon.fixes([101, 120])
        try client.waitForStandard(7)
        #expect(client.trace() == ["finish 1 null", "standard 2 deferral=1", "standard 1"])
    }

    @Test("of one client is nothing to the others")
    func independence() throws {
        let daemon = try DaemonFixture()
        let live = try daemon.startUpdating()
        var deferred: [DaemonClient] = []
        try daemon.fix()
        try live.waitForStandard(1)
        for number in 1...10 {
            let client = try daemon.startUpdating()
            try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":\#(number * 100)}"#)
            _ = client.trace()
            deferred.append(client)
        }
        try daemon.fixes((1...100).map { Double($0) * 10 })
        try live.waitForStandard(101)
        for (index, client) in deferred.enumerated() {
            let held = (index + 1) * 10
            try client.waitForStandard(100)
            #expect(client.trace().prefix(2) == ["finish 1 null", "standard \(held) deferral=1"])
            #expect(client.sequences == Array(live.sequences.dropFirst()))
        }
    }

    @Test("delivers the same places as updates that are not deferred, byte for byte")
    func sameBytes() throws {
        let daemon = try DaemonFixture()
        let live = try daemon.startUpdating()
        let client = try DeferralTests.deferred(daemon, held: 0)
        for index in 1...30 { try daemon.fix(at: Double(index) * 7.3, accuracy: Double(index)) }
        try live.waitForStandard(31)
        try client.call("disallowDeferredLocationUpdates")
        func locations(_ client: DaemonClient) -> [JSON] {
            client.notifications.filter { $0["params"]?["cached"] == nil }
                .flatMap { $0["params"]?["locations"]?.array ?? [] }
        }
        #expect(locations(client) == locations(live))
        #expect(locations(live).count == 31)
    }
}
