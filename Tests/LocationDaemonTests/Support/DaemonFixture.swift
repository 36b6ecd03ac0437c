// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationTestSupport

/// The real daemon with directories, socket and configuration of its own, and a gpsd that is the test itself.
///
/// For one thread. Nothing of it is left when the test lets go of it.
final class DaemonFixture {
    let directory: TemporaryDirectory
    let gpsd: FakeGPSD
    /// What the receiver says next.
    var simulation: Simulation
    private(set) var process: ChildProcess
    private let gpsdAddress: String
    // Commands of former daemons are no news.
    private var commandsBefore = 0
    // Epochs with a position pushed to the daemon that runs now.
    private var pushed = 0
    private var observer: DaemonClient?

    /// Things that are to stay as long as the daemon.
    var belongings: [AnyObject] = []

    private let stateDisk: Int?
    /// Who keeps its clients while it is away; nil: nobody.
    let manager: ServiceManager?

    /// The program of a release before this, from which the first restart of a managed daemon is then an upgrade; nil: restarts only.
    private let former = getenv("LOCATIOND_FORMER").map { String(cString: $0) }

    /// Starts a daemon with `configuration` (the text of its file).
    ///
    /// - Parameters:
    ///   - gpsdPort: Another gpsd than the test's own.
    ///   - step: Milliseconds between epochs.
    ///   - manifests: The texts of the apps' manifests, by name; others may connect then, too.
    ///   - isManaged: A service manager has its socket, and keeps its clients while it is away.
    ///   - stateKilobytes: The state directory is a disk of its own of this size.
    init(
        _ configuration: String = "", gpsdPort: UInt16? = nil, step: Int64 = 20, manifests: [String: String]? = nil,
        stateKilobytes: Int? = nil, isManaged: Bool = false
    ) throws {
        stateDisk = stateKilobytes
        directory = try TemporaryDirectory()
        manager = isManaged ? try ServiceManager(directory) : nil
        gpsd = try FakeGPSD(devices: [Simulation.device])
        simulation = Simulation(step: step)
        gpsdAddress = "127.0.0.1:\(gpsdPort ?? gpsd.port)"
        for name in ["state", "run"] { mkdir(directory.file(name), 0o700) }
        if let stateKilobytes {
            guard mount("locationd-test", directory.file("state"), "tmpfs", 0, "size=\(stateKilobytes)k") == 0 else {
                throw TestFailure("cannot mount a tmpfs")
            }
        }
        if let manifests {
            chmod(directory.path, 0o711)
            mkdir(directory.file("apps.d"), 0o755)
            for (name, text) in manifests { try directory.write(text, to: "apps.d/\(name).conf") }
        }
        try directory.write(DaemonFixture.complete(configuration, directory), to: "locationd.conf")
        process = try DaemonFixture.launch(directory, gpsdAddress, manager, program: isManaged ? former : nil)
        try waitUntilServing()
    }

    deinit {
        guard stateDisk != nil else { return }
        process.terminate(SIGKILL)
        umount2(directory.file("state"), CInt(MNT_DETACH))
    }

    // No manifests but the test's own.
    private static func complete(_ configuration: String, _ directory: TemporaryDirectory) -> String {
        configuration + "\n[Apps]\nDirectory=\(directory.file("apps.d"))\n"
    }

    var socket: String { directory.file("socket") }
    var pid: pid_t { process.pid }
    var journal: String { process.standardError }

    // MARK: The daemon's life

    private static func launch(
        _ directory: TemporaryDirectory, _ gpsd: String, _ manager: ServiceManager?, program former: String? = nil
    ) throws -> ChildProcess {
        let program = try former ?? BuildProducts.program("locationd")
        let arguments = [
            "--config", directory.file("locationd.conf"), "--socket", directory.file("socket"), "--gpsd", gpsd,
            "--state-directory", directory.file("state"), "--runtime-directory", directory.file("run"),
        ]
        if let manager { return try manager.start(program, arguments) }
        return try ChildProcess(
            program, arguments,
            environment: ["NOTIFY_SOCKET": nil, "JOURNAL_STREAM": nil, "LISTEN_FDS": nil, "LISTEN_PID": nil])
    }

