// SPDX-License-Identifier: Apache-2.0
import CLinux
import LocationTestSupport
import Testing

@Suite("Significant changes", .blocking)
struct SignificantChangeTests {
    // Without a duty cycle: a receiver that sleeps as soon as the witness is let go of would miss what the test says next.
    private static let alwaysOn = "[Power]\nDutyCycle=no\n"
    private static let prompt = alwaysOn + "[SignificantChange]\nIntervalSec=0\nDistanceMeters=100\n"
    private static let start = "startMonitoringSignificantLocationChanges"
    private static let event = "significantChange 1"

    /// A client of the service alone; somebody else keeps the receiver on.
    private static func monitoring(_ daemon: DaemonFixture) throws -> (client: DaemonClient, witness: DaemonClient) {
        let witness = try daemon.startUpdating()
        let client = try daemon.connect()
        try client.call(start)
        try client.settle()
        _ = client.trace()
        return (client, witness)
    }

    private static func places(_ client: DaemonClient) -> [Double] {
        client.notifications.compactMap { $0["params"] }
            .filter { $0["source"]?.string == "significantChange" && $0["cached"] == nil }
            .compactMap { $0["locations"]?.array?.first?["latitude"]?.double }
            .map { (($0 - 45) * 111_131.7).rounded() }
    }

