// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("A command with a locationd of its own", .serialized, .blocking)
struct CommandRunTests {
    private let directory: TemporaryDirectory
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        // Half a kilometre in a minute, and then at rest.
        file = try directory.write(
            """
            <gpx><trk><trkseg><trkpt lat="45" lon="-30"><time>2020-01-01T00:00:00Z</time></trkpt>
            <trkpt lat="45.005" lon="-30"><time>2020-01-01T00:01:00Z</time></trkpt></trkseg></trk></gpx>
            """, to: "way.gpx")
    }

    private func run(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            BuildProducts.program("locationd-track"), [file] + arguments, environment: ["TMPDIR": directory.file("")])
    }

    private var left: [String] {
        guard let stream = opendir(directory.file("")) else { return ["?"] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.filter { ![".", "..", "way.gpx"].contains($0) }
    }

    @Test("The command finds the device on the way, in the present; its exit status is passed on, and nothing is left")
    func location() throws {
        let process = try run(
            "--", "sh", "-c", "\"$0\" get --json; date -u +%FT%H; exit 7", try BuildProducts.program("locctl"))
        #expect(try process.waitForExit(within: 60) == .exited(7), "\(process.standardError)")
        let lines = process.outputLines
        #expect(lines.count == 2 && lines[0].contains("\"latitude\":45.0"), "\(lines)")
        #expect(lines.last.map { lines[0].contains($0) } == true, "\(lines)")
        #expect(process.standardError.contains("LOCATIOND_SOCKET="))
        #expect(left == [])
    }

    @Test(
        "Faster than life the device pauses and visits after minutes of the way; SIGTERM ends the command, and all with it"
    )
    func fast() throws {
        let process = try run(
            "--speed", "60", "--", "sh", "-c", "\"$0\" visits --follow --json & exec \"$0\" watch --json",
            try BuildProducts.program("locctl"))
        for sign in ["didPauseLocationUpdates", "didVisit"] {
            _ = try process.waitForOutput(within: 60) { $0.contains(sign) }
        }
        process.terminate(SIGTERM)
        _ = try process.waitForExit(within: 30)
        #expect(left == [])
    }

    @Test("With --ask nobody has decided, and whoever runs the command may decide")
    func asking() throws {
        let locctl = try BuildProducts.program("locctl")
        let process = try run(
            "--ask", "--", "sh", "-c",
            "\"$0\" get --timeout 1 || \"$0\" authorize \"uid:$(id -u)\" always && \"$0\" get", locctl)
        #expect(try process.waitForExit(within: 60) == .exited(0), "\(process.standardError)")
        #expect(process.standardError.contains("nobody has decided"), "\(process.standardError)")
    }

    @Test("A command that is not there, and a file that is wrong, are said, and nothing is left")
    func wrong() throws {
        let missing = try run("--", "/no/such/program")
        #expect(try missing.waitForExit(within: 60) == .exited(1))
        #expect(missing.standardError.contains("cannot start /no/such/program: No such file or directory"))
        try directory.write("<gpx>\n<wpt/></gpx>", to: "way.gpx")
        let unread = try run("--", "true")
        #expect(try unread.waitForExit(within: 60) == .exited(1))
        #expect(unread.standardError.contains("way.gpx: line 2: cannot use <wpt> without lat"))
        #expect(left == [])
    }
}