    private func waitUntilServing() throws {
        try waitUntil("locationd serves") {
            guard process.isRunning else { throw TestFailure("cannot run locationd: it says \(journal)") }
            return journal.contains("serving at")
        }
    }

    /// Ends the daemon and waits for its end.
    @discardableResult
    func stop(_ signal: Int32 = SIGKILL) throws -> ProcessEnd {
        observer = nil
        process.terminate(signal)
        return try process.waitForExit()
    }

    /// Closes the administrator's connection.
    func hangUp() {
        observer?.close()
        observer = nil
    }

    /// Starts the daemon again in the same directories.
    func start() throws {
        try launch()
        try waitUntilServing()
    }

    /// The same without waiting until it serves.
    func launch() throws {
        try gpsd.waitForConnections(0)
        commandsBefore = gpsd.commands.count
        pushed = 0
        process = try DaemonFixture.launch(directory, gpsdAddress, manager)
    }

    func restart(kill signal: Int32 = SIGKILL) throws {
        try stop(signal)
        try start()
    }

    /// Holds the daemon still: it does nothing more until `thaw`.
    func freeze() throws {
        process.terminate(SIGSTOP)
        try waitUntil("locationd holds still") {
            let fields = String(decoding: try readFile("/proc/\(pid)/stat"), as: UTF8.self).split(separator: " ")
            return fields.count > 2 && fields[2] == "T"
        }
    }

    func thaw() { process.terminate(SIGCONT) }

    /// Writes the configuration and makes the daemon read it.
    func reload(_ configuration: String) throws {
        try directory.write(DaemonFixture.complete(configuration, directory), to: "locationd.conf")
        let before = journal.split(separator: "\n").count
        process.terminate(SIGHUP)
        try waitUntil("locationd has read its configuration") {
            journal.split(separator: "\n", omittingEmptySubsequences: true).dropFirst(before)
                .contains { $0.contains("reload") }
        }
    }

    // MARK: Clients

    func connect() throws -> DaemonClient { try DaemonClient(path: socket) }

