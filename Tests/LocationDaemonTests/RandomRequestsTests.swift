// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import LocationTracks
import Testing

@Suite("Random requests and journeys", .blocking, .tellsSeed)
struct RandomRequestsTests {
    @Test(
        "a client that defers gets what one that does not gets, each once and in order, and a finish for every call",
        arguments: TrackKind.allCases)
    func lossless(kind: TrackKind) throws {
        var random = SplitMix64(seed: SplitMix64.seedOfThisRun &+ UInt64(kind.rawValue.utf8.count))
        let daemon = try DaemonFixture("[Limits]\nLogRecords=200\n")
        let live = try daemon.startUpdating()
        let client = try daemon.startUpdating()
        let other = try daemon.connect()
        var allowed = 0
        var points = Track(kind, duration: .seconds(1200), seed: random.next()).makeIterator()
        let writer = GPSDJSONWriter(device: Simulation.device)
        for _ in 0..<150 {
            switch Int(random.uniform(0...11.99)) {
            case 0, 1, 2:
                let distance = random.chance(0.3) ? "null" : "\(Int(random.uniform(-5...300)))"
                let timeout = random.chance(0.7) ? "null" : "\(random.uniform(0...0.1))"
                let params = #"{"untilTraveled":\#(distance),"timeout":\#(timeout)}"#
                allowed = try client.call("allowDeferredLocationUpdates", params)["deferral"]?.int ?? 0
            case 3: try client.call("disallowDeferredLocationUpdates")
            case 4:
                try client.call("setPresence", #"{"presence":"\#(random.chance(0.5) ? "foreground" : "background")"}"#)
            case 5:
                try client.call(
                    "setProperties", #"{"desiredAccuracy":"\#(random.chance(0.5) ? "kilometer" : "best")"}"#)
            case 6: try client.call("requestLocation")
            case 7: try client.call("startUpdatingLocation")
            case 8: try other.call(random.chance(0.5) ? "startUpdatingLocation" : "stopUpdatingLocation")
            case 9: _ = try client.refusal("setProperties", #"{"desiredAccuracy":0}"#)
            default:
                var bytes: [UInt8] = []
                for _ in 0..<Int(random.uniform(1...30)) {
                    guard let point = points.next() else { break }
                    writer.append(point, to: &bytes)
                }
                try daemon.waitForWatch()
                try daemon.gpsd.push(bytes: bytes)
                try live.readAvailable()
            }
        }
        // The last fix has been heard when the client that defers nothing has it.
        let last = points.next()
        let time = last.map { point in
            var bytes: [UInt8] = []
            point.time.appendRFC3339(to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        if let last {
            try daemon.gpsd.push(bytes: writer.lines(of: last))
            if last.hasFix { try live.wait("the last fix") { live.times.last == time } }
        }
        try client.call("disallowDeferredLocationUpdates")
        try client.settle()
        try live.settle()
        #expect(client.sequences == live.sequences)
        #expect(live.sequences.count > 50)
        let finishes = client.notifications.filter { $0["method"]?.string == "didFinishDeferredUpdates" }
            .compactMap { $0["params"]?["deferral"]?.int }
        #expect(finishes == (allowed == 0 ? [] : Array(1...allowed)))
        expectAdjacency(client)
        expectReasons(client)
    }

    /// A batch of a deferral that is not early stands right behind its finish.
    private func expectAdjacency(_ client: DaemonClient) {
        var last = ""
        for line in client.transcript {
            if line.contains("deferral="), !line.contains("early") {
                let number = line.split(separator: "=").last ?? ""
                let isBehindFinish = last.hasPrefix("finish \(number) ")
                let isContinued = last.contains("more") && last.hasSuffix("deferral=\(number)")
                #expect(isBehindFinish || isContinued, "\(line) behind \(last)")
            }
            last = line
        }
    }

    /// Errors of finishes are those of Core Location's table.
    private func expectReasons(_ client: DaemonClient) {
        let codes = client.transcript.filter { $0.hasPrefix("finish") }.compactMap { $0.split(separator: " ").last }
        #expect(Set(codes).isSubset(of: ["null", "11", "12", "13", "14", "15"]))
    }
}
