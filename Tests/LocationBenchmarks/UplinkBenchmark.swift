// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel
import LocationStore
import LocationTracks

/// A backlog that the history kept over an outage: how fast the uplink delivers it to mosquitto, each location acknowledged, beside
/// `mosquitto_pub -l` with messages of the same length at the same broker.
enum UplinkBenchmark {
    private static let backlog = 100_000
    /// Bytes of the uplink's message of a usual fix.
    private static let messageLength = 230

    static func run(programs: String) throws {
        print("uplink: a backlog of \(backlog) locations, quality of service 1")
        let directory = try TemporaryState()
        try writeHistory(directory)
        let port = try freePort()
        try directory.write("mosquitto.conf", "listener \(port) 127.0.0.1\nallow_anonymous true\nuser root\n")
        let broker = try Program("mosquitto", ["-c", directory.path("mosquitto.conf")])
        try awaitPort(port)
        try withExtendedLifetime(broker) {
            try deliver(programs, directory, port)
            try publish(directory, port)
        }
        // Made beside what the directory knows of.
        for name in ["uplink.conf", "conf", "mosquitto.conf", "lines", "s"] { unlink(directory.path(name)) }
        print("")
    }

    private static func deliver(_ programs: String, _ directory: TemporaryState, _ port: UInt16) throws {
        let source = try PositionSource()
        try directory.write("conf", "[History]\nKeep=36500\n")
        try directory.write("uplink.conf", "[Broker]\nHost=127.0.0.1\nPort=\(port)\n[Uplink]\nDevice=bench\n")
        try directory.write(
            "run/state.json",
            #"{"cursor":0,"ahead":[],"newest":0,"generation":0,"startsAtNewest":false,"owesClearing":false,"sent":0,"#
                + #""lost":0,"leftOut":0,"regions":{}}"#)
        let daemon = try Program(
            "\(programs)/locationd",
            [
                "--config", directory.path("conf"), "--socket", directory.path("s"), "--gpsd",
                "127.0.0.1:\(source.port)", "--runtime-directory", directory.path("run"), "--state-directory",
                directory.path("state"),
            ])
        try awaitSocket(directory.path("s"))
        let start = nanoseconds()
        let uplink = try Program(
            "\(programs)/locationd-uplink",
            [
                "--config", directory.path("uplink.conf"), "--socket", directory.path("s"), "--state-directory",
                directory.path("run"), "--runtime-directory", directory.path("run"),
            ])
        var early = 0
        while readText(directory.path("run/status.json"))?.contains("\"sent\":\(backlog)") != true {
            guard nanoseconds() - start < 300_000_000_000 else { throw BenchmarkError("cannot see the backlog arrive") }
            usleep(10_000)
            if early == 0, nanoseconds() - start > 200_000_000 { early = uplink.memory.resident }
        }
        tell("locationd-uplink", since: start)
        print(
            "    CPU, s                 \(fixed(Double(uplink.cpuNanoseconds) / 1e9, 2)), locationd's \(fixed(Double(daemon.cpuNanoseconds) / 1e9, 2))"
        )
        print("    resident, KiB          \(early) at the beginning, \(uplink.peakResident) at the most")
    }

    private static func publish(_ directory: TemporaryState, _ port: UInt16) throws {
        let line = String(repeating: "x", count: messageLength) + "\n"
        try directory.write("lines", String(repeating: line, count: backlog))
        let start = nanoseconds()
        let publisher = try Program(
            "sh",
            ["-c", "mosquitto_pub -h 127.0.0.1 -p \(port) -q 1 -t owntracks/bench -l < \(directory.path("lines"))"])
        publisher.wait()
        tell("mosquitto_pub -l", since: start)
    }

    private static func tell(_ name: String, since start: Int64) {
        let seconds = Double(nanoseconds() - start) / 1e9
        print("  \(padded(name, 24)) \(fixed(Double(backlog) / seconds, 0)) a second (\(fixed(seconds, 2)) s)")
    }

    private static func writeHistory(_ directory: TemporaryState) throws {
        let file = try HistoryFile(path: directory.path("state/history.sqlite"), startingAfter: 0)
        let begin = WallTime(milliseconds: clinux_realtime_milliseconds() - Int64(backlog + 50_000) * 1000)
        var (sequence, entries): (UInt64, [LogEntry]) = (0, [])
        for point in Track(.drive, from: begin, duration: .seconds(Double(backlog + 40_000)), rate: 1, seed: 1) {
            guard sequence < backlog, let location = HistoryBenchmark.location(point, sequence + 1) else { continue }
            sequence += 1
            entries.append(LogEntry(location: location, odometer: 0, flags: 0))
        }
        try file.append(entries, HistoryFile.Limits())
    }

    private static func freePort() throws -> UInt16 {
        var port: UInt16 = 0
        let listener = clinux_listen_loopback(0, &port)
        guard listener >= 0 else { throw BenchmarkError(cannot: "find a port") }
        close(listener)
        return port
    }

    private static func awaitPort(_ port: UInt16) throws {
        for _ in 0..<200 {
            var failure: Int32 = 0
            let descriptor = clinux_connect_tcp("127.0.0.1", "\(port)", &failure)
            defer { if descriptor >= 0 { close(descriptor) } }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&waiting, 1, 1000) > 0, clinux_socket_error(descriptor) == 0 { return }
            usleep(20_000)
        }
        throw BenchmarkError("cannot reach mosquitto at port \(port)")
    }
}
