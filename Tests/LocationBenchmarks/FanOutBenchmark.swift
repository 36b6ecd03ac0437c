// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// CPU per delivered location, beside a loop that does nothing but write the same line to as many sockets.
enum FanOutBenchmark {
    static func run(programs: String) throws {
        clinux_raise_file_limit()
        print("fan-out: CPU of the writing process per delivered location, microseconds")
        print("  clients  locationd  bare loop  ratio")
        for clients in [1, 64, 1_000, 10_000] {
            let rounds = max(min(200_000 / clients, 400), 30)
            let daemon = try measureDaemon(programs: programs, clients: clients, rounds: rounds)
            let bare = try measureBareLoop(clients: clients, rounds: rounds, length: daemon.lineLength)
            print(
                "  \(padded("\(clients)", 8)) \(padded(fixed(daemon.cpu, 2), 10)) \(padded(fixed(bare, 2), 10)) \(fixed(daemon.cpu / bare, 2))"
            )
        }
        print("")
    }

    private static func measureDaemon(
        programs: String, clients: Int, rounds: Int
    ) throws -> (cpu: Double, lineLength: Int) {
        let source = try PositionSource()
        let daemon = try DaemonUnderTest(programs: programs, gpsd: "127.0.0.1:\(source.port)")
        let readers = try Readers()
        for _ in 0..<clients {
            readers.add(try daemon.connect(#"{"jsonrpc":"2.0","id":1,"method":"startUpdatingLocation"}"#))
        }
        defer { readers.closeAll() }
        source.accept()
        readers.drain(untilQuietFor: 500)
        let (lines, bytes) = (readers.lines, readers.bytes)
        let before = daemon.program.cpuNanoseconds
        for round in 1...rounds {
            source.position()
            readers.read(untilLines: lines + round * clients)
        }
        let cpu = daemon.program.cpuNanoseconds - before
        let delivered = readers.lines - lines
        return (Double(cpu) / 1000 / Double(delivered), (readers.bytes - bytes) / max(delivered, 1))
    }

    private static func measureBareLoop(clients: Int, rounds: Int, length: Int) throws -> Double {
        let path = "/tmp/locationd-bench.\(getpid()).bare"
        defer { unlink(path) }
        let writer = try Program(CommandLine.arguments[0], [BareWriter.argument, path, "\(clients)", "\(length)"])
        try awaitSocket(path)
        let readers = try Readers()
        defer { readers.closeAll() }
        var bell: Int32 = -1
        for _ in 0...clients {
            let fd = clinux_connect_unix(path)
            guard fd >= 0 else { throw BenchmarkError(cannot: "connect to the bare loop") }
            if bell < 0 { bell = fd } else { readers.add(fd) }
        }
        defer { close(bell) }
        func ring(_ round: Int) {
            var byte: UInt8 = 1
            send(bell, &byte, 1, Int32(MSG_NOSIGNAL))
            readers.read(untilLines: round * clients)
        }
        // The first round waits until all are accepted.
        ring(1)
        let before = writer.cpuNanoseconds
        for round in 2...(rounds + 1) { ring(round) }
        return Double(writer.cpuNanoseconds - before) / 1000 / Double(rounds * clients)
    }
}

/// The clients' ends of many sockets, read by one thread.
final class Readers {
    private let poll: Int32
    private var fds: [Int32] = []
    private(set) var lines = 0
    private(set) var bytes = 0
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var ready = [clinux_ready](repeating: clinux_ready(), count: 64)

    init() throws {
        poll = clinux_epoll_create()
        guard poll >= 0 else { throw BenchmarkError(cannot: "make a poll") }
    }

    func add(_ fd: Int32) {
        clinux_epoll_add(poll, fd, UInt32(clinux_readable), UInt64(fd))
        fds.append(fd)
    }

    func closeAll() {
        for fd in fds { close(fd) }
        close(poll)
    }

    func read(untilLines wanted: Int) {
        let deadline = nanoseconds() + 20_000_000_000
        while lines < wanted, nanoseconds() < deadline { readSome(milliseconds: 1000) }
    }

    func drain(untilQuietFor milliseconds: Int32) {
        while readSome(milliseconds: milliseconds) {}
    }

    @discardableResult
    private func readSome(milliseconds: Int32) -> Bool {
        let count = Int(clinux_epoll_wait(poll, &ready, 64, milliseconds))
        for index in 0..<max(count, 0) {
            let got = recv(Int32(ready[index].key), &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard got > 0 else { continue }
            bytes += got
            lines += buffer[0..<got].reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
        }
        return count > 0
    }
}
