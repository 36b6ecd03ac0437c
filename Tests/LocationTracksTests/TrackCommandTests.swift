// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import LocationTracks
import Testing

@Suite("The program locationd-track", .blocking)
struct TrackCommandTests {
    private func run(_ arguments: String...) throws -> (status: ProcessEnd, output: String, errors: String) {
        let process = try ChildProcess(BuildProducts.program("locationd-track"), arguments)
        let status = try process.waitForExit()
        return (status, process.standardOutput, process.standardError)
    }

    @Test("it writes the track as NMEA, the same as the library")
    func nmea() throws {
        let result = try run("drive", "--seconds", "20", "--seed=9", "--start", "-10.5,20", "--rate", "2")
        #expect(result.status == .exited(0))
        var bytes: [UInt8] = []
        let start = Coordinate(latitude: -10.5, longitude: 20)
        for point in Track(.drive, start: start, duration: .seconds(20), rate: 2, seed: 9) {
            NMEAWriter().append(point, to: &bytes)
        }
        #expect(result.output == String(decoding: bytes, as: UTF8.self))
    }

    @Test("it writes gpsd's lines, from the date asked for, options before the kind too")
    func json() throws {
        let result = try run("--json", "--from", "2030-01-02T03:04:05Z", "parked", "--seconds", "2")
        #expect(result.status == .exited(0))
        let lines = result.output.split(separator: "\r\n")
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"class\":") && $0.hasSuffix("}") })
        #expect(lines.last?.contains(#""time":"2030-01-02T03:04:06.000Z""#) == true)
    }

    @Test("a reader that leaves early is no error")
    func brokenPipe() throws {
        let shell = try ChildProcess(
            "/bin/sh", ["-c", "\"$0\" walk --seconds 100000 | head -n 1", BuildProducts.program("locationd-track")])
        #expect(try shell.waitForExit() == .exited(0))
        #expect(shell.outputLines.count == 1)
        #expect(shell.standardError.isEmpty)
    }

    @Test(
        "a wrong command line is refused with what is wrong, the usage and status 64",
        arguments: [
            ([], "without SOURCE"), (["fly"], "\"fly\""), (["walk", "ferry"], "ferry"),
            (["walk", "--bogus"], "--bogus"),
            (["walk", "--seed"], "--seed"), (["walk", "--seed", "-1"], "--seed -1"),
            (["walk", "--rate", "0"], "--rate 0"),
            (["walk", "--seconds", "nan"], "--seconds nan"), (["walk", "--start", "91,0"], "--start 91,0"),
            (["walk", "--start", "1"], "--start 1"), (["walk", "--from", "yesterday"], "--from yesterday"),
            (["walk", "--serve", "--port", "65536"], "--port 65536"),
            (["walk", "--port", "1"], "--port without --serve"),
            (["walk", "--speed", "5"], "--speed without --serve or a COMMAND"),
            (["walk", "-x"], "-x"), (["walk", "--"], "without a COMMAND"), (["walk", "--ask"], "--ask"),
            (["walk", "--serve", "--", "true"], "--serve"), (["walk", "--speed", "61", "--", "true"], "--speed 61"),
            (["walk", "--pace", "3"], "--pace"), (["way.gpx", "--seed", "3"], "--seed"),
        ] as [([String], String)])
    func wrong(arguments: [String], complaint: String) throws {
        let process = try ChildProcess(BuildProducts.program("locationd-track"), arguments)
        #expect(try process.waitForExit() == .exited(64))
        #expect(process.standardError.hasPrefix("locationd-track: cannot "))
        #expect(process.standardError.contains(complaint), "\(process.standardError)")
        #expect(process.standardError.contains("usage: locationd-track SOURCE"))
        #expect(process.standardOutput.isEmpty)
    }

    @Test("help is no error and names every option")
    func help() throws {
        let result = try run("--help")
        #expect(result.status == .exited(0) && result.errors.isEmpty)
        for word in TrackKind.allCases.map(\.rawValue) + ["--seconds", "--rate", "--seed", "--start", "--from"] {
            #expect(result.output.contains(word))
        }
        #expect(result.output.contains("--speed X          with --serve or COMMAND: "))
    }

    @Test("it serves several listeners the same journey as it happens, and ends with it")
    func serving() throws {
        let process = try ChildProcess(
            BuildProducts.program("locationd-track"),
            // Six seconds: a busy machine may take some until the second listener is there.
            ["walk", "--serve", "--seconds", "60", "--speed", "10", "--rate", "10"])
        let announcement = try process.waitForOutput { $0.hasPrefix("listening on 127.0.0.1:") }
        let port = try #require(announcement.split(separator: ":").last.flatMap { UInt16($0) })
        let first = try LoopbackConnection(port: port)
        let opening = try first.nextLine()
        #expect(opening.hasPrefix("$GPRMC,"))
        let second = try LoopbackConnection(port: port)
        let joined = try second.nextLine { $0.hasPrefix("$GPRMC,") }
        #expect(joined != opening, "the journey goes on meanwhile")
        let epochs = 1 + (try first.remainingLines().filter { $0.hasPrefix("$GPRMC,") }.count)
        #expect(epochs == 600)
        let later = 1 + (try second.remainingLines().filter { $0.hasPrefix("$GPRMC,") }.count)
        #expect(later < 600)
        #expect(try process.waitForExit() == .exited(0))
    }

    @Test("a listener that leaves does not disturb the others, and SIGTERM ends it all")
    func leaving() throws {
        let process = try ChildProcess(
            BuildProducts.program("locationd-track"), ["walk", "--serve", "--speed", "50", "--port", "0"])
        let announcement = try process.waitForOutput { $0.hasPrefix("listening on 127.0.0.1:") }
        let port = try #require(announcement.split(separator: ":").last.flatMap { UInt16($0) })
        let leaver = try LoopbackConnection(port: port)
        let stayer = try LoopbackConnection(port: port)
        _ = try leaver.nextLine()
        leaver.close()
        for _ in 0..<30 { _ = try stayer.nextLine { $0.hasPrefix("$GPGGA,") } }
        process.terminate()
        #expect(try process.waitForExit() == .signalled(15))
    }
}
