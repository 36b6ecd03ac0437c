// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@Suite("Standard updates", .blocking)
struct StandardUpdatesTests {
    private static let notice = "authorization authorizedAlways full initial"

    @Test("begin with the stored location, then comes the next live one whatever the filter")
    func cachedFirst() throws {
        let daemon = try DaemonFixture()
        let first = try daemon.startUpdating()
        try daemon.fix(at: 3)
        try first.waitForStandard(1)
        let client = try daemon.connect()
        try client.call("setProperties", #"{"distanceFilter":1000}"#)
        try client.call("startUpdatingLocation")
        try client.settle()
        #expect(
            client.trace() == [
                "-> setProperties", "-> startUpdatingLocation running", StandardUpdatesTests.notice,
                "standard 1 cached",
            ])
        let cached = client.notifications.last?["params"]?["locations"]?.array?.first
        #expect(cached?["sequence"]?.int == first.sequences.last)
        try daemon.fixes([3, 3, 3])
        try first.waitForStandard(4)
        try client.settle()
        #expect(client.trace() == ["standard 1"])
        #expect(client.sequences == [first.sequences[1]])
    }

    @Test("begin with no location that is too old, or if there never was one")
    func tooOld() throws {
        let daemon = try DaemonFixture("[Updates]\nCachedLocationSec=0\n")
        let first = try daemon.startUpdating()
        #expect(first.notifications.count == 1)
        try daemon.fix()
        try first.waitForStandard(1)
        let client = try daemon.startUpdating()
        #expect(client.notifications.count == 1)
    }

    @Test("the filter counts from the last delivered place")
    func filterReference() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating(#"{"distanceFilter":10}"#)
        try daemon.fixes((0...9).map { Double($0) * 4 })
        try client.waitForStandard(4)
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(client.times == [0, 3, 6, 9].map { daemon.simulation.time(of: $0) })
    }

    @Test("a move of the filter's distance passes, a smaller one does not")
    func filterEquality() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating(#"{"distanceFilter":10}"#)
        try daemon.fixes([0, 9.999, 10.0001, 20, 20.0002])
        try client.waitForStandard(3)
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(client.times == [0, 2, 4].map { daemon.simulation.time(of: $0) })
    }

