// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("The connection to gpsd", .blocking)
struct GPSDConnectionTests {
    @Test("is watched while somebody wants fixes, and at no other time")
    func demand() throws {
        let daemon = try DaemonFixture()
        try daemon.gpsd.waitForConnections(1)
        let idle = try daemon.connectWithToken().client
        try idle.call("location")
        try idle.call("status")
        #expect(!daemon.gpsd.commands.contains { $0.contains(#""enable":true"#) })
        for _ in 0..<3 {
            let one = try daemon.startUpdating()
            let other = try daemon.startUpdating()
            try daemon.fix()
            try one.waitForStandard(1)
            one.close()
            try daemon.fix()
            try other.waitForStandard(2)
            #expect(daemon.isWatching)
            try other.call("stopUpdatingLocation")
            try daemon.waitForNoWatch()
        }
        #expect(daemon.gpsd.openConnections <= 1)
    }

    @Test("is one, however many clients come and go")
    func single() throws {
        let daemon = try DaemonFixture()
        var most = 0
        for round in 0..<10 {
            var clients: [DaemonClient] = []
            for _ in 0..<5 {
                clients.append(try daemon.startUpdating())
                most = max(most, daemon.gpsd.openConnections)
            }
            try daemon.fix()
            for client in clients { try client.waitForStandard(1) }
            most = max(most, daemon.gpsd.openConnections)
            if round % 2 == 0 { for client in clients { try client.call("stopUpdatingLocation") } }
        }
        #expect(most == 1)
    }

    @Test("is told of as one that all can make, at a port of the network that all share")
    func openToAll() throws {
        let daemon = try DaemonFixture()
        #expect(try daemon.status()["gpsd"]?["openToAll"]?.bool == true)
        let denied = try DaemonFixture("[Authorization]\nDefault=denied\nAlwaysUsers=\n")
        #expect(try denied.connect().call("status")["gpsd"]?["openToAll"] == nil)
    }

    @Test("brings no control character and nothing that turns text into the journal with a receiver's path")
    func hostilePath() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.waitForWatch()
        let path = "/dev/\u{202E}evil\u{9B}31m"
        try daemon.gpsd.push(#"{"class":"DEVICE","path":"\#(path)","activated":"2026-11-21T10:00:00.000Z"}"#)
        try waitUntil("it is found") { daemon.journal.contains("31m found") }
        #expect(daemon.journal.contains("receiver /dev/\u{FFFD}evil\u{FFFD}31m found"))
        #expect(!daemon.journal.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{9B}" })
        client.close()
    }

    @Test("is understood with blanks in its JSON; what is no JSON is told in the journal, the more the less often")
    func strangeLines() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.waitForWatch()
        let members = #""device": "/dev/a", "mode": 3, "lat": 1.5, "lon": 2.5, "eph": 5"#
        for count in 1...200 {
            try daemon.gpsd.push("this is no JSON")
            guard count % 100 == 0 else { continue }
            let time = "2026-11-21T10:00:0\(count / 100).000Z"
            try daemon.gpsd.push(#"{"class": "TPV", "time": "\#(time)", \#(members)}"#)
            try client.waitForStandard(count / 100)
        }
        let said = daemon.journal.split(separator: "\n").filter { $0.contains("cannot use") }
        #expect((1...3).contains(said.count), "\(said)")
        #expect(said.first?.contains("gpsd at 127.0.0.1:\(daemon.gpsd.port)") == true, "\(daemon.journal)")
    }

    @Test("is made when gpsd comes later than the daemon")
    func lateGPSD() throws {
        let daemon = try DaemonFixture()
        daemon.gpsd.shutDown()
        try daemon.restart()
        let client = try daemon.connect()
        let result = try client.call("startUpdatingLocation")
        #expect(result["state"]?.string == "running")
        #expect(result["reason"]?.string?.contains("\(daemon.gpsd.port)") == true, "\(result)")
        #expect(try daemon.status()["gpsd"]?["connected"]?.bool == false)
        try daemon.gpsd.reopen()
        try daemon.fix()
        try client.waitForStandard(1)
        #expect(try daemon.status()["gpsd"]?["connected"]?.bool == true)
    }