    @Test("begin with the stored location, then the current one, then what is far enough")
    func initial() throws {
        let daemon = try DaemonFixture(SignificantChangeTests.prompt)
        let witness = try daemon.startUpdating()
        try daemon.fix()
        try witness.waitForStandard(1)
        let client = try daemon.connect()
        try client.call(SignificantChangeTests.start)
        try client.settle()
        #expect(
            client.trace() == [
                "-> \(SignificantChangeTests.start) running", "authorization authorizedAlways full initial",
                "significantChange 1 cached",
            ])
        try daemon.fixes([10, 50, 109, 111, 150, 209, 215, 400])
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(client.trace() == Array(repeating: SignificantChangeTests.event, count: 4))
        #expect(SignificantChangeTests.places(client) == [10, 111, 215, 400])
    }

    @Test("do not care for filter and accuracy")
    func properties() throws {
        let daemon = try DaemonFixture(SignificantChangeTests.prompt)
        let (client, _) = try SignificantChangeTests.monitoring(daemon)
        try client.call("setProperties", #"{"distanceFilter":10,"desiredAccuracy":10}"#)
        try daemon.fixes([0, 20, 40, 60, 120, 140])
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(SignificantChangeTests.places(client) == [0, 120])
    }

    @Test("come no closer together than the interval")
    func interval() throws {
        let daemon = try DaemonFixture(
            SignificantChangeTests.alwaysOn + "[SignificantChange]\nIntervalSec=1s\nDistanceMeters=100\n")
        let (client, _) = try SignificantChangeTests.monitoring(daemon)
        let began = clinux_boottime_nanoseconds()
        var place = 0.0
        try waitUntil("the second event") {
            try daemon.fix(at: place)
            place += 200
            try daemon.waitUntilAccepted()
            try client.readAvailable()
            return SignificantChangeTests.places(client).count == 2
        }
        #expect(clinux_boottime_nanoseconds() - began >= 1_000_000_000)
    }

    @Test("are not seen by inaccurate fixes")
    func inaccurate() throws {
        let daemon = try DaemonFixture(SignificantChangeTests.prompt + "MaximumAccuracyMeters=200\n")
        let (client, _) = try SignificantChangeTests.monitoring(daemon)
        try daemon.fix()
        try daemon.fix(at: 5000, accuracy: 300)
        try daemon.fix(at: 150, accuracy: 50)
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(SignificantChangeTests.places(client) == [0, 150])
    }

    @Test("a second start is silent, stop is final, stop and start begin anew")
    func restart() throws {
        let daemon = try DaemonFixture(SignificantChangeTests.prompt)
        let (client, witness) = try SignificantChangeTests.monitoring(daemon)
        try daemon.fix()
        try witness.waitForStandard(1)
        try client.call(SignificantChangeTests.start)
        try daemon.fix(at: 1)
        try witness.waitForStandard(2)
        try client.settle()
        #expect(client.trace() == [SignificantChangeTests.event, "-> \(SignificantChangeTests.start) running"])
        try client.call("stopMonitoringSignificantLocationChanges")
        try daemon.fixes([1000, 2000])
        try witness.waitForStandard(4)
        try client.settle()
        #expect(client.trace() == ["-> stopMonitoringSignificantLocationChanges"])
        try client.call(SignificantChangeTests.start)
        try daemon.fixes([2000, 2001])
        try witness.waitForStandard(6)
        try client.settle()
        #expect(
            client.trace() == [
                "-> \(SignificantChangeTests.start) running", "significantChange 1 cached",
                SignificantChangeTests.event,
            ])
    }

    @Test("and standard updates of one connection are told apart, and stop one by one")
    func bothServices() throws {
        let daemon = try DaemonFixture(SignificantChangeTests.prompt)
        let client = try daemon.startUpdating()
        try client.call(SignificantChangeTests.start)
        _ = client.trace()
        try daemon.fixes([0, 10, 200])
        try client.wait("all") { client.notifications.count == 6 }
        #expect(
            client.trace() == ["standard 1", "significantChange 1", "standard 1", "standard 1", "significantChange 1"])
        try client.call("stopUpdatingLocation")
        let witness = try daemon.startUpdating()
        try daemon.fix(at: 400)
        try witness.waitForStandard(1)
        try client.settle()
        #expect(client.trace() == ["-> stopUpdatingLocation", "significantChange 1"])
    }

    @Test("come behind the finish and the batch that the same fix causes")
    func orderOfOneFix() throws {
        let daemon = try DaemonFixture(SignificantChangeTests.prompt)
        let client = try daemon.startUpdating()
        try client.call(SignificantChangeTests.start)
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":150}"#)
        _ = client.trace()
        try daemon.fixes([100.1, 200.2])
        try client.waitForStandard(3)
        try client.settle()
        #expect(
            client.trace() == [
                SignificantChangeTests.event, "finish 1 null", "standard 2 deferral=1", SignificantChangeTests.event,
            ])
    }

    @Test("that a client missed come when it is back: the newest, once")
    func pending() throws {
        let daemon = try DaemonFixture(SignificantChangeTests.prompt)
        let witness = try daemon.startUpdating()
        let (client, token) = try daemon.connectWithToken()
        try client.call(SignificantChangeTests.start)
        try daemon.fix()
        try client.wait(for: SignificantChangeTests.event)
        client.close()
        try waitUntil("the daemon has noticed") {
            try daemon.status()["managers"]?.array?.contains { $0["waitingToRejoin"]?.bool == true } == true
        }
        try daemon.fixes([1000, 2000, 2010])
        try witness.waitForStandard(4)
        for round in 0..<2 {
            let (back, rejoined) = try daemon.rejoin(token)
            #expect(rejoined)
            try back.settle()
            #expect(
                back.trace()
                    == ["-> hello", "authorization authorizedAlways full initial"]
                    + (round == 0 ? [SignificantChangeTests.event] : []))
            if round == 0 { #expect(SignificantChangeTests.places(back) == [2000]) }
            back.close()
            try waitUntil("the daemon has noticed") {
                try daemon.status()["managers"]?.array?.contains { $0["waitingToRejoin"]?.bool == true } == true
            }
        }
    }

    @Test("alone let the receiver sleep as long as nothing significant can have happened, and no longer")
    func dutyCycle() throws {
        let daemon = try DaemonFixture(
            "[SignificantChange]\nIntervalSec=0\nDistanceMeters=10\n[Power]\nMinimumSleepSec=1s\n")
        let client = try daemon.connect()
        try client.call(SignificantChangeTests.start)
        for round in 1...2 {
            try daemon.fix(at: Double(round) * 50)
            try client.wait("event \(round)") { SignificantChangeTests.places(client).count == round }
            try daemon.waitForNoWatch()
            let power = try daemon.status()["power"]
            #expect(power?["policy"]?.string == "dutyCycled")
            #expect(power?["on"]?.bool == false)
            try daemon.waitForWatch()
        }
        #expect(!client.transcript.contains { $0.hasPrefix("fail") })
    }
}
