// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

/// Real programs: locationd, locationd-uplink, Debian's mosquitto.
@Suite("The uplink and a broker", .blocking)
struct BrokerTests {
    @Test func `sends each location, and the cursor on the disk follows the acknowledgements`() throws {
        let bench = try UplinkBench()
        try bench.startAll()
        try bench.fixes(30)
        try bench.waitForLocations(30)
        #expect(bench.sequences == bench.sequences.sorted())
        try waitUntil("the cursor is on the disk") { bench.cursor == bench.sequences.last }
        #expect(try bench.retained()?.contains("car-\(bench.sequences.last ?? 0)") == true)
        #expect(bench.tap.mostInFlight <= 20)
    }

    @Test func `sends the newest first when the broker is back, and then what is late in order`() throws {
        let bench = try UplinkBench()
        try bench.startAll()
        try bench.fixes(5)
        try bench.waitForLocations(5)
        try waitUntil("the uplink knows that the broker has them") { bench.status?["sent"]?.int == 5 }
        try bench.kill(.broker)
        try bench.fixes(300)
        try waitUntil("the uplink knows what waits") { bench.status?["waiting"]?.int == 300 }
        try bench.startBroker()
        try bench.waitForLocations(305)
        let late = bench.sequences.dropFirst(5)
        #expect(late.first == 305 && Array(late.dropFirst()) == Array(6...304))
        #expect(try bench.retained()?.contains("car-305") == true)
    }

    @Test func `keeps late locations away from the location's topic where they have their own`() throws {
        let bench = try UplinkBench(uplink: "[Uplink]\nBacklog=topic")
        try bench.startAll()
        try bench.fixes(5)
        try bench.waitForLocations(5)
        // Else the cut may come before the last acknowledgement, and that one waits, too.
        try waitUntil("the uplink knows that the broker has them") { bench.status?["sent"]?.int == 5 }
        bench.tap.cut(true)
        try bench.fixes(20)
        try waitUntil("the uplink knows what waits") { bench.status?["waiting"]?.int == 20 }
        bench.tap.cut(false)
        try waitUntil("the late ones arrive: \(bench.tap.acknowledged.map { ($0.topic, $0["_id"]?.string ?? "") })") {
            bench.tap.acknowledged.count { $0.topic == "owntracks/locationd/car/backlog" } == 19
        }
        #expect(bench.sequences == [1, 2, 3, 4, 5, 25])
    }

    @Test func `says what it left out where no late locations are wanted`() throws {
        let bench = try UplinkBench(uplink: "[Uplink]\nBacklog=drop")
        try bench.startAll()
        try bench.fixes(5)
        try bench.waitForLocations(5)
        // Else the cut may come before the last acknowledgement, and that one waits, too.
        try waitUntil("the uplink knows that the broker has them") { bench.status?["sent"]?.int == 5 }
        bench.tap.cut(true)
        try bench.fixes(20)
        try waitUntil("the uplink knows what waits") { bench.status?["waiting"]?.int == 20 }
        bench.tap.cut(false)
        try bench.waitForLocations(6)
        #expect(bench.sequences == [1, 2, 3, 4, 5, 25])
        try waitUntil("it says how many") { bench.status?["leftOut"]?.int == 19 }
    }

    @Test func `takes what the daemon held in a batch`() throws {
        // Long enough for a slow machine to push all of them meanwhile.
        let bench = try UplinkBench(uplink: "[Uplink]\nBatch=10s")
        try bench.startAll()
        // The first one comes live and begins the batch.
        try bench.fixes(1)
        try bench.waitForLocations(1)
        let daemon = try LocationConnection(to: bench.address)
        try waitUntil("the daemon holds what comes") {
            try daemon.status(.all).managers?.contains { $0.deferral != nil } ?? false
        }
        try bench.fixes(40)
        try bench.waitForLocations(41)
        #expect(bench.sequences == Array(1...41))
        #expect(bench.locations.suffix(40).count { $0.isRetained } == 1, "only the last of a batch is retained")
    }

    @Test func `goes on behind its cursor after it was killed`() throws {
        let bench = try UplinkBench()
        try bench.startAll()
        try bench.fixes(10)
        try bench.waitForLocations(10)
        try bench.kill(.uplink)
        try bench.fixes(50)
        try bench.startUplink()
        try bench.waitForLocations(60)
        #expect(Set(bench.sequences) == Set(1...60))
        #expect(Set(bench.locations.compactMap { $0["_id"]?.string }).count == 60)
    }

