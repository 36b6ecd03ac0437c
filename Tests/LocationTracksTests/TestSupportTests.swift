// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import LocationTracks
import Testing

@Suite("What tests rely on", .blocking)
struct TestSupportTests {
    @Test("the fake gpsd greets, answers, counts and pushes what it is told")
    func fakeGPSD() throws {
        let gpsd = try FakeGPSD()
        let client = try LoopbackConnection(port: gpsd.port)
        #expect(try client.nextLine() == FakeGPSD.version)
        #expect(!gpsd.isWatched)
        try client.send(#"?WATCH={"enable":true,"json":true};"#)
        #expect(try client.nextLine() == gpsd.devicesLine)
        #expect(try client.nextLine().hasPrefix(#"{"class":"WATCH","enable":true"#))
        try gpsd.waitForWatch()
        try gpsd.push(#"{"class":"TPV","mode":1}"#)
        #expect(try client.nextLine() == #"{"class":"TPV","mode":1}"#)
        gpsd.setAnswersCommands(false)
        try client.send("?DEVICES;")
        try waitUntil("the command arrived") { gpsd.commands.count == 2 }
        try client.send(#"?WATCH={"enable":false};"#)
        try waitUntil("nobody watches") { !gpsd.isWatched }
        #expect(client.linesSoFar().isEmpty)
        gpsd.disconnectAll()
        #expect(try client.nextLineOrEnd() == nil)
        try gpsd.waitForConnections(0)
        let next = try LoopbackConnection(port: gpsd.port)
        #expect(try next.nextLine() == gpsd.greeting)
        #expect(gpsd.acceptedConnections == 2)
    }

    @Test("the fake gpsd can go away and come back on its port")
    func fakeGPSDRestart() throws {
        let gpsd = try FakeGPSD()
        for round in 1...3 {
            let client = try LoopbackConnection(port: gpsd.port)
            _ = try client.nextLine()
            gpsd.shutDown()
            #expect(try client.remainingLines().isEmpty)
            try waitUntil("nobody listens, round \(round)") { (try? LoopbackConnection(port: gpsd.port)) == nil }
            try gpsd.reopen()
        }
        #expect(gpsd.acceptedConnections == 3)
    }

    @Test("a receiver can be unplugged; gpsd, which may notice late or never, stays in service")
    func unplugging() throws {
        let gpsd = try RealGPSD()
        let client = try LoopbackConnection(port: gpsd.port)
        try client.send(#"?WATCH={"enable":true,"json":true};"#)
        for point in Track(.walk, duration: .seconds(3)) { try gpsd.feed(NMEAWriter().burst(of: point)) }
        _ = try client.nextLine { $0.contains("TPV") }
        #expect(gpsd.isReceiverOpen)
        gpsd.unplug()
        #expect(!gpsd.isReceiverOpen)
        #expect(throws: TestFailure.self) { try gpsd.feed([]) }
        try client.send("?DEVICES;")
        _ = try client.nextLine { $0.hasPrefix(#"{"class":"DEVICES""#) }
        #expect(gpsd.isRunning)
        try gpsd.restart()
        try gpsd.plugIn()
        let next = try LoopbackConnection(port: gpsd.port)
        try next.send(#"?WATCH={"enable":true,"json":true};"#)
        try gpsd.waitUntilReceiverIsOpen()
    }

    @Test("a child's output is collected, however much it is, and its end is told")
    func childProcess() throws {
        let echo = try ChildProcess("/bin/cat")
        let line = Array(repeating: UInt8(ascii: "x"), count: 999) + [UInt8(ascii: "\n")]
        for _ in 0..<1000 { try echo.write(line) }
        #expect(echo.isRunning)
        echo.closeInput()
        #expect(try echo.waitForExit() == .exited(0))
        #expect(echo.standardOutput.utf8.count == 1_000_000)

        let shell = try ChildProcess(
            "/bin/sh", ["-c", "echo \"$GIVEN-$HOME\"; echo wrong >&2; exit 7"],
            environment: ["GIVEN": "yes", "HOME": nil])
        #expect(try shell.waitForExit() == .exited(7))
        #expect(shell.outputLines == ["yes-"] && shell.standardError == "wrong\n")

        let endless = try ChildProcess("/bin/cat")
        endless.terminate()
        #expect(try endless.waitForExit() == .signalled(15))
        #expect(throws: TestFailure.self) { try ChildProcess("/nowhere/at-all") }
    }

    @Test("a child does not outlive its owner")
    func childIsReaped() throws {
        var child: ChildProcess? = try ChildProcess("/bin/sh", ["-c", "trap '' TERM; echo ready; exec cat"])
        try child?.waitForOutput { $0 == "ready" }
        let pid = try #require(child?.pid)
        child = nil
        let look = try ChildProcess("/bin/sh", ["-c", "test -e /proc/\(pid)"])
        #expect(try look.waitForExit() == .exited(1))
    }

    @Test("a temporary directory goes with all it holds, but not what links lead to")
    func temporaryDirectory() throws {
        let kept = try TemporaryDirectory()
        try kept.write("kept", to: "file")
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        try directory?.write("gone", to: "file")
        #expect(try readFile("\(path)/file") == Array("gone".utf8))
        let filling = try ChildProcess(
            "/bin/sh",
            ["-c", "mkdir -p '\(path)/a/b' && ln -s '\(kept.path)' '\(path)/a/link' && touch '\(path)/a/b/c'"])
        #expect(try filling.waitForExit() == .exited(0))
        directory = nil
        #expect(throws: TestFailure.self) { try readFile("\(path)/file") }
        #expect(try ChildProcess("/bin/sh", ["-c", "test -e '\(path)'"]).waitForExit() == .exited(1))
        #expect(try readFile(kept.file("file")) == Array("kept".utf8))
    }

    @Test("waiting ends with the fact or with the deadline, and says what was waited for")
    func waiting() async throws {
        var tries = 0
        // Beside tests that block the few threads that tasks have, a task waits for minutes.
        try await eventually("three tries", within: 240) {
            tries += 1
            return tries == 3
        }
        #expect {
            try waitUntil("pigs fly", within: 0.01) { false }
        } throws: {
            "\($0)" == "cannot see that pigs fly within 0.01 s"
        }
        await #expect {
            try await eventually("pigs fly", within: 0.01) { false }
        } throws: {
            "\($0)" == "cannot see that pigs fly within 0.01 s"
        }
    }

    @Test("programs are found, and missing ones named")
    func programs() throws {
        #expect(try requireProgram("gpsd").hasSuffix("/gpsd"))
        #expect(throws: TestFailure.self) { try requireProgram("no-such-program") }
        #expect(try BuildProducts.program("locationd-track").hasSuffix("/locationd-track"))
        #expect(throws: TestFailure.self) { try BuildProducts.program("no-such-program") }
        #expect(try readFile(BuildProducts.packageDirectory() + "/Package.swift").isEmpty == false)
    }

    @Test("programs of the toolchain are those that belong to the runtime of the tests")
    func toolchain() throws {
        let compiler = try ChildProcess(try Toolchain.program("swiftc"), ["-print-target-info"])
        #expect(try compiler.waitForExit() == .exited(0))
        let runtime = try #require(Toolchain.runtime)
        let directory = runtime.dropLast("/libswiftCore.so".count)
        #expect(compiler.standardOutput.contains("\"\(directory)\""))
        #expect(throws: TestFailure.self) { try Toolchain.program("no-such-program") }
    }

    @Test("the same seed gives the same chance")
    func seeds() {
        var (one, other) = (SplitMix64(seed: 5), SplitMix64(seed: 5))
        #expect((0..<100).map { _ in one.next() } == (0..<100).map { _ in other.next() })
        #expect(one.description == "LOCATIOND_SEED=5")
        // The first number of the published reference for seed 0.
        var zero = SplitMix64(seed: 0)
        #expect(zero.next() == 0xE220_A839_7B1D_CDAF)
    }
}
