// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import LocationClient
import LocationProtocol
import LocationTestSupport
import LocationTracks

@testable import CoreLocation

/// The real daemon and the real gpsd, with a receiver that is the test. For one thread.
final class ManagerHouse {
    private let directory: TemporaryDirectory
    private let gpsd: RealGPSD
    private var process: ChildProcess?
    private(set) var fed: [TrackPoint] = []

    /// Starts gpsd, and the daemon unless it is to come later.
    init(withDaemon: Bool = true) throws {
        directory = try TemporaryDirectory()
        gpsd = try RealGPSD()
        for name in ["state", "run", "apps.d"] { mkdir(directory.file(name), 0o700) }
        try directory.write(
            "[Power]\nDutyCycle=no\n[Apps]\nDirectory=\(directory.file("apps.d"))\n", to: "locationd.conf")
        if withDaemon { try start() }
    }

    /// The way to this daemon.
    var transport: SocketTransport { SocketTransport(to: DaemonAddress(path: directory.file("socket"))) }

    /// What the daemon wrote to its journal.
    var journal: String { process?.standardError ?? "" }

    /// Starts the daemon.
    func start() throws {
        let process = try ChildProcess(
            try BuildProducts.program("locationd"),
            [
                "--config", directory.file("locationd.conf"), "--socket", directory.file("socket"),
                "--gpsd", "127.0.0.1:\(gpsd.port)", "--state-directory", directory.file("state"),
                "--runtime-directory", directory.file("run"),
            ], environment: ["NOTIFY_SOCKET": nil, "JOURNAL_STREAM": nil, "LISTEN_FDS": nil, "LISTEN_PID": nil])
        self.process = process
        try waitUntil("locationd serves") {
            guard process.isRunning else { throw TestFailure("cannot run locationd: it says \(process.standardError)") }
            return process.standardError.contains("serving at")
        }
    }

    /// Kills the daemon, which gets no chance to save anything.
    func kill() throws {
        process?.terminate(SIGKILL)
        try process?.waitForExit()
        process = nil
    }

    /// Waits until the daemon would hear the receiver: what it says before is nobody's loss.
    func waitUntilWatching() throws {
        try waitUntil("locationd watches gpsd") {
            DaemonQuestion.ask(.status(.all), over: transport, Status.self)?.gpsd.state == "watching"
        }
    }

    /// Waits until the daemon defers for somebody.
    func waitUntilDeferring() throws {
        try waitUntil("locationd defers") {
            DaemonQuestion.ask(.status(.all), over: transport, Status.self)?.managers?.contains { $0.deferral != nil }
                ?? false
        }
    }

    /// A manager at this daemon that calls its delegate at `place`.
    func makeManager(
        at place: any DeliveryPlace = MainPlace(), _ delegate: (any CLLocationManagerDelegate)?
    ) -> CLLocationManager {
        ManagerHouse.makeManager(over: transport, at: place, delegate)
    }

    /// A manager at the daemon of `transport`.
    static func makeManager(
        over transport: SocketTransport, at place: any DeliveryPlace, _ delegate: (any CLLocationManagerDelegate)?
    ) -> CLLocationManager {
        let manager = CLLocationManager(at: place, log: DeliveryLog { _ in }) { handler in
            LocationSession(
                of: SessionApplication(name: nil, usageDescriptions: UsageDescriptions()), over: transport,
                handler: handler)
        }
        manager.delegate = delegate
        return manager
    }

    /// The receiver says `points`; after each the test waits until `isTold` of it.
    func feed(_ points: some Sequence<TrackPoint>, until isTold: (TrackPoint) -> Bool = { _ in true }) throws {
        for point in points {
            try gpsd.feed(NMEAWriter().burst(of: point))
            fed.append(point)
            try waitUntil("a location of \(point.time) comes") { isTold(point) }
        }
    }
}

/// Runs `body` on a thread of its own, since it blocks.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        do {
            try startThread { continuation.resume(with: Swift.Result { try body() }) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

enum LocationSessionQueue {
    /// Waits until the sessions have done what they were asked for.
    static func settle() { LocationSession.queue.sync {} }

    /// Waits for it without holding a thread.
    static func settled() async {
        await withCheckedContinuation { continuation in LocationSession.queue.async { continuation.resume() } }
    }
}
