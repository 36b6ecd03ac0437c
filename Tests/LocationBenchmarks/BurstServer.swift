// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// Stands before a daemon: lets a client and the daemon speak until both are quiet, and then writes locations as fast as the client
/// takes them.
final class BurstServer {
    let path: String
    private let daemon: DaemonUnderTest
    private let listener: Int32
    private let lines: [UInt8]
    private var client: Int32 = -1
    private var behind: Int32 = -1

    init(inFrontOf daemon: DaemonUnderTest, locations: Int) throws {
        self.daemon = daemon
        path = "/tmp/locationd-bench.\(getpid()).burst"
        lines = (1...locations).flatMap { BurstServer.line(1_000_000 + $0).utf8 }
        listener = clinux_listen_unix(path, 0o600, 16)
        guard listener >= 0, fcntl(listener, F_SETFL, 0) == 0 else { throw BenchmarkError(cannot: "listen at \(path)") }
    }

    deinit {
        for fd in [client, behind, listener] where fd >= 0 { close(fd) }
        unlink(path)
    }

    // As the daemon writes them.
    private static func line(_ number: Int) -> String {
        let latitude = fixed(48 + Double(number) * 1e-7, 9)
        return
            #"{"jsonrpc":"2.0","method":"didUpdateLocations","params":{"source":"standard","locations":[{"latitude":"#
            + latitude + #","longitude":-11.575412345,"horizontalAccuracy":4.25,"altitude":519.512,"#
            + #""ellipsoidalAltitude":565.875,"verticalAccuracy":8.123,"speed":1.434,"speedAccuracy":0.512,"#
            + #""course":271.5,"courseAccuracy":12.25,"timestamp":"2026-11-14T22:13:20.123Z","sequence":\#(number),"#
            + #""sourceInformation":{"isSimulatedBySoftware":false,"isProducedByAccessory":false}}],"seq":\#(number)}}"#
            + "\n"
    }

    /// How long a thread takes that does nothing but read what `writeLines` writes, nanoseconds.
    func measureReader() throws -> (duration: Int64, cpu: Int64) {
        let reading = clinux_connect_unix(path)
        guard reading >= 0 else { throw BenchmarkError(cannot: "connect to \(path)") }
        defer { close(reading) }
        try acceptClient()
        let (start, count) = (nanoseconds(), lines.count)
        let writer = Worker { self.writeLines() }
        let before = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        var (missing, buffer) = (count, [UInt8](repeating: 0, count: 65_536))
        while missing > 0 {
            let got = recv(reading, &buffer, buffer.count, 0)
            guard got > 0 else { break }
            missing -= got
        }
        let cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before
        let duration = nanoseconds() - start
        writer.join()
        return (duration, cpu)
    }

    /// Accepts a client and lets it and the daemon speak until they have been quiet for a second.
    func introduceClient() throws {
        try acceptClient()
        behind = clinux_connect_unix(daemon.socketPath)
        guard behind >= 0 else { throw BenchmarkError(cannot: "connect to locationd") }
        var ends = [client, behind].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while poll(&ends, 2, 1000) > 0 {
            for (from, to) in [(0, behind), (1, client)] where ends[from].revents != 0 {
                let count = recv(ends[from].fd, &buffer, buffer.count, 0)
                guard count > 0 else { throw BenchmarkError("cannot introduce a client to locationd: one hung up") }
                send(to, buffer, count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    /// Writes all lines to the client that was accepted last.
    func writeLines() {
        lines.withUnsafeBytes { bytes in
            var next = 0
            while next < bytes.count {
                let rest = bytes[next...].prefix(65_536)
                let count = send(
                    client, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return }
                next += count
            }
        }
    }

    private func acceptClient() throws {
        if client >= 0 { close(client) }
        client = accept(listener, nil, nil)
        guard client >= 0 else { throw BenchmarkError(cannot: "accept a client") }
    }
}
