// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import LocationTracks

/// The real daemon in directories of its own, over the real gpsd, whose receiver is the test.
///
/// For one task. Nothing of it is left when the test lets go of it.
final class House {
    /// Where the device is before it moves.
    static let home = CLLocationCoordinate2D(latitude: 45, longitude: -30)
    /// The receiver is never put to sleep, and the loss of the sky is told after a second.
    static let awake = "[Power]\nDutyCycle=no\n[GPSD]\nLossSec=1\n"

    // Seconds between two epochs of a receiver that repeats itself: one that nobody heard is soon said again.
    private static let pace = 0.05

    private let directory: TemporaryDirectory
    private let gpsd: RealGPSD
    private var process: ChildProcess
    private let from: WallTime
    private var second: Int64 = 0

    /// `from`: the receiver's first date.
    init(_ configuration: String = House.awake, from: WallTime = Track.defaultFrom) throws {
        self.from = from
        directory = try TemporaryDirectory()
        gpsd = try RealGPSD()
        for name in ["state", "run", "apps.d"] { mkdir(directory.file(name), 0o700) }
        try directory.write(
            configuration + "\n[Apps]\nDirectory=\(directory.file("apps.d"))\n", to: "locationd.conf")
        process = try House.launch(directory, gpsd.port)
    }

    private static func launch(_ directory: TemporaryDirectory, _ port: UInt16) throws -> ChildProcess {
        try ChildProcess(
            try BuildProducts.program("locationd"),
            [
                "--config", directory.file("locationd.conf"), "--socket", directory.file("socket"),
                "--gpsd", "127.0.0.1:\(port)", "--state-directory", directory.file("state"),
                "--runtime-directory", directory.file("run"),
            ], environment: ["NOTIFY_SOCKET": nil, "JOURNAL_STREAM": nil, "LISTEN_FDS": nil, "LISTEN_PID": nil])
    }

    /// Where the daemon listens.
    var address: DaemonAddress { DaemonAddress(path: directory.file("socket")) }
    /// What leads there.
    var transport: SocketTransport { SocketTransport(to: address) }

    /// Waits until the daemon can be asked.
    func serving() async throws {
        try await eventually("locationd serves: \(process.standardError)") {
            process.standardError.contains("serving at")
        }
    }

    /// Ends the daemon at once.
    func kill() async throws {
        process.terminate(SIGKILL)
        try await eventually("locationd ends") { !process.isRunning }
    }

    /// Starts it again in the same directories.
    func start() async throws {
        process = try House.launch(directory, gpsd.port)
        try await serving()
    }

    /// An administrator asks.
    @discardableResult
    func ask<Answer>(_ body: (LocationConnection) throws(LocationClientError) -> Answer) throws -> Answer {
        try body(try LocationConnection(to: address))
    }

    /// The streams of live updates of all managers.
    func liveUpdates() throws -> Int {
        try ask { connection throws(LocationClientError) in try connection.status(.all) }
            .managers?.reduce(0) { $0 + ($1.liveUpdates?.count ?? 0) } ?? 0
    }

    /// The managers of programs that say hello.
    func managers() throws -> [ManagerStatus] {
        try ask { connection throws(LocationClientError) in try connection.status(.all) }
            .managers?.filter { $0.app != nil } ?? []
    }

    /// Whether the daemon works for no program any more; it remembers for a while that they were there.
    func isIdle() throws -> Bool {
        try managers().allSatisfy { manager in
            manager.services.isEmpty && (manager.liveUpdates ?? []).isEmpty && (manager.sessions ?? []).isEmpty
        }
    }

    // MARK: The receiver

    /// One second of the receiver, `metres` north of home; nil: it has lost the sky.
    func epoch(at metres: Double?) throws {
        guard var point = Track(.walk, duration: .seconds(1)).first(where: { _ in true }) else { return }
        point.time = WallTime(milliseconds: from.milliseconds + second * 1000)
        point.measured = metres.map { Track.defaultStart.moved(by: $0, course: 0) }
        if metres == nil { point.satellitesUsed = 0 }
        second += 1
        try gpsd.feed(NMEAWriter().burst(of: point))
    }

    /// The receiver says nothing for so long, by its own clock.
    func skip(seconds: Int64) { second += seconds }

    /// Says the same until `condition` holds: a receiver repeats itself, and what it said before somebody listened is lost.
    func repeatEpochs(
        at metres: Double?, until what: String, within seconds: Double = patience,
        isolation: isolated (any Actor)? = #isolation,
        _ condition: () throws -> Bool
    ) async throws {
        let deadline = Deadline.within(seconds)
        while try !condition() {
            guard !deadline.hasPassed else {
                throw TestFailure("cannot see that \(what): locationd says \(process.standardError)")
            }
            try epoch(at: metres)
            let next = Deadline.within(House.pace)
            try await eventually(what, isolation: isolation) { try condition() || next.hasPassed }
        }
    }
}