    /// A client of the user `uid` that has said hello, with an empty trace.
    func connect(uid: UInt32, gid: UInt32? = nil, _ more: String = "") throws -> DaemonClient {
        let client = try DaemonClient(path: socket, uid: uid, gid: gid)
        try client.call("hello", #"{"protocol":1\#(more)}"#)
        try client.hear("didChangeAuthorization")
        _ = client.trace()
        return client
    }

    /// An administrator decides about an app.
    func authorize(_ app: String, _ status: String, _ accuracy: String? = nil) throws {
        let more = accuracy.map { #","accuracyAuthorization":"\#($0)""# } ?? ""
        try asAdministrator("authorize", #"{"app":"\#(app)","authorizationStatus":"\#(status)"\#(more)}"#)
    }

    /// Root asks.
    @discardableResult
    func asAdministrator(_ method: String, _ params: String? = nil) throws -> JSON {
        let client = try observer ?? connect()
        observer = client
        return try client.call(method, params)
    }

    /// What `apps` says of an identity; nil: nothing.
    func app(_ identity: String) throws -> JSON? {
        try asAdministrator("apps").array?.first { $0["app"]?.string == identity }
    }

    /// A client that said hello; its token.
    func connectWithToken(_ more: String = "") throws -> (client: DaemonClient, token: String) {
        let client = try connect()
        let result = try client.call("hello", #"{"protocol":1\#(more)}"#)
        guard let token = result["manager"]?.string else { throw TestFailure("cannot see a token in \(result)") }
        try client.wait("its authorization") { !client.notifications.isEmpty }
        return (client, token)
    }

    /// A new connection that takes the manager of `token` back, or does not; all that was said on it is in its transcript.
    func rejoin(_ token: String, _ more: String = "") throws -> (client: DaemonClient, rejoined: Bool) {
        let client = try connect()
        let result = try client.call("hello", #"{"protocol":1,"manager":"\#(token)"\#(more)}"#)
        return (client, result["rejoined"]?.bool == true)
    }

    /// A client with running standard updates, with an empty trace.
    func startUpdating(_ properties: String? = nil) throws -> DaemonClient {
        let client = try connect()
        if let properties { try client.call("setProperties", properties) }
        try client.call("startUpdatingLocation")
        try client.settle()
        _ = client.trace()
        return client
    }

    /// The daemon's whole status.
    func status() throws -> JSON {
        let client = try observer ?? connect()
        observer = client
        return try client.call("status", #"{"scope":"all"}"#)
    }

    // MARK: The receiver

    /// Whether the daemon that runs now watches gpsd.
    var isWatching: Bool {
        gpsd.commands.dropFirst(commandsBefore).last { $0.hasPrefix("?WATCH=") }.map { $0.contains(#""enable":true"#) }
            ?? false
    }

    func waitForWatch() throws {
        try waitUntil("locationd watches gpsd") { isWatching && gpsd.openConnections > 0 }
    }

    func waitForNoWatch() throws { try waitUntil("locationd no longer watches gpsd") { !isWatching } }

    /// One epoch, `metres` north of home.
    func fix(at metres: Double = 0, accuracy: Double = 5) throws { try fixes([metres], accuracy: accuracy) }

    /// An epoch for each place, metres north of home, in one write.
    func fixes(_ places: some Sequence<Double>, accuracy: Double = 5) throws {
        try waitForWatch()
        var bytes: [UInt8] = []
        for metres in places {
            bytes += Array((simulation.fix(at: metres, accuracy: accuracy) + "\r\n").utf8)
            pushed += 1
        }
        try gpsd.push(bytes: bytes)
    }

    /// Goes from one place to another at 10 m/s, metres north of home, and stays there for a minute, by the receiver's clock.
    func walk(from start: Double, to end: Double) throws {
        let way = stride(from: start, to: end, by: end < start ? -10 : 10)
        try fixes(Array(way) + Array(repeating: end, count: 60))
    }

    /// Stays at a place for a minute, by the receiver's clock.
    func stay(at metres: Double) throws { try walk(from: metres, to: metres) }

    /// The parameters of a circle, its middle `metres` north of home.
    static func region(_ identifier: String, at metres: Double = 0, radius: Double = 100, _ more: String = "") -> String
    {
        #"{"region":{"identifier":"\#(identifier)",\#(circle(at: metres, radius: radius))\#(more)}}"#
    }

    /// Its members.
    static func circle(at metres: Double = 0, radius: Double = 100) -> String {
        let middle = Simulation.home.moved(by: metres, course: 0)
        return #""center":{"latitude":\#(middle.latitude),"longitude":\#(middle.longitude)},"radius":\#(radius)"#
    }

    /// What a compass says.
    func heading(_ degrees: Double) throws {
        try waitForWatch()
        try gpsd.push(simulation.attitude(heading: degrees))
    }

    /// So many epochs at home.
    func fixes(count: Int) throws { try fixes(repeatElement(0, count: count)) }

    /// Waits until the daemon has accepted or refused every epoch that was pushed.
    func waitUntilAccepted() throws {
        var seen = 0
        do {
            try waitUntil("locationd has dealt with \(pushed) fixes, only with \(seen)") {
                let fixes = try status()["fixes"]
                let rejected = (fixes?["rejected"]?.object ?? [:]).values.reduce(0) { $0 + ($1.int ?? 0) }
                seen = (fixes?["accepted"]?.int ?? 0) + rejected
                return seen >= pushed
            }
        } catch {
            let gpsd = "gpsd had \(gpsd.acceptedConnections) connections and heard \(gpsd.commands)"
            throw TestFailure("\(error); \(gpsd); status \(try status()); journal \(journal)")
        }
    }

    /// The newest sequence.
    func newestSequence() throws -> Int { try status()["fixes"]?["newestSequence"]?.int ?? 0 }
}
