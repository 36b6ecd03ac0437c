// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationDaemon

private func at(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: 0) + .seconds(seconds) }

@Suite("A daemon of systemd's that cannot begin", .blocking)
struct StartFaultTests {
    private let directory: TemporaryDirectory
    private let manager: ServiceManager
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        manager = try ServiceManager(directory)
        file = try directory.write("", to: "locationd.conf")
    }

    private var arguments: [String] {
        [
            "--config", file, "--gpsd", "127.0.0.1:1", "--state-directory", directory.path, "--runtime-directory",
            directory.path,
        ]
    }

    private func start() throws -> ChildProcess { try manager.start(try BuildProducts.program("locationd"), arguments) }

    /// What the first line says that somebody hears who asks for a location.
    private func answer() throws -> JSON {
        let client = try JSONLineConnection(waitingFor: directory.file("socket"))
        try client.send(#"{"jsonrpc":"2.0","id":1,"method":"location"}"#)
        return try JSON(parsing: try client.nextLine())
    }

    private func said(_ text: String) -> Bool { manager.heard.contains { $0.contains(text) } }

    @Test("since its configuration cannot be used tells clients so, and root where; and goes on by itself when it can")
    func configuration() throws {
        try directory.write("[Limits]\nConnectionsPerUser=loud\n", to: "locationd.conf")
        let daemon = try start()
        let refusal = try answer()
        #expect(refusal["id"] == .null)
        #expect(refusal["error"]?["code"]?.int == -32007)
        let message = refusal["error"]?["message"]?.string ?? ""
        #expect(message.hasPrefix("cannot serve: "))
        if getuid() == 0 { #expect(message.contains("\(file):2: ConnectionsPerUser=loud is not ")) }
        try waitUntil("it has said that it runs, and how") {
            manager.heard.contains("READY=1") && said("STATUS=cannot serve: the configuration cannot be used")
        }
        #expect(!said("loud"), "the status is everybody's")
        if getuid() == 0 {
            chmod(directory.path, 0o711)
            let other = try OtherUser.run(as: 12_345) { try JSONLineConnection(path: directory.file("socket")) }
            let message = try JSON(parsing: try other.nextLine())["error"]?["message"]?.string ?? ""
            #expect(message.hasPrefix("cannot serve: the configuration cannot be used; "), "\(message)")
            #expect(!message.contains("loud") && !message.contains(directory.path), "files may be readable for few")
        }

        try directory.write("[Limits]\nConnectionsPerUser=7\n", to: "locationd.conf")
        try waitUntil("it serves") { try answer()["result"] == .null }
        daemon.terminate(SIGTERM)
        #expect(try daemon.waitForExit() == .exited(0))
    }

    @Test("reads the configuration again on SIGHUP, and ends in order on SIGTERM")
    func signals() throws {
        try directory.write("[Limits]\nConnectionsPerUser=loud\n", to: "locationd.conf")
        let daemon = try start()
        try waitUntil("it has said why") { said("STATUS=cannot serve") }
        daemon.terminate(SIGHUP)
        try waitUntil("the reload is over") {
            manager.heard.contains("RELOADING=1") && manager.heard.count { $0 == "READY=1" } == 2
        }
        #expect(try answer()["error"]?["code"]?.int == -32007)
        daemon.terminate(SIGTERM)
        #expect(try daemon.waitForExit() == .exited(0))
        try waitUntil("it has said that it stops") { manager.heard.contains("STOPPING=1") }
    }

    @Test("keeps the clients that a former process left until it can")
    func keptClients() throws {
        let first = try start()
        let client = try JSONLineConnection(waitingFor: directory.file("socket"))
        try client.send(#"{"jsonrpc":"2.0","id":1,"method":"location"}"#)
        _ = try client.nextLine()
        first.terminate(SIGTERM)
        #expect(try first.waitForExit() == .exited(0))
        try waitUntil("systemd has the connection") { manager.kept == ["connections"] }

        try directory.write("[Limits]\nConnectionsPerUser=loud\n", to: "locationd.conf")
        let second = try start()
        #expect(try answer()["error"]?["code"]?.int == -32007)
        try client.send(#"{"jsonrpc":"2.0","id":2,"method":"location"}"#)
        try directory.write("", to: "locationd.conf")
        #expect(try JSON(parsing: try client.nextLine())["id"]?.int == 2, "the same connection, after the repair")
        second.terminate(SIGTERM)
        #expect(try second.waitForExit() == .exited(0))
    }

    @Test("for want of something else says what, ends with 1, and is not started again at once")
    func failure() throws {
        let daemon = try manager.start(
            try requireProgram("sh"),
            ["-c", #"ulimit -n 12; exec "$0" "$@""#, try BuildProducts.program("locationd")] + arguments)
        let message = try answer()["error"]?["message"]?.string ?? ""
        #expect(message.hasPrefix("cannot serve: "))
        if getuid() == 0 { #expect(message.contains("Too many open files")) }
        #expect(try daemon.waitForExit() == .exited(1))
        #expect(!manager.heard.contains("READY=1"), "who waits for the start is not to think that it went well")
    }

    @Test("pauses after many deaths, and tells clients why")
    func pause() throws {
        let record = StartRecordFile(runtimeDirectory: directory.path)
        var starts = StartRecord(at: bootTime())
        for _ in 0..<StartRecord.mostStarts { starts.begin(at: bootTime()) }
        record.write(starts)
        let daemon = try start()
        let message = try answer()["error"]?["message"]?.string ?? ""
        #expect(message.contains("died 5 times within 120 s"))
        // Whoever does not want to wait says so.
        daemon.terminate(SIGHUP)
        try waitUntil("it serves") { try answer()["result"] == .null }
        daemon.terminate(SIGTERM)
        #expect(try daemon.waitForExit() == .exited(0))
        #expect(!record.read(at: bootTime()).asksForPause, "an orderly end ends the count")
    }

    @Test("counts the starts that no orderly end followed")
    func counted() throws {
        let record = StartRecordFile(runtimeDirectory: directory.path)
        for count in 1...StartRecord.mostStarts {
            let daemon = try start()
            #expect(try answer()["result"] == .null)
            daemon.terminate(SIGKILL)
            #expect(try daemon.waitForExit() == .signalled(SIGKILL))
            #expect(record.read(at: bootTime()).starts.count == count)
        }
        let daemon = try start()
        #expect(try answer()["error"]?["code"]?.int == -32007)
        daemon.terminate(SIGTERM)
        #expect(try daemon.waitForExit() == .exited(0))
    }
}

private func bootTime() -> BootInstant {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return BootInstant(nanoseconds: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
}

@Suite("The record of starts")
struct StartRecordTests {
    @Test("asks for a pause after five starts within two minutes, and no longer when they are old")
    func window() {
        var record = StartRecord(at: at(0))
        for second in 1...5 {
            #expect(!record.asksForPause)
            record.begin(at: at(Double(second)))
        }
        #expect(record.asksForPause)
        #expect(StartRecord(record.text, at: at(6)) == record)
        #expect(StartRecord(record.text, at: at(120.5)).asksForPause)
        #expect(!StartRecord(record.text, at: at(121)).asksForPause)
    }

    @Test(
        "starts of another boot, and what is no number, do not count", arguments: ["9000000000000\n", "x\n-1\n\n", ""])
    func strange(text: String) {
        #expect(StartRecord(text, at: at(100)).starts.isEmpty)
    }

    @Test("has as many starts as matter, however often the daemon dies")
    func bounded() {
        var record = StartRecord(at: at(0))
        for _ in 0..<100 { record.begin(at: at(50)) }
        #expect(record.starts.count == StartRecord.mostStarts)
        #expect(StartRecord(String(repeating: "1\n", count: 100), at: at(1)).starts.count == StartRecord.mostStarts)
    }
}
