// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import LocationTracks

/// A system bus of its own with the real bridge on it, a real locationd behind that, and a real gpsd whose receiver is the test.
///
/// For one thread. Nothing of it is left when the test lets go of it.
final class Desktop {
    /// A user who is nobody in particular, and whom the bus finds in the database of every Debian; so is the next one.
    static let user: UInt32 = 1
    /// Only root can make peers of other users.
    static var canBeOthers: Bool { getuid() == 0 }

    let directory: TemporaryDirectory
    private(set) var bridge: ChildProcess
    private let gpsd: RealGPSD
    private let bus: ChildProcess
    private var daemon: ChildProcess
    private var points = Track(.drive, duration: .seconds(3600), seed: 5).makeIterator()
    private let options: [String]

    /// `options` of the bridge, beside `--agents` of the user; `configuration` of locationd.
    init(_ options: [String] = [], configuration: String = "") throws {
        directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        for name in ["state", "run"] { mkdir(directory.file(name), 0o700) }
        gpsd = try RealGPSD()
        try directory.write(configuration + "\n[Apps]\nDirectory=\(directory.file("apps.d"))\n", to: "locationd.conf")
        bus = try Desktop.startBus(directory)
        daemon = try Desktop.startDaemon(directory, gpsd)
        self.options = ["--agents", "\(Desktop.user)"] + options
        bridge = try Desktop.startBridge(directory, self.options)
    }

    // MARK: Programs

    private static func startBus(_ directory: TemporaryDirectory) throws -> ChildProcess {
        // What the system's bus allows by itself, and every name and call.
        let types = ["method_call", "method_return", "error", "signal"]
        let rules =
            types.map { "<allow receive_type=\"\($0)\"/>" } + [
                #"<allow user="*"/>"#, #"<allow own="*"/>"#, #"<allow send_type="method_call"/>"#,
                #"<allow send_type="signal"/>"#, #"<allow send_requested_reply="true" send_type="method_return"/>"#,
                #"<allow send_requested_reply="true" send_type="error"/>"#,
            ]
        try directory.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>system</type><listen>unix:path=\(directory.file("bus"))</listen><auth>EXTERNAL</auth>
            <policy context="default">\(rules.joined())</policy></busconfig>
            """, to: "bus.conf")
        let bus = try ChildProcess(
            try requireProgram("dbus-daemon"),
            ["--nofork", "--nopidfile", "--print-address", "--config-file=\(directory.file("bus.conf"))"])
        try bus.waitForOutput { $0.contains("unix:path=") }
        return bus
    }

    private static func startDaemon(_ directory: TemporaryDirectory, _ gpsd: RealGPSD) throws -> ChildProcess {
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

    private static func startBridge(_ directory: TemporaryDirectory, _ options: [String]) throws -> ChildProcess {
        let bridge = try ChildProcess(
            try BuildProducts.program("locationd-geoclue"), ["--socket", directory.file("socket")] + options,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory.file("bus"))"])
        let probe = try Peer(directory, in: directory)
        try waitUntil("the bridge is on the bus: it says \(bridge.standardError)") {
            try probe.ask(ObjectPaths.manager, "org.freedesktop.DBus.Peer", "Ping").error == nil
        }
        return bridge
    }

    /// Kills locationd, and starts it again in the same directories.
    func restartDaemon() throws {
        daemon.terminate(SIGKILL)
        try daemon.waitForExit()
        daemon = try Desktop.startDaemon(directory, gpsd)
    }

    /// A connection to the bus, of root or of another user.
    func peer(uid: UInt32 = 0) throws -> Peer { try Peer(directory, uid: uid, in: self) }

    /// Starts one of GeoClue's own programs.
    func run(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            program, arguments, environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory.file("bus"))"])
    }

    /// A connection to locationd.
    func connection() throws -> LocationConnection {
        try LocationConnection(to: DaemonAddress(path: directory.file("socket")))
    }

    /// An administrator of locationd decides about the bridge; whose authorization that is follows from where the test runs.
    func authorize(_ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization = .full) throws {
        let administrator = try connection()
        let identity = try administrator.hello().identity
        try administrator.authorize(identity, status, accuracy: accuracy)
    }

    // MARK: The receiver

    /// A drive goes on for a second; returns where the receiver saw itself.
    @discardableResult
    func drive() throws -> TrackPoint {
        let current = points.next()
        guard let current else { throw TestFailure("cannot drive on: the track is over") }
        try gpsd.feed(NMEAWriter().burst(of: current))
        return current
    }

    /// Drives on until something is so.
    func drive(until what: String, _ condition: () throws -> Bool) throws {
        let deadline = Deadline.within(patience)
        while try !condition() {
            guard !deadline.hasPassed else { throw TestFailure("cannot see that \(what)") }
            try drive()
            // gpsd takes a moment for each burst; what it says is what is waited for.
            poll(nil, 0, 50)
        }
    }

    /// Whether gpsd has its receiver open, as nobody but locationd asks it to.
    var isReceiverOpen: Bool { gpsd.isReceiverOpen }
}

/// Paths and interfaces of GeoClue.
enum ObjectPaths {
    static let manager = "/org/freedesktop/GeoClue2/Manager"
    static let managerInterface = "org.freedesktop.GeoClue2.Manager"
    static let client = "org.freedesktop.GeoClue2.Client"
    static let location = "org.freedesktop.GeoClue2.Location"
    static let properties = "org.freedesktop.DBus.Properties"
}
