// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("The transport", .blocking)
struct TransportTests {
    private static let location = #"{"jsonrpc":"2.0","id":1,"method":"location"}"#
    private static let answer = JSON.object(["jsonrpc": .string("2.0"), "id": .number(1), "result": .null])

    @Test("a request may arrive byte by byte")
    func byteByByte() throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        for byte in Array("\(TransportTests.location)\n".utf8) { try client.send(bytes: [byte]) }
        #expect(try JSON(parsing: try client.nextLine()) == TransportTests.answer)
    }

    @Test("a request may arrive in two pieces, cut anywhere")
    func everySplit() throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        let bytes = Array("\(TransportTests.location)\n".utf8)
        for cut in 0...bytes.count {
            try client.send(bytes: Array(bytes[..<cut]))
            // The daemon has read the first piece when it has answered somebody who asked later.
            _ = try daemon.status()
            try client.send(bytes: Array(bytes[cut...]))
            #expect(try JSON(parsing: try client.nextLine()) == TransportTests.answer, "cut at \(cut)")
        }
    }

    @Test("CR before LF and blank lines are accepted, and none is sent")
    func blankLines() throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        try client.send(bytes: Array("\n\r\n\n\(TransportTests.location)\r\n\r\n\n\(TransportTests.location)\n".utf8))
        client.halfClose()
        let lines = try client.remainingLines()
        #expect(try lines.map { try JSON(parsing: $0) } == [TransportTests.answer, TransportTests.answer])
    }

    @Test("nothing is said before the client asks")
    func noBanner() throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        _ = try daemon.status()
        #expect(client.linesSoFar().isEmpty)
        client.halfClose()
        #expect(try client.remainingLines().isEmpty)
    }

    @Test("requests of one write are answered in their order, however many, the refused ones too")
    func order() throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        var text = ""
        for id in 1...200 {
            let method = id % 3 == 0 ? "nonsense" : id % 3 == 1 ? "location" : "getProperties"
            text += #"{"jsonrpc":"2.0","id":"r\#(id)","method":"\#(method)"}"# + "\n"
        }
        try client.send(bytes: Array(text.utf8))
        for id in 1...200 {
            let reply = try JSON(parsing: try client.nextLine())
            #expect(reply["id"]?.string == "r\(id)")
            #expect((reply["error"] != nil) == (id % 3 == 0))
        }
    }

    @Test("ids are echoed as they were given", arguments: ["0", "-7", "9007199254740991", "\"\"", "\"ü \\\"x\\\"\""])
    func ids(id: String) throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        try client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"location"}"#)
        let reply = try JSON(parsing: try client.nextLine())
        #expect(try reply["id"] == JSON(parsing: id))
    }

    @Test("an id of 128 bytes is taken, one of 129 is not")
    func longIDs() throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        for (length, isTaken) in [(128, true), (129, false)] {
            let id = String(repeating: "x", count: length)
            try client.send(#"{"jsonrpc":"2.0","id":"\#(id)","method":"location"}"#)
            let reply = try JSON(parsing: try client.nextLine())
            #expect(reply["id"] == (isTaken ? .string(id) : .null))
            #expect(reply["error"]?["code"]?.int == (isTaken ? nil : -32600))
        }
    }

    @Test("a line of 64 KiB is taken")
    func longestLine() throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        let padding = String(repeating: " ", count: 65536 - TransportTests.location.utf8.count)
        try client.send(TransportTests.location + padding)
        #expect(try JSON(parsing: try client.nextLine()) == TransportTests.answer)
    }

    @Test("a longer line is refused without an id, and the connection ends", arguments: [false, true])
    func overlongLine(isEnded: Bool) throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        try client.send(TransportTests.location)
        var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 65537)
        if isEnded { bytes += Array("\n\(TransportTests.location)\n".utf8) }
        try client.send(bytes: bytes)
        let lines = try client.remainingLines().map { try JSON(parsing: $0) }
        #expect(lines.count == 2)
        #expect(lines.first == TransportTests.answer)
        #expect(lines.last?["id"] == .null)
        #expect(lines.last?["error"]?["code"]?.int == -32600)
        #expect(lines.last?["error"]?["data"]?["name"]?.string == "invalidRequest")
    }

    @Test("an overlong line ends a connection with running updates too")
    func overlongWhileUpdating() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try client.connection.send(bytes: [UInt8](repeating: 0x20, count: 65537))
        try client.readToEnd()
        #expect(client.trace() == ["-> refused -32600"])
        try daemon.waitForNoWatch()
    }

    @Test("a connection that ends in the middle of a line harms nobody")
    func brokenLine() throws {
        let daemon = try DaemonFixture()
        for cut in [1, 10, 30] {
            let client = try JSONLineConnection(path: daemon.socket)
            try client.send(bytes: Array(TransportTests.location.utf8.prefix(cut)))
            client.close()
        }
        let total = try daemon.status()["connections"]?["total"]?.int
        #expect(try total == 1 || daemon.status()["connections"]?["total"]?.int == 1)
    }
}

@Suite("A client that says that it will send no more", .blocking)
struct HalfCloseTests {
    private static let location = #"{"jsonrpc":"2.0","id":1,"method":"location"}"#

    @Test("gets its one answer, and the daemon closes", arguments: ["\n", ""])
    func oneAnswer(end: String) throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        try client.send(bytes: Array((HalfCloseTests.location + end).utf8))
        client.halfClose()
        let lines = try client.remainingLines()
        #expect(lines.count == 1)
        #expect(try JSON(parsing: lines.first ?? "")["id"]?.int == 1)
    }

    @Test("follows, if it started updates, until it closes fully")
    func follows() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.send("startUpdatingLocation")
        client.connection.halfClose()
        for count in 1...3 {
            try daemon.fix()
            try client.waitForStandard(count)
        }
        client.close()
        try daemon.waitForNoWatch()
    }

    @Test("gets the end of a pending request before the daemon closes")
    func pendingRequest() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.send("requestLocation")
        client.connection.halfClose()
        try daemon.fix(accuracy: 3)
        try client.readToEnd()
        #expect(
            client.trace() == [
                "-> requestLocation running", "authorization authorizedAlways full initial", "request 1 request=1",
            ])
    }

    @Test("is closed when its last service stops by its last request")
    func stopped() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        let start = client.request("startUpdatingLocation").line
        let stop = client.request("stopUpdatingLocation").line
        try client.connection.send(bytes: Array("\(start)\n\(stop)".utf8))
        client.connection.halfClose()
        try client.readToEnd()
        #expect(
            client.trace() == [
                "-> startUpdatingLocation running", "authorization authorizedAlways full initial",
                "-> stopUpdatingLocation",
            ])
    }

    @Test("is closed though it said hello and never said more")
    func helloAlone() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.send("hello", #"{"protocol":1}"#)
        client.connection.halfClose()
        try client.readToEnd()
        #expect(client.trace() == ["-> hello", "authorization authorizedAlways full initial"])
    }

    @Test("and never said anything is closed")
    func silent() throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        client.halfClose()
        #expect(try client.remainingLines().isEmpty)
    }
}
