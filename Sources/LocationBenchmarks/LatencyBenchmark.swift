// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel
import LocationTracks

/// How much later a client of locationd has a fix than a direct client of the same gpsd, which was first to subscribe.
enum LatencyBenchmark {
    private static let epochs = 600

    static func run(programs: String) throws {
        var feedPort: UInt16 = 0
        let feed = clinux_listen_loopback(0, &feedPort)
        guard feed >= 0 else { throw BenchmarkError(cannot: "listen for gpsd") }
        defer { close(feed) }
        let (gpsd, port) = try startGPSD(feedPort)
        defer { withExtendedLifetime(gpsd) {} }
        let direct = try subscribe(port)
        let receiver = accept(feed, nil, nil)
        let daemon = try DaemonUnderTest(programs: programs, gpsd: "127.0.0.1:\(port)")
        let client = try daemon.connect(#"{"jsonrpc":"2.0","id":1,"method":"startUpdatingLocation"}"#)
        usleep(500_000)

        let (directTimes, clientTimes) = (Arrivals(), Arrivals())
        let readers = [
            Worker { collect(direct, key: "\"time\":\"", only: "\"class\":\"TPV\"", into: directTimes) },
            Worker { collect(client, key: "\"timestamp\":\"", only: "didUpdateLocations", into: clientTimes) },
        ]
        let writer = NMEAWriter()
        for point in Track(.walk, duration: .seconds(Double(epochs) / 10), rate: 10) {
            let burst = writer.burst(of: point)
            burst.withUnsafeBytes { _ = send(receiver, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            usleep(20_000)
        }
        usleep(300_000)
        shutdown(direct, Int32(SHUT_RDWR))
        shutdown(client, Int32(SHUT_RDWR))
        for reader in readers { reader.join() }
        report(directTimes, clientTimes)
        close(direct)
        close(client)
        close(receiver)
    }

    private static func report(_ direct: Arrivals, _ client: Arrivals) {
        // The first seconds teach the daemon how the receiver speaks.
        let added = client.first.compactMap { time, arrival in
            direct.first[time].map { arrival - $0 }
        }.sorted()
        print("latency added to a direct gpsd client's, real gpsd, \(added.count) epochs, microseconds")
        print(
            "  median \(fixed(percentile(added, 0.5) / 1000, 1))   p99 \(fixed(percentile(added, 0.99) / 1000, 1))   max \(fixed(percentile(added, 1) / 1000, 1))"
        )
        print("")
    }

    private static func startGPSD(_ feedPort: UInt16) throws -> (Program, UInt16) {
        for port in UInt16(29_400)..<29_420 {
            let probe = try? subscribe(port)
            if let probe {
                close(probe)
                continue
            }
            let program = try Program(
                "gpsd", ["-N", "-b", "-S", "\(port)", "tcp://127.0.0.1:\(feedPort)"],
                environment: ["GPSD_SHM_KEY": "0x4c4f\(port)"])
            for _ in 0..<50 {
                usleep(50_000)
                if let connection = try? connect(port) {
                    close(connection)
                    return (program, port)
                }
            }
        }
        throw BenchmarkError("cannot start gpsd: is it installed?")
    }

    private static func connect(_ port: UInt16) throws -> Int32 {
        var resolver: Int32 = 0
        let fd = clinux_connect_tcp("127.0.0.1", "\(port)", &resolver)
        var waiting = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
        guard fd >= 0, poll(&waiting, 1, 2000) == 1, clinux_socket_error(fd) == 0 else {
            if fd >= 0 { close(fd) }
            throw BenchmarkError(cannot: "connect to gpsd")
        }
        let flags = fcntl(fd, F_GETFL)
        _ = fcntl(fd, F_SETFL, flags & ~O_NONBLOCK)
        return fd
    }

    private static func subscribe(_ port: UInt16) throws -> Int32 {
        let fd = try connect(port)
        let watch = "?WATCH={\"enable\":true,\"json\":true};\n"
        _ = watch.withCString { send(fd, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        return fd
    }

    /// When each epoch was first seen, by its time.
    private final class Arrivals: @unchecked Sendable {
        var first: [String: Int64] = [:]
    }

    private static func collect(_ fd: Int32, key: String, only: String, into arrivals: Arrivals) {
        var (pending, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while true {
            let count = recv(fd, &buffer, buffer.count, 0)
            let now = nanoseconds()
            guard count > 0 else { return }
            pending += buffer[0..<count]
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: pending[0..<end], as: UTF8.self)
                pending.removeSubrange(0...end)
                guard line.contains(only), let start = line.range(of: key) else { continue }
                let time = String(line[start...].prefix(24))
                if arrivals.first[time] == nil { arrivals.first[time] = now }
            }
        }
    }
}

extension String {
    /// Where the text behind the first occurrence of `key` begins.
    fileprivate func range(of key: String) -> String.Index? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(key) { return self.index(index, offsetBy: key.count) }
            index = self.index(after: index)
        }
        return nil
    }
}
