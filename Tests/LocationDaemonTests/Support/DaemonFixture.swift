// SPDX-License-Identifier: Apache-2.0
import Glibc
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

    /// Starts a daemon with `configuration` (the text of its file).
    ///
    /// - Parameter gpsdPort: Another gpsd than the test's own.
    init(_ configuration: String = "", gpsdPort: UInt16? = nil, step: Int64 = 20) throws {
        directory = try TemporaryDirectory()
        gpsd = try FakeGPSD(devices: [Simulation.device])
        simulation = Simulation(step: step)
        gpsdAddress = "127.0.0.1:\(gpsdPort ?? gpsd.port)"
        for name in ["state", "run"] { mkdir(directory.file(name), 0o700) }
        try directory.write(configuration, to: "locationd.conf")
        process = try DaemonFixture.launch(directory, gpsdAddress)
        try waitUntilServing()
    }

    var socket: String { directory.file("socket") }
    var pid: pid_t { process.pid }
    var journal: String { process.standardError }

    // MARK: The daemon's life

    private static func launch(_ directory: TemporaryDirectory, _ gpsd: String) throws -> ChildProcess {
        try ChildProcess(
            try BuildProducts.program("locationd"),
            [
                "--config", directory.file("locationd.conf"), "--socket", directory.file("socket"), "--gpsd", gpsd,
                "--state-directory", directory.file("state"), "--runtime-directory", directory.file("run"),
            ], environment: ["NOTIFY_SOCKET": nil, "JOURNAL_STREAM": nil, "LISTEN_FDS": nil, "LISTEN_PID": nil])
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

    /// Starts the daemon again in the same directories.
    func start() throws {
        try gpsd.waitForConnections(0)
        commandsBefore = gpsd.commands.count
        pushed = 0
        process = try DaemonFixture.launch(directory, gpsdAddress)
        try waitUntilServing()
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
        try directory.write(configuration, to: "locationd.conf")
        let before = journal.split(separator: "\n").count
        process.terminate(SIGHUP)
        try waitUntil("locationd has read its configuration") {
            journal.split(separator: "\n", omittingEmptySubsequences: true).dropFirst(before)
                .contains { $0.contains("reload") }
        }
    }

    // MARK: Clients

    func connect() throws -> DaemonClient { try DaemonClient(path: socket) }

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
