// SPDX-License-Identifier: Apache-2.0
import Foundation
import LocationModel
import LocationProtocol
import LocationTestSupport
import LocationTracks
import Testing

@testable import CoreLocation

@Suite("A manager at the real daemon with the real gpsd", .serialized, .asynchronous)
struct ManagerHouseTests {
    /// Where locations are told as seconds: those of a diary, in the order in which they came.
    private static func seconds(_ diary: Diary) -> [Int] {
        diary.all.filter { $0.hasPrefix("locations ") }
            .flatMap { $0.dropFirst(10).split(separator: " ") }.compactMap { Int($0) }
    }

    private static func seconds(_ points: [TrackPoint]) -> [Int] {
        points.map { Int($0.time.milliseconds / 1000 - 1_700_000_000) }
    }

    /// Feeds points, each until a diary has it.
    private static func feed(_ points: some Sequence<TrackPoint>, _ house: ManagerHouse, _ diary: Diary) throws {
        try house.feed(points) { seconds(diary).last == seconds([$0]).first }
    }

    @Test("tells every location on the run loop of the thread that made it, the authorization first")
    func runLoop() async throws {
        let (notes, threads, fed) = try await blocking {
            let house = try ManagerHouse()
            let threads = Notes<Bool>()
            let diary = Diary { _ in threads.add(RunLoopThread.isCurrent) }
            let managers = Notes<Box>()
            let transport = house.transport
            let thread = RunLoopThread {
                let manager = ManagerHouse.makeManager(over: transport, at: placeOfCurrentThread(), diary)
                manager.startUpdatingLocation()
                managers.add(Box(manager))
            }
            thread.run()
            try ManagerHouseTests.feed(Track(.walk, duration: .seconds(5), seed: 4), house, diary)
            managers.removeAll()
            return (diary.all, threads.all, ManagerHouseTests.seconds(house.fed))
        }
        #expect(notes == ["authorization 3 0"] + fed.map { "locations \($0)" })
        #expect(threads.allSatisfy { $0 })
    }

    @Test("a deferral ends by the distance, tells its end and then all that it held, and loses nothing")
    func deferral() async throws {
        let (notes, fed) = try await blocking {
            let house = try ManagerHouse()
            let (diary, witness) = (Diary(), Diary())
            let manager = house.makeManager(diary)
            let other = house.makeManager(witness)
            manager.startUpdatingLocation()
            other.startUpdatingLocation()
            let points = Array(Track(.ferry, duration: .seconds(300), rate: 0.1, seed: 8))
            try ManagerHouseTests.feed(points.prefix(3), house, witness)
            try waitUntil("it has those too") { ManagerHouseTests.seconds(diary).count == 3 }
            manager.allowDeferredLocationUpdates(untilTraveled: 500, timeout: CLTimeIntervalMax)
            try ManagerHouseTests.feed(points.dropFirst(3), house, witness)
            try waitUntil("the deferral ended, and all came") {
                ManagerHouseTests.seconds(diary).count == points.count
            }
            withExtendedLifetime((manager, other)) {}
            return (diary.all, ManagerHouseTests.seconds(house.fed))
        }
        let told = notes.filter { $0.hasPrefix("locations ") }.flatMap { $0.dropFirst(10).split(separator: " ") }
        #expect(told.compactMap { Int($0) } == fed)
        let finish = try #require(notes.firstIndex(of: "finish nil"))
        #expect(notes.count { $0.hasPrefix("finish") } == 1)
        #expect(notes[finish + 1].split(separator: " ").count > 3, "the batch follows at once")
    }