    @Test("every connection has its own filter")
    func filterPerManager() throws {
        let daemon = try DaemonFixture()
        let filters = [-5.0, 0, 10, 35, 100]
        let clients = try filters.map { try daemon.startUpdating(#"{"distanceFilter":\#($0)}"#) }
        let places = (0...40).map { Double($0) * 5 + 0.01 * Double($0) }
        try daemon.fixes(places)
        try daemon.waitUntilAccepted()
        for (client, filter) in zip(clients, filters) {
            try client.settle()
            var expected: [String] = []
            var last: Double?
            for (index, place) in places.enumerated() where last.map({ place - $0 >= filter }) ?? true {
                expected.append(daemon.simulation.time(of: index))
                last = place
            }
            #expect(client.times == expected, "filter \(filter)")
        }
    }

    @Test("a clearly more accurate fix passes the filter")
    func accuracyGain() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating(#"{"distanceFilter":500}"#)
        try daemon.fix(accuracy: 500)
        try daemon.fix(accuracy: 480)
        try daemon.fix(accuracy: 100)
        try daemon.fix(accuracy: 95)
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(client.times == [0, 2].map { daemon.simulation.time(of: $0) })
    }

    @Test("bad fixes are delivered whatever the desired accuracy")
    func accuracyIsNoFilter() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating(#"{"desiredAccuracy":"nearestTenMeters"}"#)
        for _ in 0..<3 { try daemon.fix(accuracy: 80) }
        try client.waitForStandard(3)
    }

    @Test("stop is final: after its reply nothing more comes")
    func stopIsFinal() throws {
        let daemon = try DaemonFixture()
        let witness = try daemon.startUpdating()
        let client = try daemon.startUpdating()
        try daemon.fixes(count: 5)
        try witness.waitForStandard(5)
        try client.call("stopUpdatingLocation")
        #expect(client.sequences == witness.sequences)
        _ = client.trace()
        try daemon.fixes(count: 100)
        try witness.waitForStandard(105)
        try client.settle()
        #expect(client.trace().isEmpty)
    }

    @Test("a second start brings nothing new, stop and start begin anew")
    func startTwice() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating(#"{"distanceFilter":100}"#)
        try daemon.fix()
        try client.waitForStandard(1)
        _ = client.trace()
        try client.call("startUpdatingLocation")
        try daemon.fix()
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(client.trace() == ["-> startUpdatingLocation running"])
        try client.call("stopUpdatingLocation")
        try client.call("startUpdatingLocation")
        try client.settle()
        #expect(client.trace() == ["-> stopUpdatingLocation", "-> startUpdatingLocation running", "standard 1 cached"])
        try daemon.fixes([0, 0])
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(client.trace() == ["standard 1"])
    }

    @Test("late fixes are refused, and counted by reason")
    func order() throws {
        let daemon = try DaemonFixture(step: 1000)
        let client = try daemon.startUpdating()
        var lines = (0..<30).map { _ in daemon.simulation.fix() }
        // Two late reports in a row at the most: three would be the clock's new time.
        lines.swapAt(4, 5)
        lines.swapAt(10, 12)
        try daemon.waitForWatch()
        for line in lines { try daemon.gpsd.push(line) }
        try daemon.fix()
        try client.wait("the newest") { client.times.last == daemon.simulation.time(of: 30) }
        for (earlier, later) in zip(client.times, client.times.dropFirst()) { #expect(earlier < later) }
        for (earlier, later) in zip(client.sequences, client.sequences.dropFirst()) { #expect(earlier < later) }
        #expect(client.times.count == 31 - 3)
        let rejected = try daemon.status()["fixes"]?["rejected"]?.object ?? [:]
        #expect(rejected["outOfOrder"]?.int == 3)
        #expect(rejected.values.reduce(0) { $0 + ($1.int ?? 0) } == 3)
    }

    @Test("locations carry what the receiver said, and lack what it did not say")
    func fields() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fix(accuracy: 7)
        try client.waitForStandard(1)
        let full = client.notifications.last?["params"]?["locations"]?.array?.first ?? .null
        #expect(
            full.names == [
                "latitude", "longitude", "horizontalAccuracy", "timestamp", "sequence", "sourceInformation", "altitude",
                "ellipsoidalAltitude", "verticalAccuracy", "speed", "speedAccuracy", "course", "courseAccuracy",
            ])
        #expect(abs((full["latitude"]?.double ?? 0) - 45) < 1e-9)
        #expect(abs((full["longitude"]?.double ?? 0) + 30) < 1e-9)
        #expect(abs((full["horizontalAccuracy"]?.double ?? 0) - Simulation.radius(7)) < 0.01)
        #expect(full["altitude"]?.double == 0.5)
        #expect(full["ellipsoidalAltitude"]?.double == 59.5)
        #expect(abs((full["verticalAccuracy"]?.double ?? 0) - 7.77) < 0.01)
        #expect(full["speed"]?.double == 1.25)
        #expect(full["course"]?.double == 0)
        #expect(full["timestamp"]?.string == daemon.simulation.time(of: 0))
        #expect(full["sourceInformation"]?["isSimulatedBySoftware"]?.bool == false)
        #expect(
            full["sourceInformation"]?["isProducedByAccessory"]?.bool == true
                || full["sourceInformation"]?["isProducedByAccessory"]?.bool == false)
        var flat = daemon.simulation.fix()
        for (old, new) in [(#""mode":3"#, #""mode":2"#), (#","track":0.0,"speed":1.25"#, "")] {
            flat = flat.replacing(old, with: new)
        }
        try daemon.gpsd.push(flat)
        try client.waitForStandard(2)
        let plain = client.notifications.last?["params"]?["locations"]?.array?.first ?? .null
        #expect(
            plain.names == [
                "latitude", "longitude", "horizontalAccuracy", "timestamp", "sequence", "sourceInformation",
            ])
    }

    @Test("the last location is told to whoever asks, powers nothing up and stays after stop")
    func location() throws {
        let daemon = try DaemonFixture()
        let asking = try daemon.connect()
        #expect(try asking.call("location") == .null)
        #expect(!daemon.isWatching)
        let client = try daemon.startUpdating()
        try daemon.fixes([0, 100])
        try client.waitForStandard(2)
        let delivered = client.notifications.last?["params"]?["locations"]?.array?.last
        #expect(try asking.call("location") == delivered)
        try client.call("stopUpdatingLocation")
        #expect(try client.call("location") == delivered)
        #expect(asking.notifications.isEmpty)
    }
}

@Suite("Consent", .blocking)
struct ConsentTests {
    @Test("updates that were started before it come by themselves with it")
    func undetermined() throws {
        let daemon = try DaemonFixture("[Authorization]\nDefault=notDetermined\n")
        let client = try daemon.connect()
        let result = try client.call("startUpdatingLocation")
        #expect(result["state"]?.string == "waitingForAuthorization")
        // It names what would grant it.
        #expect(result["reason"]?.string?.contains("locctl authorize 'uid:0' when-in-use") == true)
        try client.settle()
        #expect(
            client.trace() == [
                "-> startUpdatingLocation waitingForAuthorization", "authorization notDetermined null initial",
            ])
        #expect(!daemon.isWatching)
        try daemon.reload("[Authorization]\nDefault=authorizedAlways\n")
        try daemon.fix()
        try client.waitForStandard(1)
        #expect(client.trace() == ["authorization authorizedAlways full", "standard 1"])
    }

