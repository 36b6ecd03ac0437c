// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@testable import LocationGeoClue

@Suite("GeoClue's own clients, unchanged", .blocking)
struct StockClientTests {
    @Test("the demo program where-am-i prints accuracy, altitude, speed and heading as the receiver has them")
    func whereAmI() throws {
        let desktop = try Desktop()
        let demo = try desktop.run(
            "/usr/libexec/geoclue-2.0/demos/where-am-i", ["--timeout", "60", "--accuracy-level", "8"])
        try desktop.drive(until: "where-am-i prints whole locations") {
            let text = demo.standardOutput
            return ["Latitude:", "Longitude:", "Accuracy:", "Altitude:", "Speed:", "Heading:", "Timestamp:"]
                .allSatisfy(text.contains)
        }
        let latitudes = demo.outputLines.filter { $0.contains("Latitude:") }
        // The drive starts there and leads away from it by at most 30 m/s.
        #expect(latitudes.allSatisfy { $0.contains("44.9") || $0.contains("45.0") }, "\(latitudes)")
        demo.terminate()
        _ = try demo.waitForExit()
        try waitUntil("nobody uses the location any more") {
            try desktop.peer().property(ObjectPaths.manager, ObjectPaths.managerInterface, "InUse") == .bool(false)
        }
    }

    @Test("the demo program goes on when it comes late for what it was told")
    func lateReader() throws {
        let desktop = try Desktop()
        let peer = try desktop.peer()
        let client = try peer.client()
        #expect(try peer.start(client) == nil)
        let demo = try desktop.run(
            "/usr/libexec/geoclue-2.0/demos/where-am-i", ["--timeout", "60", "--accuracy-level", "8"])
        let lines = { demo.outputLines.filter { $0.contains("Latitude:") }.count }
        try desktop.drive(until: "where-am-i prints a location") { lines() > 0 }
        demo.terminate(SIGSTOP)
        let told = try peer.updates(of: client).count
        try desktop.drive(until: "many locations replace each other") { try peer.updates(of: client).count > told + 40 }
        demo.terminate(SIGCONT)
        try waitUntil("where-am-i has printed what came meanwhile") {
            guard demo.isRunning else { throw TestFailure("cannot go on: where-am-i has ended") }
            return lines() > 40
        }
        demo.terminate()
        _ = try demo.waitForExit()
    }

    @Test("libgeoclue's simple client is told every location")
    func simple() throws {
        let desktop = try Desktop()
        let peer = try desktop.peer()
        try peer.beSimple("org.example.Map", 8)
        try desktop.drive(until: "the client is told five locations") {
            try peer.hear()
            return peer.lines.filter { $0["located"] != nil }.count >= 5
        }
        let places = peer.lines.compactMap { $0["located"]?.array?.map { $0.double ?? .nan } }
        #expect(Set(places.map { $0[1] }).count > 1, "the drive went somewhere")
        #expect(places.allSatisfy { $0[2] > 0 && $0[2] < 200 }, "an accuracy in metres")
        #expect(places.last.map { $0[3] > 0 && $0[4] >= 0 && $0[5] >= -1 } == true, "altitude, speed and heading")
    }

    @Test("a city is as much as its client is told: a circle of kilometres, without altitude, speed and heading")
    func city() throws {
        let desktop = try Desktop()
        let peer = try desktop.peer()
        try peer.beSimple("org.example.Weather", 4)
        try desktop.drive(until: "the client is told something") {
            try peer.hear()
            return peer.lines.contains { $0["located"] != nil }
        }
        let place = try peer.wait("a place") { $0["located"]?.array?.map { $0.double ?? .nan } }
        #expect((1000...20_000).contains(place[2]))
        #expect(place[3] == LocationProperties.unknownAltitude)
        #expect(place[4] == -1)
        #expect(place[5] == -1)
    }
}
