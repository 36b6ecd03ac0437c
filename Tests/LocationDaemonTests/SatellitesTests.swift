// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("Satellites (Protocol 8.6)", .blocking)
struct SatellitesTests {
    private static func sky(_ numbers: Int...) -> String {
        let satellites = numbers.map {
            #"{"PRN":\#($0),"gnssid":0,"svid":\#($0),"el":40.0,"az":90.0,"ss":30.0,"used":true}"#
        }
        return #"{"class":"SKY","device":"/dev/ttyACM0","satellites":[\#(satellites.joined(separator: ","))]}"#
    }

    @Test func `the satellites of the newest epoch are told at once`() throws {
        let daemon = try DaemonFixture(awake)
        let client = try daemon.startUpdating()
        try daemon.waitForWatch()
        try daemon.gpsd.push(Self.sky(5, 12))
        try daemon.fix()
        try client.waitForStandard(1)
        #expect(try client.call("satellites")["satellites"]?.array?.count == 2)
        try daemon.gpsd.push(Self.sky(5, 12, 25))
        try daemon.fix()
        try client.waitForStandard(2)
        let result = try client.call("satellites")
        #expect(result["satellites"]?.array?.compactMap { $0["number"]?.int } == [5, 12, 25])
        #expect(result["satellites"]?.array?.first?["system"]?.string == "gps")
        #expect(result["receiver"]?.string == "/dev/ttyACM0" && result["age"]?.double ?? -1 >= 0)
    }

    @Test func `to ask switches no receiver on`() throws {
        let daemon = try DaemonFixture(awake)
        let client = try daemon.connect()
        for _ in 0..<3 { #expect(try client.call("satellites").object == [:]) }
        #expect(try daemon.status()["power"]?["on"]?.bool == false)
        #expect(!daemon.isWatching)
    }

    @Test func `when nobody needs the receiver any more, the sky is told no longer`() throws {
        let daemon = try DaemonFixture(awake)
        let client = try daemon.startUpdating()
        try daemon.waitForWatch()
        try daemon.gpsd.push(Self.sky(5))
        try daemon.fix()
        try client.waitForStandard(1)
        #expect(try client.call("satellites")["satellites"]?.array?.count == 1)
        try client.call("stopUpdatingLocation")
        #expect(try client.call("satellites")["satellites"] == nil)
    }

    @Test func `who may not know exactly where the device is is not told what is above it`() throws {
        let bench = try ServiceBench()
        let admin = bench.connect(uid: 0, isAdmin: true)
        let client = bench.connect(uid: 12_001)
        #expect(try client.ask("satellites")["error"]?["code"]?.int == -32001)
        try client.ask("hello", #"{"protocol":1}"#)
        for (accuracy, isTold) in [("reduced", false), ("full", true)] {
            let decision =
                #"{"app":"uid:12001","authorizationStatus":"authorizedAlways","accuracyAuthorization":"\#(accuracy)"}"#
            #expect(try admin.ask("authorize", decision)["result"] != nil)
            #expect((try client.ask("satellites")["result"] != nil) == isTold, "\(accuracy)")
        }
        #expect(try admin.ask("satellites")["result"] != nil)
    }
}
