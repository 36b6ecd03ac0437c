// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport

/// A session bus of its own with python-dbusmock's notification daemon, a real locationd with a region at home whose receiver is the
/// test, and real agents between the two.
///
/// For one thread. Nothing of it is left when the test lets go of it.
final class Home {
    static let isPossible = PrivateBus.mockingPython != nil
    static let reason = PrivateBus.noMocking
    private static let middle = Coordinate(latitude: 45, longitude: -30)

    let directory: TemporaryDirectory
    private let bus: PrivateBus
    private let desktop: ChildProcess
    private let gpsd: FakeGPSD
    private var daemon: ChildProcess
    private var answers = 1
    private var epochs: Int64 = 0
    private let start = clinux_realtime_milliseconds() - 1_000_000

    /// - Parameter capabilities: What the desktop's notifications can.
    init(_ capabilities: String = "body actions", configuration: String = "") throws {
        directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        for name in ["state", "run"] { mkdir(directory.file(name), 0o700) }
        bus = try PrivateBus(directory)
        let script = "\(try BuildProducts.packageDirectory())/Tests/LocationAgentTests/Programs/desktop.py"
        desktop = try ChildProcess(
            PrivateBus.mockingPython ?? "", [script] + capabilities.split(separator: " ").map(String.init),
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
        try desktop.waitForOutput { $0 == "ready" }
        gpsd = try FakeGPSD()
        try directory.write(
            configuration + "\n[Power]\nDutyCycle=no\n[Apps]\nDirectory=\(directory.file("apps.d"))\n",
            to: "locationd.conf")
        daemon = try Home.startDaemon(directory, gpsd)
    }

    private static func startDaemon(_ directory: TemporaryDirectory, _ gpsd: FakeGPSD) throws -> ChildProcess {
        let daemon = try ChildProcess(
            try BuildProducts.program("locationd"),
            [
                "--config", directory.file("locationd.conf"), "--socket", directory.file("socket"),
                "--gpsd", "127.0.0.1:\(gpsd.port)", "--state-directory", directory.file("state"),
                "--runtime-directory", directory.file("run"),
            ], environment: ["NOTIFY_SOCKET": nil, "JOURNAL_STREAM": nil, "LISTEN_FDS": nil, "LISTEN_PID": nil])
        try waitUntil("locationd serves") { daemon.standardError.contains("serving at") }
        return daemon
    }

    /// Kills locationd, and starts it again in the same directories.
    func restartDaemon() throws {
        daemon.terminate(SIGKILL)
        try daemon.waitForExit()
        daemon = try Home.startDaemon(directory, gpsd)
    }

    /// The user's agent, as `locctl agent --desktop` begins it.
    func startAgent(socket: String? = nil) throws -> ChildProcess {
        let agent = try ChildProcess(
            try BuildProducts.program("locctl"),
            ["agent", "--desktop", "--socket", socket ?? directory.file("socket")],
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
        return agent
    }

    /// A connection to locationd.
    func connection() throws -> LocationConnection {
        try LocationConnection(to: DaemonAddress(path: directory.file("socket")))
    }

    // MARK: Places

    /// Has locationd watch the home for an app that is told nothing of it, and lets the device be there.
    func watch(_ notice: RegionNotice) throws {
        let connection = try connection()
        _ = try connection.hello(app: "house")
        let region = Region(
            identifier: "home", shape: .circle(center: Home.middle, radius: 100), notifyOnEntry: false,
            notifyOnExit: false, notice: notice)
        _ = try connection.startMonitoring(region)
        try stay(at: 0)
        try waitUntil("locationd knows where it is") {
            try connection.location() != nil
        }
    }

    /// A minute at a place, metres north of home.
    func stay(at metres: Double) throws {
        try gpsd.waitForWatch()
        let place = Home.middle.moved(by: metres, course: 0)
        var bytes: [UInt8] = []
        for _ in 0..<60 {
            epochs += 1
            var time: [UInt8] = []
            WallTime(milliseconds: start + epochs * 1000).appendRFC3339(to: &time)
            let line =
                #"{"class":"TPV","device":"/dev/ttyFAKE0","mode":3,"time":"\#(String(decoding: time, as: UTF8.self))","#
                + #""lat":\#(place.latitude),"lon":\#(place.longitude),"eph":5.035}"#
            bytes += Array((line + "\r\n").utf8)
        }
        try gpsd.push(bytes: bytes)
    }

    /// Waits until so many notices wait to be shown.
    func waitUntilStored(_ count: Int) throws {
        let connection = try connection()
        try waitUntil("\(count) notices wait") { try connection.events(of: "uid:\(getuid())").count == count }
    }

    /// A program of another user wants locations; returns how locationd names it. It ends when nobody has the second value any more.
    func question() throws -> (app: String, process: ChildProcess) {
        let process = try ChildProcess(
            try requireProgram("setpriv"),
            ["--reuid", "1", "--clear-groups", try requireProgram("nc"), "-U", directory.file("socket")])
        try process.write((#"{"jsonrpc":"2.0","id":1,"method":"startUpdatingLocation"}"# + "\n").utf8)
        return ("uid:1", process)
    }

    /// What an app may do; nil: locationd does not know it.
    func authorization(of app: String) throws -> AuthorizationStatus? {
        try connection().apps().first { $0.app == app }?.authorizationStatus
    }

    // MARK: The desktop

    /// Has it do something; returns its answer as JSON.
    @discardableResult
    func tell(_ command: String) throws -> String {
        try desktop.write("\(command)\n".utf8)
        answers += 1
        try waitUntil("the desktop answers to \(command): it says \(desktop.standardError)") {
            desktop.outputLines.count >= answers
        }
        return desktop.outputLines[answers - 1]
    }

    /// What it was told to show.
    func shown() throws -> [JSON] { try JSON(parsing: try tell("shown")).array ?? [] }

    /// Waits until it was told to show so much; returns it.
    @discardableResult
    func waitUntilShown(_ count: Int) throws -> [JSON] {
        var shown: [JSON] = []
        try waitUntil("\(count) are shown: \(shown)") {
            shown = try self.shown()
            return shown.count >= count
        }
        return shown
    }
}
