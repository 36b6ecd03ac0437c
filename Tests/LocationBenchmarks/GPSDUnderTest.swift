// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel
import LocationTracks

/// A real gpsd that reads a receiver made of text.
final class GPSDUnderTest {
    let port: UInt16
    private let program: Program
    private let feed: Int32
    private var receiver: Int32 = -1

    init() throws {
        var feedPort: UInt16 = 0
        feed = clinux_listen_loopback(0, &feedPort)
        guard feed >= 0 else { throw BenchmarkError(cannot: "listen for gpsd") }
        (program, port) = try GPSDUnderTest.start(feedPort)
    }

    deinit {
        close(receiver)
        close(feed)
    }

    /// gpsd opens its receiver when it has its first client.
    func acceptReceiver() { receiver = accept(feed, nil, nil) }

    /// Sends the epochs of a walk at 50 a second; they say that they are a tenth of a second apart.
    func walk(_ epochs: Int) {
        let writer = NMEAWriter()
        for point in Track(.walk, duration: .seconds(Double(epochs) / 10), rate: 10) {
            let burst = writer.burst(of: point)
            burst.withUnsafeBytes { _ = send(receiver, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            usleep(20_000)
        }
        usleep(300_000)
    }

    /// A client that watches.
    func subscribe() throws -> Int32 { try GPSDUnderTest.subscribe(port) }

    private static func start(_ feedPort: UInt16) throws -> (Program, UInt16) {
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

    /// The same of a gpsd at a port.
    static func subscribe(_ port: UInt16) throws -> Int32 {
        let fd = try connect(port)
        let watch = "?WATCH={\"enable\":true,\"json\":true};\n"
        _ = watch.withCString { send(fd, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        return fd
    }
}
