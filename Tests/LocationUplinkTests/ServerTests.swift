// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

/// Real programs: locationd, locationd-uplink, and a server of HTTP that answers as it is told.
@Suite("The uplink and a server", .blocking)
struct ServerTests {
    private func start(_ uplink: String = "") throws -> (UplinkBench, HTTPServer) {
        let bench = try UplinkBench(uplink: uplink, server: [])
        try bench.startAll()
        return (bench, try #require(bench.server))
    }

    @Test func `sends each location in order as a body of its own, and the cursor follows the answers`() throws {
        let (bench, server) = try start("[Uplink]\nUser=ada")
        try bench.fixes(30)
        try bench.waitForLocations(30)
        #expect(bench.sequences == Array(1...30))
        try waitUntil("the cursor is on the disk") { bench.cursor == 30 }
        for request in server.requests {
            #expect(request["topic"]?.string == "owntracks/ada/car" && request["_id"] != nil)
            #expect(request.json["X-Limit-U"]?.string == "ada" && request.json["X-Limit-D"]?.string == "car")
            #expect(request.json["Content-Type"]?.string == "application/json")
            #expect(request.json["path"]?.string == "/pub")
        }
        #expect(Set(server.requests.compactMap { $0.json["connection"]?.int }).count == 1, "the connection is kept")
        #expect(bench.status?["broker"]?.string == "http://127.0.0.1:\(server.port)/pub")
    }

    @Test func `sends the newest first when the server is back, and then what is late in order`() throws {
        let (bench, server) = try start()
        try bench.fixes(5)
        try bench.waitForLocations(5)
        try waitUntil("the uplink knows that the server has them") { bench.status?["sent"]?.int == 5 }
        try bench.kill(.broker)
        try bench.fixes(300)
        try waitUntil("the uplink knows what waits") { bench.status?["waiting"]?.int == 300 }
        try waitUntil("it says why") { bench.status?["lastError"]?.string?.contains("cannot send to http") == true }
        try server.restart()
        try bench.waitForLocations(305)
        let late = bench.sequences.dropFirst(5)
        #expect(late.first == 305 && Array(late.dropFirst()) == Array(6...304))
    }

    @Test(arguments: ["drop", "close", "500", "503;Retry-After=1", "hang"])
    func `loses nothing to a server that fails, and sends it again under the same identifier`(answer: String) throws {
        let (bench, server) = try start()
        try bench.fixes(3)
        try bench.waitForLocations(3)
        try server.order(answer)
        try bench.fixes(5)
        if answer != "hang" {
            try waitUntil("it notices") { bench.status?["lastError"]?.string?.hasPrefix("cannot send to ") == true }
        }
        try server.order()
        try bench.waitForLocations(8)
        #expect(Set(bench.sequences) == Set(1...8))
        #expect(Set(server.requests.compactMap { $0["_id"]?.string }).count == 8)
    }

    @Test func `leaves out one that the server does not take, and says so`() throws {
        let (bench, server) = try start()
        try server.order("422 -4\"")
        try bench.fixes(8)
        try waitUntil("the others arrive") { Set(bench.sequences) == Set([1, 2, 3, 5, 6, 7, 8]) }
        try waitUntil("nothing waits") { bench.status?["waiting"]?.int == 0 && bench.status?["refused"]?.int == 1 }
        try waitUntil("the cursor passes it") { bench.cursor == 8 }
        #expect(bench.uplink?.standardError.contains("the server answers 422") == true)
    }

    @Test(arguments: ["401", "404", "302;Location=/elsewhere", "400"])
    func `keeps everything while the settings are wrong, and says why`(answer: String) throws {
        let (bench, server) = try start()
        try server.order(answer)
        try bench.fixes(25)
        try waitUntil("it says why: \(bench.status.map { "\($0)" } ?? "")") {
            bench.status?["lastError"]?.string?.contains("answers \(answer.prefix(3))") == true
        }
        #expect(bench.status?["sent"]?.int == 0 && bench.status?["refused"]?.int == nil)
        try waitUntil("all waits") { bench.status?["waiting"]?.int == 25 }
        #expect(Set(server.requests.compactMap { $0.json["path"]?.string }) == ["/pub"])
    }

    @Test func `takes no more of an answer than it needs, and no commands`() throws {
        let (bench, server) = try start()
        try server.order("flood")
        try bench.fixes(5)
        try bench.waitForLocations(5)
        try waitUntil("all are acknowledged") { bench.cursor == 5 }
        #expect(server.requests.count == 5)
    }

    @Test func `tells of crossings, which the daemon keeps until the server has them`() throws {
        let place = Coordinate(latitude: 45, longitude: -30).moved(by: 1000, course: 0)
        let (bench, server) = try start("[Regions]\nmarket=\(place.latitude),\(place.longitude),200m")
        try server.order("503 transition")
        try bench.fixes(150)
        try waitUntil("the crossing waits") { bench.status?["waitingEvents"]?.int ?? 0 > 0 }
        #expect(try LocationConnection(to: bench.address).events(of: "uid:0").isEmpty == false)
        try server.order()
        try waitUntil("the crossings arrive") {
            server.taken.filter { $0["_type"]?.string == "transition" }.compactMap { $0["event"]?.string }
                == ["enter", "leave"]
        }
        try waitUntil("the daemon keeps none any more") {
            try LocationConnection(to: bench.address).events(of: "uid:0").isEmpty
        }
    }

    @Test func `stops without consent, and forgets what waits`() throws {
        let (bench, server) = try start()
        try bench.fixes(5)
        try bench.waitForLocations(5)
        try server.order("503")
        try bench.fixes(5)
        try waitUntil("the uplink knows what waits") { bench.status?["waiting"]?.int == 5 }
        try LocationConnection(to: bench.address).authorize("uid:0", .denied)
        try waitUntil("nothing waits") {
            bench.status?["consent"]?.string == "none" && bench.status?["waiting"]?.int == 0
                && bench.status?["link"]?.string == "off"
        }
        try server.order()
        #expect(Set(bench.sequences) == Set(1...5))
    }
}
