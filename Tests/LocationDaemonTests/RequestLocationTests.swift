// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("A single request", .blocking)
struct RequestLocationTests {
    private static let notice = "authorization authorizedAlways full initial"
    private static let noCache = "[Updates]\nRequestCacheSec=0\n"

    @Test("ends in one location as soon as one is good enough, and the receiver goes off")
    func goodEnough() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        let result = try client.call("requestLocation")
        #expect(result["state"]?.string == "running")
        #expect(result["request"]?.int == 1)
        try daemon.fix(accuracy: 60)
        try daemon.fix(accuracy: 3)
        try client.wait(for: "request 1 request=1")
        try daemon.waitForNoWatch()
        try client.settle()
        #expect(client.trace() == ["-> requestLocation running", RequestLocationTests.notice, "request 1 request=1"])
        let location = client.notifications.last?["params"]?["locations"]?.array?.first
        #expect(location?["timestamp"]?.string == daemon.simulation.time(of: 1))
    }

    @Test("delivers the best of its time when that is over")
    func bestSoFar() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.call("setProperties", #"{"desiredAccuracy":"nearestTenMeters"}"#)
        try client.call("requestLocation", #"{"timeout":1}"#)
        for accuracy in [80.0, 30, 50, 60] { try daemon.fix(accuracy: accuracy) }
        try client.wait(for: "request 1 request=1")
        let location = client.notifications.last?["params"]?["locations"]?.array?.first
        #expect(location?["timestamp"]?.string == daemon.simulation.time(of: 1))
    }

    @Test("ends in error 0 only if there was no fix at all")
    func noFix() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.call("requestLocation", #"{"timeout":0.3}"#)
        try daemon.waitForWatch()
        try daemon.gpsd.push(daemon.simulation.noFix())
        try client.wait(for: "fail 0 request request=1")
        try daemon.waitForNoWatch()
        #expect(
            client.trace() == ["-> requestLocation running", RequestLocationTests.notice, "fail 0 request request=1"])
        // Unlike a service a request does not go on.
        let message = client.heard("didFailWithError").last?["error"]?["message"]?.string ?? ""
        #expect(message.hasPrefix("cannot tell the location: none came within the time of the request"), "\(message)")
        #expect(!message.contains("goes on"), "\(message)")
    }

    @Test("is answered by a stored location that is young and good enough, without any receiver")
    func stored() throws {
        let daemon = try DaemonFixture()
        let other = try daemon.startUpdating()
        try daemon.fix(accuracy: 3)
        try other.waitForStandard(1)
        try other.call("stopUpdatingLocation")
        try daemon.waitForNoWatch()
        let commands = daemon.gpsd.commands.count
        let client = try daemon.connect()
        try client.call("requestLocation")
        try client.settle()
        #expect(client.trace() == ["-> requestLocation running", RequestLocationTests.notice, "request 1 request=1"])
        #expect(daemon.gpsd.commands.count == commands)
    }

    @Test("is one while it runs: a second call returns the same number")
    func sameNumber() throws {
        let daemon = try DaemonFixture(RequestLocationTests.noCache)
        let client = try daemon.connect()
        #expect(try client.call("requestLocation")["request"]?.int == 1)
        #expect(try client.call("requestLocation", #"{"timeout":600}"#)["request"]?.int == 1)
        try daemon.fix(accuracy: 3)
        try client.wait(for: "request 1 request=1")
        #expect(try client.call("requestLocation")["request"]?.int == 2)
        try daemon.fix(accuracy: 3)
        try client.wait(for: "request 1 request=2")
        try client.settle()
        #expect(client.transcript.count { $0.hasPrefix("request") } == 2)
    }

    @Test("is ignored while standard updates run")
    func ignored() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        let result = try client.call("requestLocation")
        #expect(result == .object(["state": .string("ignored")]))
        try daemon.fix(accuracy: 3)
        try client.waitForStandard(1)
        #expect(client.trace() == ["-> requestLocation ignored", "standard 1"])
    }

    @Test("cares for no filter")
    func filterFree() throws {
        let daemon = try DaemonFixture(RequestLocationTests.noCache)
        let client = try daemon.startUpdating(#"{"distanceFilter":1000000}"#)
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("stopUpdatingLocation")
        try client.call("requestLocation")
        try daemon.fix(accuracy: 3)
        try client.wait(for: "request 1 request=1")
    }

    @Test("is cancelled by the start of standard updates, behind the reply")
    func cancelledByStart() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.call("requestLocation")
        try client.call("startUpdatingLocation")
        try daemon.fix(accuracy: 3)
        try client.waitForStandard(1)
        #expect(
            client.trace() == [
                "-> requestLocation running", RequestLocationTests.notice, "-> startUpdatingLocation running",
                "cancel 1 by startUpdatingLocation", "standard 1",
            ])
    }

    @Test("is cancelled by stop, before the reply")
    func cancelledByStop() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.call("requestLocation")
        try client.call("stopUpdatingLocation")
        try client.settle()
        #expect(
            client.trace() == [
                "-> requestLocation running", RequestLocationTests.notice, "cancel 1 by stopUpdatingLocation",
                "-> stopUpdatingLocation",
            ])
        try daemon.waitForNoWatch()
    }

    @Test("is cancelled by a deferral, behind the reply and before its finish")
    func cancelledByAllow() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.call("requestLocation")
        try client.call("allowDeferredLocationUpdates", "{}")
        try client.settle()
        #expect(
            client.trace() == [
                "-> requestLocation running", RequestLocationTests.notice, "-> allowDeferredLocationUpdates ignored",
                "cancel 1 by allowDeferredLocationUpdates", "finish 1 12",
            ])
    }

    @Test("fails with error 1 where it is denied, at once")
    func denied() throws {
        let daemon = try DaemonFixture("[Authorization]\nDefault=denied\n")
        let client = try daemon.connect()
        #expect(try client.call("requestLocation")["state"]?.string == "denied")
        try client.settle()
        #expect(
            client.trace() == [
                "-> requestLocation denied", "authorization denied full initial", "fail 1 request request=1",
            ])
    }

    @Test("that waits for consent ends too, once")
    func undetermined() throws {
        let daemon = try DaemonFixture("[Authorization]\nDefault=notDetermined\n")
        let client = try daemon.connect()
        #expect(try client.call("requestLocation", #"{"timeout":0.3}"#)["state"]?.string == "waitingForAuthorization")
        try client.wait("its end") { client.notifications.count == 2 }
        try client.settle()
        #expect(client.transcript.count { $0.hasSuffix("request=1") } == 1)
    }

    @Test("of a client that leaves needs the receiver no longer")
    func abandoned() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.call("requestLocation", #"{"timeout":600}"#)
        try daemon.waitForWatch()
        client.close()
        try daemon.waitForNoWatch()
    }

    @Test("ends exactly once, whatever happens", .tellsSeed)
    func exactlyOnce() throws {
        var random = SplitMix64()
        let daemon = try DaemonFixture(RequestLocationTests.noCache)
        let client = try daemon.connect()
        var asked = 0
        for _ in 0..<150 {
            switch Int(random.uniform(0...5.99)) {
            case 0, 1:
                if let number = try client.call("requestLocation", #"{"timeout":0.05}"#)["request"]?.int {
                    asked = max(asked, number)
                }
            case 2: try client.call("startUpdatingLocation")
            case 3: try client.call("stopUpdatingLocation")
            case 4: try client.call("allowDeferredLocationUpdates", #"{"timeout":0}"#)
            default:
                // Not waiting for a watch: the request may end by its time at any moment.
                try daemon.gpsd.push(daemon.simulation.fix(accuracy: random.chance(0.5) ? 3 : 40))
            }
        }
        try client.call("stopUpdatingLocation")
        try client.settle()
        for number in 1...max(asked, 1) {
            let endings = client.transcript.filter {
                $0.hasSuffix("request=\(number)") || $0.hasPrefix("cancel \(number) by")
            }
            #expect(endings.count == 1, "request \(number): \(endings)")
        }
    }
}
