// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Glibc
import LocationClient
import LocationTestSupport
import Testing

@Suite("The sample programs, as processes of their own", .serialized, .timeLimit(.minutes(5)))
struct SampleTests {
    private static func run(
        _ program: String, _ arguments: [String] = [], in house: House, _ environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let socket = ["LOCATIOND_SOCKET": house.address.path]
        return try ChildProcess(
            try BuildProducts.program(program), arguments,
            environment: environment.merging(socket) { $1 }.mapValues { $0 })
    }

    private static func ended(_ process: ChildProcess) async throws -> ProcessEnd {
        try await eventually("the program ends: \(process.standardError)") { !process.isRunning }
        return try process.waitForExit()
    }

    @Test("LiveFollower says where the device is, and ends when it is told to, leaving nothing at the daemon")
    func liveFollower() async throws {
        let house = try House()
        try await house.serving()
        let follower = try SampleTests.run("LiveFollower", in: house)
        try await house.repeatEpochs(at: 0, until: "it says where the device is: \(follower.standardError)") {
            follower.outputLines.contains { $0.contains("45.00000 -30.00000") }
        }
        follower.terminate(SIGINT)
        #expect(try await SampleTests.ended(follower) == .exited(0))
        try await eventually("the stream has ended") { try house.liveUpdates() == 0 }
    }

    @Test("HikeTracker writes every point into a file that is complete")
    func hikeTracker() async throws {
        let house = try House()
        try await house.serving()
        let directory = try TemporaryDirectory()
        let path = directory.file("hike.gpx")
        let tracker = try SampleTests.run("HikeTracker", [path], in: house)
        try await house.repeatEpochs(at: 0, until: "it records: \(tracker.standardError)") {
            String(decoding: (try? readFile(path)) ?? [], as: UTF8.self).contains("<trkpt")
        }
        for metres in 1...5 { try house.epoch(at: Double(metres)) }
        tracker.terminate(SIGINT)
        #expect(try await SampleTests.ended(tracker) == .exited(0))
        let text = String(decoding: try readFile(path), as: UTF8.self)
        #expect(text.hasSuffix("</trkseg></trk></gpx>\n"))
        let points = text.components(separatedBy: "<trkpt").count - 1
        #expect(tracker.standardOutput.contains("\(points) points"))
    }

    @Test("GeofenceService says that the device came to a place, and ends when nothing more happens")
    func geofenceService() async throws {
        let house = try House()
        try await house.serving()
        let service = try SampleTests.run("GeofenceService", in: house, ["GEOFENCE_PATIENCE": "3"])
        try await house.repeatEpochs(at: 0, until: "it tells the arrival: \(service.standardError)") {
            service.outputLines.contains { $0.contains("came to harbour") }
        }
        #expect(try await SampleTests.ended(service) == .exited(0))
    }

    @Test(
        "a program that turns the main thread's run loop itself, even inside of a callback, is called there each time")
    func turnedMainThread() async throws {
        let house = try House()
        try await house.serving()
        let probe = try SampleTests.run(
            "CoreLocationProbe", ["turn"], in: house, ["NSLocationWhenInUseUsageDescription": "To try."])
        for count in 1...3 {
            try await house.repeatEpochs(at: Double(count), until: "\(count) came: \(probe.standardError)") {
                probe.outputLines.contains("\(count) begins")
            }
        }
        #expect(try await SampleTests.ended(probe) == .exited(0))
        let lines = probe.outputLines
        #expect(lines.prefix(4) == ["1 begins", "2 begins", "2 ends", "1 ends"])
        #expect(lines.dropFirst(4) == ["run returns after 2", "3 begins", "3 ends", "run returns after 3"])
    }

    @Test("a program goes on whose manager was made on a thread of Dispatch that has ended")
    func endedWorker() async throws {
        let house = try House()
        try await house.serving()
        let probe = try SampleTests.run(
            "CoreLocationProbe", ["worker"], in: house, ["NSLocationWhenInUseUsageDescription": "To try."])
        try await house.repeatEpochs(at: 0, until: "a location came afterwards: \(probe.standardError)") {
            probe.outputLines.contains("another location") || !probe.isRunning
        }
        #expect(try await SampleTests.ended(probe) == .exited(0), "\(probe.standardError)")
    }
}