    @Test("is made again when gpsd was killed and restarted, and no client notices more than a pause")
    func restart() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        for round in 1...3 {
            try daemon.fix()
            try client.waitForStandard(round)
            daemon.gpsd.shutDown()
            try daemon.gpsd.waitForConnections(0)
            try daemon.gpsd.reopen()
            try waitUntil("locationd watches again") {
                daemon.gpsd.openConnections == 1
                    && daemon.gpsd.commands.count { $0.contains(#""enable":true"#) } == round + 1
            }
        }
        try client.settle()
        #expect(client.trace() == Array(repeating: "standard 1", count: 3))
        #expect(daemon.gpsd.openConnections == 1)
    }

    @Test("is made again at once when only the connection broke")
    func brokenConnection() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        daemon.gpsd.disconnectAll()
        try waitUntil("locationd watches again") {
            daemon.gpsd.acceptedConnections == 2 && daemon.gpsd.openConnections == 1
                && daemon.gpsd.commands.count { $0.contains(#""enable":true"#) } == 2
        }
        try daemon.fix()
        try client.waitForStandard(2)
    }

    @Test("survives whatever gpsd says")
    func nonsense() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        for line in [
            "", "nonsense", "{", "{}", #"{"class":"TPV"}"#, #"{"class":"TPV","mode":9}"#,
            #"{"class":"NEW","x":[1,{}]}"#,
            #"{"class":"TPV","device":"\#(Simulation.device)","mode":3,"time":"x","lat":91,"lon":1e999,"eph":-3}"#,
            #"{"class":"ERROR","message":"no"}"#, String(repeating: "x", count: 20_000), "\u{0}\u{1}",
        ] { try daemon.gpsd.push(line) }
        try daemon.fix()
        try client.waitForStandard(2)
        #expect(client.times == [0, 1].map { daemon.simulation.time(of: $0) })
    }

    @Test("fixes may arrive in pieces of any size")
    func pieces() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.waitForWatch()
        var bytes: [UInt8] = []
        for _ in 0..<5 { bytes += Array((daemon.simulation.fix() + "\r\n").utf8) }
        for byte in bytes { try daemon.gpsd.push(bytes: [byte]) }
        try client.waitForStandard(5)
        #expect(client.times == (0..<5).map { daemon.simulation.time(of: $0) })
    }
}

@Suite("The loss of all fixes", .blocking)
struct LossTests {
    private static let quick = "[GPSD]\nLossSec=1s\n"

    @Test("is told once per running service, and fixes come again by themselves")
    func onceAndAgain() throws {
        let daemon = try DaemonFixture(LossTests.quick)
        let client = try daemon.startUpdating()
        try client.call("startMonitoringSignificantLocationChanges")
        let idle = try daemon.connectWithToken().client
        try client.wait("both errors") { client.transcript.count { $0.hasPrefix("fail 0") } == 2 }
        // Whoever starts later is told later, which proves that time passes without a second error.
        let later = try daemon.startUpdating()
        try later.wait(for: "fail 0 standard")
        try client.settle()
        #expect(client.trace().filter { $0.hasPrefix("fail") } == ["fail 0 standard", "fail 0 significantChange"])
        let error = client.notifications.last { $0["method"]?.string == "didFailWithError" }?["params"]?["error"]
        #expect(error?["domain"]?.string == "kCLErrorDomain")
        #expect(error?["name"]?.string == "locationUnknown")
        #expect(error?["transient"]?.bool == true)
        try daemon.fix()
        try client.waitForStandard(1)
        #expect(client.trace() == ["standard 1"])
        try client.wait(for: "fail 0 standard")
        try idle.settle()
        #expect(idle.notifications.count == 1)
    }

    @Test("is a receiver without a fix, too")
    func noFix() throws {
        let daemon = try DaemonFixture(LossTests.quick)
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        _ = client.trace()
        try waitUntil("the loss is told") {
            try daemon.gpsd.push(daemon.simulation.noFix())
            try client.readAvailable()
            return client.transcript.last == "fail 0 standard"
        }
        try daemon.fix()
        try client.waitForStandard(2)
        #expect(client.trace() == ["fail 0 standard", "standard 1"])
    }

    @Test("is told though gpsd is not there at all")
    func noGPSD() throws {
        let daemon = try DaemonFixture(LossTests.quick)
        daemon.gpsd.shutDown()
        try daemon.restart()
        let client = try daemon.startUpdating()
        try client.wait(for: "fail 0 standard")
    }
}