    @Test("tells that a region is watched, entered and left")
    func region() async throws {
        let notes = try await blocking {
            let house = try ManagerHouse()
            let (diary, witness) = (Diary(), Diary())
            let points = Array(Track(.ferry, duration: .seconds(500), rate: 0.2, seed: 8))
            let middle = points[points.count / 2].truth
            let manager = house.makeManager(diary)
            let other = house.makeManager(witness)
            other.startUpdatingLocation()
            manager.startMonitoring(
                for: CLCircularRegion(center: CLLocationCoordinate2D(middle), radius: 500, identifier: "island"))
            try waitUntil("it is watched") { diary.all.contains("monitoring island") }
            // On a busy machine an answer may take longer than a property waits.
            try waitUntil("it is among the regions") { manager.monitoredRegions.map(\.identifier) == ["island"] }
            try ManagerHouseTests.feed(points, house, witness)
            try waitUntil("it was left") { diary.all.contains("exit island") && witness.all.contains("exit island") }
            withExtendedLifetime((manager, other)) {}
            return diary.all
        }
        #expect(
            notes == [
                "authorization 3 0", "monitoring island", "enter island", "state island 1", "exit island",
                "state island 2",
            ])
    }

    @Test("answers a request for a location once, and has the last one when it is made")
    func request() async throws {
        let (notes, fed, last) = try await blocking {
            let house = try ManagerHouse()
            let (diary, witness) = (Diary(), Diary())
            let other = house.makeManager(witness)
            other.startUpdatingLocation()
            try ManagerHouseTests.feed(Track(.walk, duration: .seconds(3), seed: 4), house, witness)
            let manager = house.makeManager(diary)
            try waitUntil("it has the last location") { manager.location != nil }
            let last = manager.location
            manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
            manager.requestLocation()
            let more = Track(.walk, from: Track.defaultFrom.adding(100), duration: .seconds(3), seed: 4)
            try ManagerHouseTests.feed(more, house, witness)
            try waitUntil("it is answered") { !ManagerHouseTests.seconds(diary).isEmpty }
            withExtendedLifetime((manager, other)) {}
            return (diary.all, ManagerHouseTests.seconds(house.fed), last)
        }
        #expect(last.map { Int($0.timestamp.timeIntervalSince1970 - 1_700_000_000) } == fed[2])
        #expect(notes.count == 2 && notes.first == "authorization 3 0")
        #expect(notes.last?.hasPrefix("locations ") == true)
    }

    @Test("a daemon that is killed and started again costs no location and no end of a deferral, and doubles none")
    func killed() async throws {
        let (live, deferred, fed) = try await blocking {
            let house = try ManagerHouse()
            let (diary, witness) = (Diary(), Diary())
            let manager = house.makeManager(diary)
            let other = house.makeManager(witness)
            manager.startUpdatingLocation()
            other.startUpdatingLocation()
            for round in 0..<3 {
                let from = Track.defaultFrom.adding(Double(round) * 5)
                try ManagerHouseTests.feed(Track(.walk, from: from, duration: .seconds(5), seed: 4), house, witness)
                if round == 0 {
                    try waitUntil("both have them") { ManagerHouseTests.seconds(diary).count == 5 }
                    manager.allowDeferredLocationUpdates(
                        untilTraveled: CLLocationDistanceMax, timeout: CLTimeIntervalMax)
                    try house.waitUntilDeferring()
                }
                try house.kill()
                try house.start()
                try house.waitUntilWatching()
            }
            let from = Track.defaultFrom.adding(15)
            try ManagerHouseTests.feed(Track(.walk, from: from, duration: .seconds(2), seed: 4), house, witness)
            manager.disallowDeferredLocationUpdates()
            try waitUntil("all came: only \(diary.all) of \(ManagerHouseTests.seconds(house.fed)); \(house.journal)") {
                ManagerHouseTests.seconds(diary).count >= house.fed.count
            }
            withExtendedLifetime((manager, other)) {}
            return (witness.all, diary, ManagerHouseTests.seconds(house.fed))
        }
        #expect(live == ["authorization 3 0"] + fed.map { "locations \($0)" })
        #expect(ManagerHouseTests.seconds(deferred) == fed)
        #expect(deferred.all.filter { $0.hasPrefix("finish") } == ["finish 15"])
        #expect(deferred.all.count { $0.hasPrefix("authorization") } == 1)
    }

    @Test("waits for a daemon that is not there yet")
    func notThereYet() async throws {
        let notes = try await blocking {
            let house = try ManagerHouse(withDaemon: false)
            let diary = Diary()
            let manager = house.makeManager(diary)
            manager.startUpdatingLocation()
            guard manager.authorizationStatus == .notDetermined, manager.location == nil else {
                throw TestFailure("cannot be authorized without a daemon")
            }
            try house.start()
            try ManagerHouseTests.feed(Track(.walk, duration: .seconds(2), seed: 4), house, diary)
            withExtendedLifetime(manager) {}
            return diary.all
        }
        #expect(notes.count == 3 && notes.first == "authorization 3 0")
    }

    @Test("class methods ask the daemon, and take it that there is none for an answer, too")
    func questions() async throws {
        try await blocking {
            let house = try ManagerHouse()
            let status = DaemonQuestion.ask(.status(.connection), over: house.transport, Status.self)
            #expect(status?.locationServicesEnabled == true)
            let hello = DaemonQuestion.ask(.hello(HelloParameters()), over: house.transport, HelloResult.self)
            #expect(hello?.capabilities.deferredLocationUpdates == true && hello?.capabilities.heading == false)
            try house.kill()
            #expect(DaemonQuestion.ask(.status(.connection), over: house.transport, Status.self) == nil)
        }
    }

    @Test("managers that are made and dropped leave no descriptor, thread or session behind")
    func noLeak() async throws {
        try await blocking {
            let house = try ManagerHouse()
            let descriptors = { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1 }
            let diary = Diary()
            var before = 0
            for round in 0..<3 {
                for _ in 0..<300 {
                    let manager = house.makeManager(diary)
                    manager.startUpdatingLocation()
                }
                LocationSessionQueue.settle()
                if round == 0 { before = descriptors() }
            }
            // Other tests open some of their own meanwhile.
            try waitUntil("descriptors are closed: \(descriptors()) of \(before)") { descriptors() <= before + 60 }
        }
    }

    private struct Box: @unchecked Sendable {
        let manager: CLLocationManager
        init(_ manager: CLLocationManager) { self.manager = manager }
    }
}

extension WallTime {
    fileprivate func adding(_ seconds: Double) -> WallTime {
        WallTime(milliseconds: milliseconds + Int64(seconds * 1000))
    }
}