    @Test("its loss is told once and silences all, its return brings updates again, and nobody is dropped")
    func lossAndReturn() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        let idle = try daemon.connectWithToken().client
        try daemon.fix()
        try client.waitForStandard(1)
        _ = client.trace()
        try daemon.reload("[Authorization]\nDefault=denied\n")
        try client.wait(for: "fail 1 standard")
        try client.settle()
        #expect(client.trace() == ["authorization denied full", "fail 1 standard"])
        try daemon.waitForNoWatch()
        #expect(try client.refusal("location").code == -32001)
        try daemon.reload("[Authorization]\nDefault=authorizedWhenInUse\n")
        try daemon.fix()
        try client.waitForStandard(2)
        let trace = client.trace()
        #expect(trace.first == "-> location -32001")
        #expect(trace.dropFirst().first == "authorization authorizedWhenInUse full")
        #expect(trace.last == "standard 1")
        #expect(trace.filter { $0.hasPrefix("fail") }.isEmpty)
        try idle.settle()
        #expect(
            idle.trace() == [
                "-> hello", "authorization authorizedAlways full initial", "authorization denied full",
                "authorization authorizedWhenInUse full",
            ])
        // The same again is no change.
        try daemon.reload("[Authorization]\nDefault=authorizedWhenInUse\n")
        try client.settle()
        #expect(client.trace().isEmpty)
    }

    @Test("lost during a deferral: notice, finish 11, error 1, and the held locations are never seen")
    func lossWhileDeferred() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates", "{}")
        _ = client.trace()
        try daemon.fixes(count: 5)
        try daemon.waitUntilAccepted()
        try daemon.reload("[Authorization]\nDefault=denied\n")
        try client.wait(for: "fail 1 standard")
        try client.settle()
        #expect(client.trace() == ["authorization denied full", "finish 1 11", "fail 1 standard"])
        try daemon.reload("")
        try daemon.fix()
        try client.waitForStandard(2)
        #expect(client.times == [0, 6].map { daemon.simulation.time(of: $0) })
    }

    @Test("reduced to a coarse place: a circle that holds the true one and nothing else is told")
    func reduced() throws {
        let daemon = try DaemonFixture("[Authorization]\nDefaultAccuracy=reduced\n")
        let client = try daemon.connect()
        try client.call("startUpdatingLocation")
        try daemon.fixes((0..<20).map { Double($0) * 10 })
        try client.waitForStandard(1)
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(
            client.trace() == [
                "-> startUpdatingLocation running", "authorization authorizedAlways reduced initial", "standard 1",
            ])
        let location = client.notifications.last?["params"]?["locations"]?.array?.first ?? .null
        #expect(
            location.names == [
                "latitude", "longitude", "horizontalAccuracy", "timestamp", "sequence", "sourceInformation",
            ])
        let radius = location["horizontalAccuracy"]?.double ?? 0
        #expect((1_000...20_000).contains(radius))
        let middle = Coordinate(
            latitude: location["latitude"]?.double ?? 0, longitude: location["longitude"]?.double ?? 0)
        #expect(middle.distance(to: Simulation.home) <= radius)
        #expect(location["timestamp"]?.string?.hasSuffix(":00.000Z") == true)
        #expect(try client.call("location") == location)
    }
}
