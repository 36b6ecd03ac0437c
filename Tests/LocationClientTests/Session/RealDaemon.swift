// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationTestSupport

/// The real daemon, started and stopped by a test, and the receiver that feeds it.
final class RealDaemon {
    private let directory: TemporaryDirectory
    private let gpsd: FakeGPSD
    private var process: ChildProcess?
    private var epochs: Int64 = 0
    private let start: Int64

    init(rejoin: Int = 30) throws {
        directory = try TemporaryDirectory()
        gpsd = try FakeGPSD()
        start = Int64(time(nil)) * 1000 - 200_000
        for name in ["state", "run", "apps.d"] { mkdir(directory.file(name), 0o700) }
        try directory.write(
            "[Deferral]\nRejoinSec=\(rejoin)\n[Apps]\nDirectory=\(directory.file("apps.d"))\n", to: "locationd.conf")
    }

    deinit { process?.terminate(SIGKILL) }

    /// An app that no process of this test is.
    func writeManifest(named name: String) throws {
        try directory.write("[App]\nUnit=\(name)-of-somebody-else.service\n", to: "apps.d/\(name).conf")
    }

    var address: DaemonAddress { DaemonAddress(path: directory.file("run/socket")) }

    func launch() throws {
        process = try ChildProcess(
            try BuildProducts.program("locationd"),
            [
                "--config", directory.file("locationd.conf"), "--socket", address.path, "--gpsd",
                "127.0.0.1:\(gpsd.port)", "--state-directory", directory.file("state"), "--runtime-directory",
                directory.file("run"),
            ], environment: ["NOTIFY_SOCKET": nil, "JOURNAL_STREAM": nil, "LISTEN_FDS": nil, "LISTEN_PID": nil])
    }

    /// A client that does not try again itself finds it from then on.
    func waitUntilItServes() throws {
        try waitUntil("the daemon serves") { process?.standardError.contains("serving at") == true }
    }

    func kill() throws {
        process?.terminate(SIGKILL)
        _ = try process?.waitForExit()
        process = nil
        try gpsd.waitForConnections(0)
    }

    /// So many fixes, each 10 m north of the one before.
    func fixes(_ count: Int) throws {
        try gpsd.waitForWatch()
        try gpsd.waitForConnections()
        for _ in 0..<count {
            epochs += 1
            let place = Coordinate(latitude: 45, longitude: -30).moved(by: Double(epochs) * 10, course: 0)
            var time: [UInt8] = []
            WallTime(milliseconds: start + epochs * 200).appendRFC3339(to: &time)
            let text = String(decoding: time, as: UTF8.self)
            try gpsd.push(
                #"{"class":"TPV","device":"/dev/ttyFAKE0","mode":3,"time":"\#(text)","lat":\#(place.latitude),"#
                    + #""lon":\#(place.longitude),"altHAE":59.5,"altMSL":0.5,"epv":7.77,"eph":4.845}"#)
        }
    }
}
