// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("The sample programs, as processes of their own", .serialized, .asynchronous)
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
        let house = try House(from: WallTime(Date()))
        try await house.serving()
        let directory = try TemporaryDirectory()
        let path = directory.file("hike.gpx")
        let tracker = try SampleTests.run("HikeTracker", [path], in: house)
        try await house.repeatEpochs(at: 0, until: "it records: \(tracker.standardError)") {
            try SampleTests.text(path).contains("<trkpt")
        }
        for metres in 1...5 { try house.epoch(at: Double(metres)) }
        tracker.terminate(SIGINT)
        #expect(try await SampleTests.ended(tracker) == .exited(0))
        let text = try SampleTests.text(path)
        #expect(text.hasSuffix("</trkseg></trk></gpx>\n"))
        let points = text.components(separatedBy: "<trkpt").count - 1
        #expect(tracker.standardOutput.contains("\(points) points"))
    }

    @Test("HikeTracker leaves out the location of before, with which the daemon greets")
    func oldLocation() async throws {
        let house = try House(from: WallTime(Date(timeIntervalSinceNow: -600)))
        try await house.serving()
        let follower = try SampleTests.run("LiveFollower", in: house)
        try await house.repeatEpochs(at: 0, until: "there is a location of before: \(follower.standardError)") {
            follower.outputLines.contains { $0.contains("45.00000 -30.00000") }
        }
        house.skip(seconds: 600)
        let directory = try TemporaryDirectory()
        let path = directory.file("hike.gpx")
        let tracker = try SampleTests.run("HikeTracker", [path], in: house)
        try await eventually("it is greeted with it: \(tracker.standardError)") {
            try house.managers().contains { $0.app == "HikeTracker" && $0.services.count > 0 }
        }
        try await house.repeatEpochs(at: 1000, until: "it records: \(tracker.standardError)") {
            try SampleTests.text(path).contains("<trkpt")
        }
        tracker.terminate(SIGINT)
        #expect(try await SampleTests.ended(tracker) == .exited(0))
        let text = try SampleTests.text(path)
        #expect(text.contains("lat=\"45.00899"))
        #expect(!text.contains("lat=\"45.0000000\""), "the way begins where the device was ten minutes ago")
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: (try? readFile(path)) ?? [], as: UTF8.self)
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

    @Test("GeofenceService says what is in the way: nobody has decided, somebody said no")
    func geofenceObstacles() async throws {
        let house = try House(House.awake + "[Authorization]\nDefault=ask\n")
        try await house.serving()
        let service = try SampleTests.run(
            "GeofenceService", in: house,
            [
                "GEOFENCE_PATIENCE": "20", "NSLocationWhenInUseUsageDescription": "To try.",
                "NSLocationAlwaysAndWhenInUseUsageDescription": "To try at any time.",
            ])
        try await SampleTests.says(service, "cannot watch harbour: nobody has decided yet")
        let app = try #require(try house.managers().first { $0.app == "GeofenceService" }?.identity)
        try house.ask { connection throws(LocationClientError) in try connection.authorize(app, .denied) }
        try await SampleTests.says(service, "cannot watch harbour: somebody decided")
        service.terminate(SIGTERM)
    }

    private static func says(_ service: ChildProcess, _ text: String) async throws {
        try await eventually("it says \(text): \(service.standardOutput) \(service.standardError)") {
            service.outputLines.contains { $0.contains(text) }
        }
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
