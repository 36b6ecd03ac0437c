// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// A locationd with directories of its own.
final class DaemonUnderTest {
    let program: Program
    let socketPath: String
    private let directory: String

    init(programs: String, gpsd: String) throws {
        var template = Array("/tmp/locationd-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchmarkError(cannot: "make a directory") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        socketPath = "\(directory)/s"
        for name in ["run", "state"] { mkdir("\(directory)/\(name)", 0o700) }
        let file = open("\(directory)/conf", O_WRONLY | O_CREAT, 0o600)
        let text = "[Limits]\nConnections=20000\n"
        _ = text.withCString { write(file, $0, strlen($0)) }
        close(file)
        program = try Program(
            "\(programs)/locationd",
            [
                "--config", "\(directory)/conf", "--socket", socketPath, "--gpsd", gpsd, "--runtime-directory",
                "\(directory)/run", "--state-directory", "\(directory)/state",
            ])
        try awaitSocket(socketPath)
    }

    deinit {
        for name in ["run/fixes", "run/managers", "conf", "s"] { unlink("\(directory)/\(name)") }
        for name in ["fixes.copy", "managers.copy", "locationd.sqlite", "locationd.sqlite-wal", "locationd.sqlite-shm"]
        {
            unlink("\(directory)/state/\(name)")
        }
        for name in ["run", "state", ""] { rmdir("\(directory)/\(name)") }
    }

    /// A client that has sent one request.
    func connect(_ request: String) throws -> Int32 {
        let fd = clinux_connect_unix(socketPath)
        guard fd >= 0 else { throw BenchmarkError(cannot: "connect to locationd") }
        let line = request + "\n"
        _ = line.withCString { send(fd, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        return fd
    }
}

/// gpsd's side of one connection: says what gpsd says, and then positions.
final class PositionSource {
    private let listener: Int32
    let port: UInt16
    private var connection: Int32 = -1
    private var milliseconds = 0

    init() throws {
        var port: UInt16 = 0
        listener = clinux_listen_loopback(0, &port)
        guard listener >= 0 else { throw BenchmarkError(cannot: "listen for locationd") }
        self.port = port
    }

    deinit {
        close(connection)
        close(listener)
    }

    func accept() {
        connection = Glibc.accept(listener, nil, nil)
        say(#"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#)
        var buffer = [UInt8](repeating: 0, count: 4096)
        // The subscription.
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0, !String(decoding: buffer[0..<count], as: UTF8.self).contains("\"json\":true") else {
                break
            }
        }
        say(
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/bench","activated":"2026-01-01T00:00:00.000Z"}]}"#
        )
        say(#"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false}"#)
        // The first epochs teach the daemon that each has one report.
        for _ in 0..<8 {
            position()
            usleep(300_000)
        }
    }

    private func say(_ line: String) {
        let bytes = line + "\r\n"
        _ = bytes.withCString { send(connection, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
    }

    func position() {
        milliseconds += 1000
        let seconds = milliseconds / 1000
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = "2026-01-01T\(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).000Z"
        let latitude = fixed(45 + Double(seconds) * 1e-5, 9)
        say(
            "{\"class\":\"TPV\",\"device\":\"/dev/bench\",\"mode\":3,\"time\":\"\(time)\",\"ept\":0.005,\"lat\":\(latitude),\"lon\":-30.000000000,\"altHAE\":100.0,\"altMSL\":59.0,\"epx\":3.1,\"epy\":3.2,\"epv\":6.3,\"track\":12.3,\"speed\":1.1,\"climb\":0.0,\"eph\":4.46,\"sep\":9.0}"
        )
    }
}
