// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("Visits", .blocking, .needsOtherUsers)
struct VisitsTests {
    private static let short = awake + "[Visits]\nStaySec=10s\nDepartureSec=1s\n"
    private static let gpx = ["gpx": "[App]\nUser=12001\n[Authorization]\nDefault=authorizedAlways\n"]

    @Test(
        "are told to all who want them, with their dates; their end waits for an app that is gone, and for its answer")
    func arrivalAndDeparture() throws {
        let daemon = try DaemonFixture(VisitsTests.short, step: 500, manifests: VisitsTests.gpx)
        let app = try daemon.connect(uid: 12001, #","events":true"#)
        let (helper, reduced) = (try daemon.connect(uid: 12001), try daemon.connect(uid: 12002))
        try daemon.authorize("uid:12002", "authorizedAlways", "reduced")
        #expect(try app.call("startMonitoringVisits")["state"]?.string == "running")
        try reduced.call("startMonitoringVisits")
        let witness = try daemon.startUpdating()
        // Until then it was elsewhere, so that the arrival is seen.
        try daemon.fixes(stride(from: 2000.0, through: 0, by: -40))
        let beforeArrival = daemon.simulation.time(of: daemon.simulation.count - 40)
        try waitUntil("an arrival") {
            try daemon.fix()
            try witness.waitForStandard(witness.sequences.count + 1)
            try app.readAvailable()
            return !app.heard("didVisit").isEmpty
        }
        let arrival = try app.hear("didVisit")
        let visit = arrival["visit"] ?? .null
        #expect(visit["departureDate"]?.isNull == true && arrival["event"]?.int == 1)
        #expect(abs((visit["latitude"]?.double ?? 0) - 45) < 0.001 && (visit["horizontalAccuracy"]?.double ?? 0) > 0)
        let arrived = visit["arrivalDate"]?.string ?? ""
        #expect(arrived > beforeArrival && arrived < daemon.simulation.time(of: daemon.simulation.count - 1))
        #expect(try helper.hear("didVisit")["visit"] == visit)
        let coarse = try reduced.hear("didVisit")["visit"] ?? .null
        #expect((coarse["horizontalAccuracy"]?.double ?? 0) >= 1000 && coarse["latitude"] != visit["latitude"])
        try app.call("acknowledge", #"{"event":1}"#)
        app.close()
        helper.close()
        try waitUntil("the app is gone") { try daemon.app("gpx uid:12001")?["connections"]?.int == 0 }
        // The stay outlives the daemon, and so does the wish.
        try daemon.restart()
        let second = try daemon.startUpdating()
        var place = 400.0
        try waitUntil("its end is stored") {
            place += 40
            try daemon.fix(at: place)
            try second.waitForStandard(second.sequences.count + 1)
            return try daemon.app("gpx uid:12001")?["pendingEvents"]?.int == 1
        }
        #expect(access(daemon.directory.file("run/wake/gpx"), F_OK) == 0)
        let back = try daemon.connect(uid: 12001, #","events":true"#)
        let departure = try back.hear("didVisit")
        #expect(departure["visit"]?["arrivalDate"]?.string == arrived)
        #expect((departure["visit"]?["departureDate"]?.string ?? "") > arrived)
        try back.call("acknowledge", #"{"event":\#(departure["event"]?.int ?? 0)}"#)
        try back.call("stopMonitoringVisits")
        try daemon.restart()
        let last = try daemon.connect(uid: 12001, #","events":true"#)
        try last.settle()
        #expect(last.events.isEmpty)
        #expect(try daemon.app("gpx uid:12001")?["visits"]?.bool != true)
    }

    @Test("are denied as a service is, and asked for as one")
    func consent() throws {
        let daemon = try DaemonFixture(manifests: [:])
        let app = try daemon.connect(uid: 12001)
        #expect(try app.call("startMonitoringVisits")["state"]?.string == "waitingForAuthorization")
        #expect(try daemon.asAdministrator("pendingRequests").array?.count == 1)
        try daemon.authorize("uid:12001", "denied")
        #expect(try app.call("startMonitoringVisits")["state"]?.string == "denied")
        try app.wait(for: "fail 1 null")
    }
}
