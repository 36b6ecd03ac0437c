// SPDX-License-Identifier: Apache-2.0
import CLinux
import LocationTestSupport
import Testing

@Suite("Clients that come and go", .blocking)
struct AwayLimitTests {
    @Test(
        "are not taken back when their time is up, even before the timer is served, and disturb nobody who comes after")
    func late() throws {
        let daemon = try DaemonFixture("[Deferral]\nRejoinSec=1s\n")
        let (client, token) = try daemon.connectWithToken()
        try client.call("startUpdatingLocation")
        client.close()
        try daemon.waitForAbsent()
        let end = clinux_boottime_nanoseconds() + 1_050_000_000
        try waitUntil("a second is over") { clinux_boottime_nanoseconds() > end }
        let (stranger, rejoined) = try daemon.rejoin(token)
        #expect(!rejoined)
        stranger.close()
        let (next, nextToken) = try daemon.connectWithToken()
        try next.call("startUpdatingLocation")
        next.close()
        #expect(try daemon.rejoin(nextToken).rejoined)
    }

    @Test("ask for nothing any more once they are gone, and leave nothing to the next")
    func gone() throws {
        let daemon = try DaemonFixture()
        for _ in 0..<20 {
            let client = try daemon.connect()
            let lines = [
                client.request("startUpdatingLocation").line, client.request("reload").line,
                client.request("stopUpdatingLocation").line, client.request("reload").line,
                client.request("startUpdatingLocation").line,
            ]
            try daemon.freeze()
            try client.connection.send(bytes: Array((lines.joined(separator: "\n") + "\n").utf8))
            client.close()
            daemon.thaw()
            let next = try daemon.connect()
            try next.call("getProperties")
            #expect(next.transcript.allSatisfy { !$0.hasPrefix("standard") })
            next.close()
        }
        try waitUntil("nobody needs the receiver") {
            try daemon.status()["power"]?["policy"]?.string == "off"
        }
        #expect(try daemon.status()["power"]?["for"]?.array?.isEmpty == true)
    }

    @Test("leave no more managers waiting for them than they may have connections, the latest ones")
    func bounded() throws {
        let daemon = try DaemonFixture("[Limits]\nConnections=16\n")
        var tokens: [String] = []
        for _ in 0..<40 {
            let (client, token) = try daemon.connectWithToken()
            client.close()
            tokens.append(token)
        }
        let witness = try daemon.connect()
        try witness.call("getProperties")
        try waitUntil("the last one waits too") {
            let managers = try daemon.status()["managers"]?.array ?? []
            return managers.count { $0["waitingToRejoin"]?.bool == true } == 16
        }
        #expect(try daemon.rejoin(tokens[39]).rejoined)
        #expect(try daemon.rejoin(tokens[24]).rejoined)
        #expect(try !daemon.rejoin(tokens[0]).rejoined)
    }
}
