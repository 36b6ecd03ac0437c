// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("The circumstances of a request")
struct RequestCircumstancesTests {
    private static func authorized(_ bench: ServiceBench) throws -> BenchClient {
        let admin = bench.connect(uid: 0, isAdmin: true)
        try admin.ask("authorize", #"{"app":"uid:1001","authorizationStatus":"authorizedAlways"}"#)
        let client = bench.connect(uid: 1001)
        try client.ask("hello", #"{"protocol":1}"#)
        return client
    }

    @Test("are the configured time, where a request for a location has none")
    func timeout() throws {
        var configuration = Configuration()
        configuration.updates.requestTimeout = .seconds(4)
        let bench = try ServiceBench(configuration)
        let client = try Self.authorized(bench)
        try client.ask("requestLocation")
        bench.advance(seconds: 3.9)
        #expect(client.notifications("didFailWithError").isEmpty)
        bench.advance(seconds: 0.2)
        #expect(client.notifications("didFailWithError").count == 1)
    }

    @Test("have one date: a condition has the same on the disk and before a restart, however the clock moves meanwhile")
    func date() throws {
        let bench = try ServiceBench()
        let client = try Self.authorized(bench)
        var date = Int64(1_750_000_000_000)
        bench.service.host.date = {
            date += 1000
            return WallTime(milliseconds: date)
        }
        try client.ask("openMonitor", #"{"name":"m"}"#)
        let area = #"{"type":"circle","center":{"latitude":48,"longitude":11},"radius":100}"#
        try client.ask(
            "addCondition", #"{"monitor":1,"identifier":"c","condition":\#(area),"assuming":"satisfied"}"#)
        let condition = #"{"monitor":1,"identifier":"c"}"#
        let record = try client.ask("monitorRecord", condition)["result"]
        let next = try ServiceBench(after: bench)
        let again = next.connect(uid: 1001)
        try again.ask("hello", #"{"protocol":1}"#)
        try again.ask("openMonitor", #"{"name":"m"}"#)
        #expect(record?["lastEvent"]?["date"]?.string != nil)
        #expect(try again.ask("monitorRecord", condition)["result"] == record)
    }

    @Test("are not needed to name a session that there is not: the number is the one that was asked for")
    func number() throws {
        let bench = try ServiceBench()
        let client = try Self.authorized(bench)
        let refusal = try client.ask("invalidateServiceSession", #"{"session":1099511627776}"#)["error"]
        #expect(refusal?["message"]?.string?.contains("session 1099511627776") == true)
    }
}