    @Test func `significant changes outlive the death of the uplink while the broker is away`() throws {
        let bench = try UplinkBench(
            uplink: "[Uplink]\nMode=significant",
            daemon: "[SignificantChange]\nDistanceMeters=10\nIntervalSec=0\n")
        try bench.startAll()
        bench.tap.cut(true)
        try bench.fixes(30)
        try waitUntil("they wait on the disk") { bench.keptMessages.count >= 5 }
        try bench.kill(.uplink)
        let kept = Set(bench.keptMessages)
        bench.tap.cut(false)
        try bench.startUplink()
        try waitUntil("they arrive: \(kept), \(bench.locations)") {
            Set(bench.locations.compactMap { $0["_id"]?.string }).isSuperset(of: kept)
        }
        try waitUntil("none is kept any more") { bench.keptMessages.isEmpty }
    }

    @Test func `speaks version 3.1.1, too`() throws {
        let bench = try UplinkBench(uplink: "Protocol=3.1.1", isV5: false)
        try bench.startAll()
        try bench.fixes(5)
        try bench.waitForLocations(5)
    }

    @Test func `says why the broker refuses, and keeps everything`() throws {
        let bench = try UplinkBench(uplink: "Username=car", broker: "allow_anonymous false\n")
        try bench.startAll()
        try bench.fixes(5)
        try waitUntil("the refusal is shown") {
            bench.status?["lastError"]?.string?.contains("the broker refuses: ") == true
        }
        try waitUntil("all waits") { bench.status?["waiting"]?.int == 5 }
    }

    @Test func `tells of crossings, which the daemon keeps until the broker has them`() throws {
        let place = Coordinate(latitude: 45, longitude: -30).moved(by: 1000, course: 0)
        let bench = try UplinkBench(uplink: "[Regions]\nmarket=\(place.latitude),\(place.longitude),200m")
        try bench.startAll()
        bench.tap.cut(true)
        try bench.fixes(200)
        try waitUntil("the crossings wait") { bench.status?["waitingEvents"]?.int == 2 }
        try bench.kill(.uplink)
        bench.tap.cut(false)
        try bench.startUplink()
        try bench.waitForLocations(200)
        func crossings() -> [BrokerTap.Message] {
            bench.tap.acknowledged.filter { $0.topic == "owntracks/locationd/car/event" }
        }
        try waitUntil("the crossings arrive") { crossings().count == 2 }
        #expect(crossings().compactMap { $0["event"]?.string } == ["enter", "leave"])
        #expect(crossings().allSatisfy { $0["desc"]?.string == "market" && !$0.isRetained && $0["wtst"]?.int ?? 0 > 0 })
        try waitUntil("the daemon keeps none any more") {
            try LocationConnection(to: bench.address).events(of: "uid:0").isEmpty
        }
    }

    @Test func `stops without consent, forgets what waits, and has the broker forget the location`() throws {
        let bench = try UplinkBench()
        try bench.directory.write(
            "[App]\nIdentifier=locationd-uplink\nUser=root\n[Authorization]\nDefault=authorizedAlways\n",
            to: "apps.d/locationd-uplink.conf")
        try bench.startAll()
        try bench.fixes(5)
        try bench.waitForLocations(5)
        #expect(try bench.retained() != nil)
        // The way is cut when consent is withdrawn: the broker is told as soon as it can be.
        bench.tap.cut(true)
        try bench.fixes(5)
        try waitUntil("the uplink knows what waits") { bench.status?["waiting"]?.int == 5 }
        try LocationConnection(to: bench.address).authorize("locationd-uplink", .denied)
        try waitUntil("the uplink knows") { bench.status?["consent"]?.string == "none" }
        bench.tap.cut(false)
        try waitUntil("the broker is told") {
            bench.tap.acknowledged.contains {
                $0.topic == "owntracks/locationd/car" && $0.payload.isEmpty && $0.isRetained
            }
        }
        #expect(try bench.retained() == nil)
        try waitUntil("it says that nothing comes any more") {
            bench.tap.acknowledged.last?.topic == "owntracks/locationd/car/lwt"
        }
        #expect(Set(bench.sequences) == Set(1...5))
        try waitUntil("nothing waits") { bench.status?["waiting"]?.int == 0 && bench.status?["link"]?.string == "off" }
    }
}
