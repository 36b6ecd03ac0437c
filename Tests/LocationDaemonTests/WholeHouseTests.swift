// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import LocationTracks
import Testing

@Suite("The whole house, with the real gpsd", .blocking, .tellsSeed)
struct WholeHouseTests {
    /// Feeds points as a receiver does; each is waited for, as far as it has a fix.
    private static func feed(_ points: some Sequence<TrackPoint>, _ gpsd: RealGPSD, _ witness: DaemonClient) throws {
        for point in points {
            try gpsd.feed(NMEAWriter().burst(of: point))
            guard point.hasFix else { continue }
            try witness.waitForStandard(witness.sequences.count + 1)
        }
    }

    @Test("every epoch of the receiver becomes one location, near the place where the receiver saw itself")
    func everyEpoch() throws {
        let gpsd = try RealGPSD()
        let daemon = try DaemonFixture(gpsdPort: gpsd.port)
        let client = try daemon.startUpdating()
        let points = Array(Track(.walk, duration: .seconds(30), seed: 3))
        try WholeHouseTests.feed(points, gpsd, client)
        try client.settle()
        #expect(client.sequences.count == 30)
        let locations = client.notifications.flatMap { $0["params"]?["locations"]?.array ?? [] }
        for (point, location) in zip(points, locations) {
            let place = Coordinate(
                latitude: location["latitude"]?.double ?? 0, longitude: location["longitude"]?.double ?? 0)
            #expect(point.measured.map { $0.distance(to: place) < 1 } == true)
            // The very first report comes before the dilutions are known.
            #expect((3...(point.elapsed == .zero ? 150 : 50)).contains(location["horizontalAccuracy"]?.double ?? 0))
            #expect(location["altitude"].map { abs(($0.double ?? 0) - point.altitude) < 1 } ?? true)
        }
        let receiver = try daemon.status()["receivers"]?.array?.first
        #expect(receiver?["path"]?.string == gpsd.device)
        #expect(receiver?["mode"]?.int == 3)
        #expect(receiver?["satellitesUsed"]?.int == points.last?.satellitesUsed)
    }

    @Test("the receiver is opened for the first who asks, not before, and serves the next one too")
    func receiverPower() throws {
        let gpsd = try RealGPSD()
        let daemon = try DaemonFixture(gpsdPort: gpsd.port)
        _ = try daemon.connectWithToken()
        #expect(!gpsd.isReceiverOpen)
        let client = try daemon.startUpdating()
        try WholeHouseTests.feed(Track(.walk, duration: .seconds(3)), gpsd, client)
        #expect(gpsd.isReceiverOpen)
        // gpsd closes it a minute after the last watcher left; until then it is there at once.
        try client.call("stopUpdatingLocation")
        let again = try daemon.startUpdating()
        try WholeHouseTests.feed(Track(.walk, from: Track.defaultFrom.adding(100), duration: .seconds(3)), gpsd, again)
    }

    @Test("a deferral loses nothing of what others see, and ends by the distance travelled")
    func deferral() throws {
        let gpsd = try RealGPSD()
        let daemon = try DaemonFixture(gpsdPort: gpsd.port)
        let witness = try daemon.startUpdating()
        let client = try daemon.startUpdating()
        let points = Array(Track(.ferry, duration: .seconds(400), rate: 0.1, seed: 8))
        try WholeHouseTests.feed(points.prefix(5), gpsd, witness)
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":500}"#)
        _ = client.trace()
        try WholeHouseTests.feed(points.dropFirst(5), gpsd, witness)
        try client.waitForStandard(witness.sequences.count)
        #expect(client.sequences == witness.sequences)
        #expect(client.trace().first == "finish 1 null")
    }

    @Test("gpsd killed and started again at any moment costs what it had not said, and nothing else")
    func killedGPSD() throws {
        var random = SplitMix64()
        let gpsd = try RealGPSD()
        let daemon = try DaemonFixture(gpsdPort: gpsd.port)
        let witness = try daemon.startUpdating()
        let client = try daemon.startUpdating()
        var second = 0.0
        for round in 1...3 {
            let count = Int(random.uniform(3...10))
            let from = Track.defaultFrom.adding(second)
            second += 60
            try WholeHouseTests.feed(Track(.walk, from: from, duration: .seconds(Double(count))), gpsd, witness)
            try client.call("allowDeferredLocationUpdates")
            try gpsd.feed(NMEAWriter().burst(of: Array(Track(.walk, from: from.adding(30), duration: .seconds(1)))[0]))
            try gpsd.kill()
            try waitUntil("locationd has noticed") { try daemon.status()["gpsd"]?["connected"]?.bool == false }
            try gpsd.restart()
            #expect(try witness.call("status")["gpsd"]?["state"]?.string != nil, "round \(round)")
        }
        let before = try daemon.newestSequence()
        try WholeHouseTests.feed(
            Track(.walk, from: Track.defaultFrom.adding(second), duration: .seconds(3)), gpsd, witness)
        try witness.wait("all") { (witness.sequences.last ?? 0) >= before + 3 }
        try client.call("disallowDeferredLocationUpdates")
        try client.settle()
        try witness.settle()
        #expect(client.sequences == witness.sequences)
        let finishes = client.transcript.filter { $0.hasPrefix("finish") }
        #expect(finishes.count == 3)
    }
}

extension WallTime {
    fileprivate func adding(_ seconds: Double) -> WallTime {
        WallTime(milliseconds: milliseconds + Int64(seconds * 1000))
    }
}
