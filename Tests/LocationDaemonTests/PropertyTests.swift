// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("Properties", .blocking)
struct PropertyTests {
    private static let defaults =
        #"{"distanceFilter":"none","desiredAccuracy":"best","activityType":"other","#
        + #""pausesLocationUpdatesAutomatically":true,"allowsBackgroundLocationUpdates":false,"headingFilter":1}"#

    @Test("are Core Location's defaults at first")
    func defaults() throws {
        let daemon = try DaemonFixture()
        #expect(try daemon.connect().call("getProperties") == JSON(parsing: PropertyTests.defaults))
    }

    @Test("setting some leaves the others, and tells all")
    func some() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        let result = try client.call("setProperties", #"{"distanceFilter":12.5,"activityType":"airborne"}"#)
        #expect(result["distanceFilter"]?.double == 12.5)
        #expect(result["activityType"]?.string == "airborne")
        #expect(result["desiredAccuracy"]?.string == "best")
        #expect(try client.call("getProperties") == result)
        #expect(try client.call("setProperties", "{}") == result)
        #expect(try daemon.connect().call("getProperties") == JSON(parsing: PropertyTests.defaults))
        #expect(client.notifications.isEmpty)
    }

    @Test("words and Core Location's numbers mean the same on input, words are told")
    func numbers() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        let cases = [
            (#"{"desiredAccuracy":-2}"#, "desiredAccuracy", JSON.string("bestForNavigation")),
            (#"{"desiredAccuracy":-1}"#, "desiredAccuracy", .string("best")),
            (#"{"desiredAccuracy":10}"#, "desiredAccuracy", .string("nearestTenMeters")),
            (#"{"desiredAccuracy":100}"#, "desiredAccuracy", .string("hundredMeters")),
            (#"{"desiredAccuracy":1000}"#, "desiredAccuracy", .string("kilometer")),
            (#"{"desiredAccuracy":3000}"#, "desiredAccuracy", .string("threeKilometers")),
            (#"{"desiredAccuracy":"reduced"}"#, "desiredAccuracy", .string("reduced")),
            (#"{"desiredAccuracy":55.5}"#, "desiredAccuracy", .number(55.5)),
            (#"{"distanceFilter":-5}"#, "distanceFilter", .string("none")),
            (#"{"distanceFilter":0}"#, "distanceFilter", .number(0)),
            (#"{"distanceFilter":"none"}"#, "distanceFilter", .string("none")),
            (#"{"activityType":3}"#, "activityType", .string("fitness")),
            (#"{"activityType":5}"#, "activityType", .string("airborne")),
        ]
        for (params, name, expected) in cases {
            #expect(try client.call("setProperties", params)[name] == expected, "\(params)")
        }
    }

    @Test(
        "are set all or nothing",
        arguments: [
            #""desiredAccuracy":"perfect""#, #""desiredAccuracy":0"#, #""activityType":6"#, #""headingFilter":"wide""#,
            #""pausesLocationUpdatesAutomatically":1"#, #""distanceFilter":null"#, #""colour":"red""#,
        ])
    func allOrNothing(fault: String) throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        let refusal = try client.refusal("setProperties", #"{"allowsBackgroundLocationUpdates":true,\#(fault)}"#)
        #expect(refusal.code == -32602)
        #expect(try client.call("getProperties") == JSON(parsing: PropertyTests.defaults))
    }

    @Test("are in force for the fixes after the reply")
    func inForce() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fixes([0, 1, 2])
        try client.waitForStandard(3)
        try client.call("setProperties", #"{"distanceFilter":1000}"#)
        try daemon.fixes([3, 4, 500])
        try daemon.waitUntilAccepted()
        try client.call("setProperties", #"{"distanceFilter":"none"}"#)
        try daemon.fix(at: 501)
        try client.waitForStandard(4)
        #expect(client.times.last == daemon.simulation.time(of: 6))
    }
}

@Suite("Status", .blocking)
struct StatusTests {
    @Test("tells a client about the device and about itself")
    func own() throws {
        let daemon = try DaemonFixture()
        let other = try daemon.startUpdating()
        let client = try daemon.connect()
        try client.call("hello", #"{"protocol":1,"app":"asking"}"#)
        try client.call("setProperties", #"{"distanceFilter":100}"#)
        try client.call("startUpdatingLocation")
        try daemon.fixes([0, 10, 20, 200])
        try other.waitForStandard(4)
        try client.waitForStandard(2)
        let status = try client.call("status")
        #expect(status["daemon"]?["pid"]?.int == Int(daemon.pid))
        #expect((status["daemon"]?["uptime"]?.double ?? -1) >= 0)
        #expect(status["gpsd"]?["connected"]?.bool == true)
        #expect(status["locationServicesEnabled"]?.bool == true)
        let managers = status["managers"]?.array ?? []
        #expect(managers.count == 1)
        let own = managers.first
        #expect(own?["app"]?.string == "asking")
        #expect(own?["services"]?.array?.first?["service"]?.string == "standard")
        #expect(own?["services"]?.array?.first?["state"]?.string == "running")
        #expect(own?["delivered"]?.int == 2)
        #expect(own?["filtered"]?["distanceFilter"]?.int == 2)
        #expect(own?["dropped"]?.int == 0)
        #expect(own?["properties"]?["distanceFilter"]?.double == 100)
    }

    @Test("of everything tells an administrator about every connection, receiver and wish")
    func all() throws {
        let daemon = try DaemonFixture()
        let one = try daemon.startUpdating()
        let other = try daemon.startUpdating(#"{"desiredAccuracy":"kilometer"}"#)
        try daemon.fix()
        try one.waitForStandard(1)
        try other.waitForStandard(1)
        let status = try daemon.status()
        #expect(status["managers"]?.array?.count == 3)
        #expect(status["connections"]?["total"]?.int == 3)
        #expect(status["connections"]?["limit"]?.int == 1024)
        #expect(status["gpsd"]?["address"]?.string?.contains("\(daemon.gpsd.port)") == true)
        let receiver = status["receivers"]?.array?.first
        #expect(receiver?["path"]?.string == Simulation.device)
        #expect(receiver?["mode"]?.int == 3)
        #expect(status["power"]?["on"]?.bool == true)
        #expect(status["power"]?["policy"]?.string == "fullRate")
        #expect(status["power"]?["for"]?.array?.count == 2)
        #expect(status["fixes"]?["accepted"]?.int == 1)
        #expect(status["fixes"]?["newestSequence"]?.int == one.sequences.last)
    }

    @Test("says why no location comes")
    func reason() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        let result = try client.call("startUpdatingLocation")
        #expect(result["state"]?.string == "running")
        #expect(result["reason"]?.string?.isEmpty == false)
        let before = try client.call("status")["managers"]?.array?.first?["services"]?.array?.first
        #expect(before?["reason"]?.string?.isEmpty == false)
        try daemon.fix()
        try client.waitForStandard(1)
        let after = try client.call("status")["managers"]?.array?.first?["services"]?.array?.first
        #expect(after?["reason"] == nil || after?["reason"] == .null)
    }

    @Test("tells how a deferral stands")
    func deferral() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":1000,"timeout":500}"#)
        try daemon.fixes([10, 20, 30])
        try daemon.waitUntilAccepted()
        let deferral = try client.call("status")["managers"]?.array?.first?["deferral"]
        #expect(deferral?["number"]?.int == 1)
        #expect(deferral?["held"]?.int == 3)
        #expect(abs((deferral?["distanceLeft"]?.double ?? 0) - 970) < 0.01)
        #expect((0.0...500).contains(deferral?["timeLeft"]?.double ?? -1))
    }

    @Test("tells an app with reduced accuracy nothing of whether others need the receiver")
    func reduced() throws {
        let daemon = try DaemonFixture("[Authorization]\nDefault=authorizedWhenInUse\nDefaultAccuracy=reduced\n")
        let client = try daemon.connect()
        let started = try client.call("startUpdatingLocation")
        #expect(started["state"]?.string == "running")
        // On a busy machine gpsd may take long to be connected, which is no secret.
        #expect([nil, "gpsd is not connected"].contains(started["reason"]?.string))
        let status = try client.call("status")
        for name in ["receivers", "fixes", "power", "device"] { #expect(status[name] == nil, "\(name)") }
        for name in ["address", "since", "state", "lastError"] { #expect(status["gpsd"]?[name] == nil, "\(name)") }
        #expect(status["managers"]?.array?.count == 1)
    }

    @Test("tells an app that is not authorized no counters and no age")
    func unauthorized() throws {
        let daemon = try DaemonFixture("[Authorization]\nDefault=denied\n")
        let status = try daemon.connect().call("status")
        for name in ["receivers", "fixes", "power"] { #expect(status[name] == nil, "\(name)") }
        #expect(status["gpsd"]?["connected"] != nil)
        #expect(status["gpsd"]?["address"] == nil)
        for manager in status["managers"]?.array ?? [] {
            for name in ["delivered", "filtered", "dropped", "lag"] { #expect(manager[name] == nil, "\(name)") }
        }
        let refusal = try daemon.connect().refusal("location")
        #expect(refusal.code == -32001)
        #expect(refusal.name == "notPermitted")
    }
}
