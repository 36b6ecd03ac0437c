// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport

/// A system bus of its own with python-dbusmock's BlueZ and the real locationd-beacons on it, and a real locationd.
///
/// For one thread. Nothing of it is left when the test lets go of it.
final class Air {
    static let isPossible = PrivateBus.mockingPython != nil
    static let reason = PrivateBus.noMocking

    let directory: TemporaryDirectory
    let ears: ChildProcess
    private let bus: PrivateBus
    private let air: ChildProcess
    private var daemon: ChildProcess
    private var answers = 1

    /// - Parameters:
    ///   - monitors: Adapters have advertisement monitors.
    ///   - isBlueZThere: It runs from the beginning.
    init(monitors: Bool = false, isBlueZThere: Bool = true, patience: Int = 120) throws {
        directory = try TemporaryDirectory()
        for name in ["state", "run"] { mkdir(directory.file(name), 0o700) }
        bus = try PrivateBus(directory)
        let environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
        let script = "\(try BuildProducts.packageDirectory())/Tests/LocationBeaconsTests/Programs/air.py"
        air = try ChildProcess(
            PrivateBus.mockingPython ?? "", [script, monitors ? "monitors" : "plain"], environment: environment)
        try air.waitForOutput { $0 == "ready" }
        daemon = try Air.startDaemon(directory)
        if isBlueZThere {
            try { [air] in try air.write("arrive\n".utf8) }()
            answers = 2
            try waitUntil("BlueZ is there") { [air] in air.outputLines.count == 2 }
        }
        ears = try ChildProcess(
            try BuildProducts.program("locationd-beacons"),
            ["--socket", directory.file("socket"), "--patience", "\(patience)"], environment: environment)
    }

    private static func startDaemon(_ directory: TemporaryDirectory) throws -> ChildProcess {
        try directory.write("[Apps]\nDirectory=\(directory.file("apps.d"))\n", to: "locationd.conf")
        let daemon = try ChildProcess(
            try BuildProducts.program("locationd"),
            [
                "--config", directory.file("locationd.conf"), "--socket", directory.file("socket"),
                "--gpsd", "127.0.0.1:1", "--state-directory", directory.file("state"),
                "--runtime-directory", directory.file("run"),
            ], environment: ["NOTIFY_SOCKET": nil, "JOURNAL_STREAM": nil, "LISTEN_FDS": nil, "LISTEN_PID": nil])
        try waitUntil("locationd serves") { daemon.standardError.contains("serving at") }
        return daemon
    }

    /// Kills locationd, and starts it again in the same directories.
    func restartDaemon() throws {
        daemon.terminate(SIGKILL)
        try daemon.waitForExit()
        daemon = try Air.startDaemon(directory)
    }

    /// The bus goes, and everything on it.
    func endBus() { bus.end() }

    /// A connection to locationd.
    func connection() throws -> LocationConnection {
        try LocationConnection(to: DaemonAddress(path: directory.file("socket")))
    }

    /// Has BlueZ or the air do something; returns its answer as JSON.
    @discardableResult
    func tell(_ command: String) throws -> String {
        try air.write("\(command)\n".utf8)
        answers += 1
        try waitUntil("the air answers to \(command): it says \(air.standardError)") {
            air.outputLines.count >= answers
        }
        return air.outputLines[answers - 1]
    }

    /// Waits until BlueZ or the air answers so.
    func wait(for answer: String, to command: String) throws {
        try waitUntil("\(command) is \(answer): \(ears.standardError)") { try tell(command) == answer }
    }

    /// Waits until locationd-beacons has told the administrator that.
    func waitUntilSaid(_ text: String) throws {
        try waitUntil("it says \(text): \(ears.standardError)") { ears.standardError.contains(text) }
    }
}

/// An app that ranges all beacons of a UUID.
final class Ranger {
    static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    let connection: LocationConnection
    private(set) var failures: [LocationError] = []

    init(_ air: Air) throws {
        connection = try air.connection()
        _ = try connection.hello()
        _ = try connection.startRangingBeacons(BeaconIdentity(uuid: Ranger.uuid))
    }

    func stop() throws { try connection.stopRangingBeacons(BeaconIdentity(uuid: Ranger.uuid)) }

    /// The first beacons told from now on for which that holds.
    @discardableResult
    func wait(_ what: String, until condition: ([RangedBeacon]) -> Bool) throws -> [RangedBeacon] {
        let deadline = LocationConnection.now + .seconds(patience)
        while case .notification(let received) = try connection.nextNotification(by: deadline) {
            switch received.notification {
            case .didRangeBeacons(let beacons, _) where condition(beacons): return beacons
            case .rangingDidFail(_, let error): failures.append(error)
            default: break
            }
        }
        throw TestFailure("cannot see that \(what)")
    }

    /// Waits until ranging fails.
    func waitForFailure() throws -> LocationError {
        let deadline = LocationConnection.now + .seconds(patience)
        while case .notification(let received) = try connection.nextNotification(by: deadline) {
            if case .rangingDidFail(_, let error) = received.notification { return error }
        }
        throw TestFailure("cannot see that ranging fails")
    }
}
