// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("What status counts", .blocking)
struct StatusCountTests {
    @Test func `the accuracy of the newest fix and the time that receivers were on are told`() throws {
        let daemon = try DaemonFixture()
        #expect(try daemon.status()["fixes"]?["horizontalAccuracy"] == nil)
        #expect(try daemon.status()["power"]?["onTime"]?.double == 0)
        let client = try daemon.startUpdating()
        try daemon.fix(accuracy: 7)
        try client.waitForStandard(1)
        let status = try daemon.status()
        let accuracy = try #require(status["fixes"]?["horizontalAccuracy"]?.double)
        #expect((6...8).contains(accuracy))
        #expect(status["power"]?["onTime"]?.double ?? 0 > 0)
    }

    @Test func `locations that were delivered stay counted when their client is gone`() throws {
        let daemon = try DaemonFixture(awake + noRejoin)
        let client = try daemon.startUpdating()
        for _ in 0..<3 { try daemon.fix() }
        try client.waitForStandard(3)
        #expect(try daemon.status()["fixes"]?["delivered"]?.int == 3)
        client.close()
        try waitUntil("the client is gone") { try daemon.status()["connections"]?["total"]?.int == 1 }
        #expect(try daemon.status()["fixes"]?["delivered"]?.int == 3)
        #expect(try daemon.status()["fixes"]?["dropped"]?.int == 0)
    }
}
