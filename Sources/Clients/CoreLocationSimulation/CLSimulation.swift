// SPDX-License-Identifier: Apache-2.0
public import CoreLocation
import LocationClient
import LocationEngine
import LocationModel
import Synchronization

/// Core Location without a receiver, a daemon or a clock, for the tests of an app.
///
/// Location managers, live updates, monitors and sessions that are made while it is in force talk to the very engine
/// that decides in the daemon: filters, deferral, regions, visits, pausing and consent are the real ones. Only the
/// places and the time are the test's:
///
///     let simulation = CLSimulation(authorization: .authorizedWhenInUse)
///     try await simulation.run {
///         let hike = Hike()                                       // the app's own; starts a CLLocationManager
///         await simulation.feed(latitude: 47.42, longitude: 10.98)
///         #expect(hike.points.count == 1)
///     }
///
/// Time stands still between calls. Each call first lets the app and the daemon finish what they are about, and returns
/// when all that it caused has been dealt with: the app's delegates have returned, and its loops over live updates and
/// events have come back for more. A loop that itself waits for what the test does next is waited for two seconds.
public final class CLSimulation: Sendable {
    let transport: SimulatedTransport
    let gauge = DeliveryGauge()
    private let daemon: CoreLocationBackend.Daemon

    /// A device at rest whose receiver is off, on which the app is known as `authorization` says.
    ///
    /// - Parameters:
    ///   - date: What the clock shows at first, rounded to milliseconds. By default now, so that a location's age by `Date()` is
    ///     right until the simulation has gone on: then its clock is ahead, and locations are from the future of `Date()`.
    ///   - authorization: What the user has decided.
    ///   - accuracy: How precisely the app may know; of no meaning while nothing is decided.
    ///   - savesPower: Whether the receiver sleeps between the fixes that coarse services need, as it does on a device.
    ///     Locations that are fed while it is off are not seen; else all are seen while anything of the app wants them.
    ///   - requiresUsageDescriptions: Whether prompts are refused, as on a device, unless the app's Info.plist says
    ///     what they are for. A test bundle has none of the app's.
    public init(
        startingAt date: Date = Date(),
        authorization: CLAuthorizationStatus = .notDetermined, accuracy: CLAccuracyAuthorization = .fullAccuracy,
        savesPower: Bool = false, requiresUsageDescriptions: Bool = false
    ) {
        var configuration = EngineConfiguration()
        configuration.power.dutyCycle = savesPower
        transport = SimulatedTransport(
            SimulatedDaemon(
                startingAt: WallTime(date), configuration, consent: Consent(authorization, accuracy),
                requiresUsageDescriptions: requiresUsageDescriptions))
        daemon = CoreLocationBackend.Daemon(transport, gauge: gauge)
    }

    // MARK: In force

    /// Runs `body` with this simulation in force for all that it, its tasks and the delegates of its managers make; other
    /// tasks, such as tests that run at the same time, are not touched. What detached tasks, threads and the app's own
    /// dispatch queues make is outside: a line on standard error says so, once for each simulation. Use `install()` for that.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await CoreLocationBackend.withDaemon(daemon, isolation: isolation, body)
    }

    /// Puts this simulation in force for all that the process makes from now on. One at a time: tests that use it run
    /// `.serialized`.
    public func install() { CoreLocationBackend.replaceDaemon(daemon) }

    /// Gives the real daemon back to all that the process makes from now on.
    public static func uninstall() { CoreLocationBackend.replaceDaemon(nil) }

    // MARK: What can be seen

    /// The date that the simulated clock shows.
    public var date: Date { transport.daemon.withLock { $0.clock.wallTime.date } }

    /// Whether the receiver is on: whether a location that is fed now is seen.
    public var isReceiverOn: Bool { transport.daemon.withLock { $0.isReceiverOn } }

    /// All that was said between the app and the daemon, oldest first: what to print when a test fails.
    public var log: [LogEntry] { transport.daemon.withLock { $0.diary } }

    /// One line of the log.
    public struct LogEntry: Sendable, Hashable, CustomStringConvertible {
        /// The kind of event that a line tells.
        public enum Kind: String, Sendable, Hashable {
            /// The app asked.
            case request
            /// The daemon answered.
            case reply
            /// The daemon told something.
            case notification
            /// A location was fed.
            case location
            /// The receiver was switched.
            case receiver
            /// The user decided.
            case user
            /// The daemon stopped, started, or lost connections.
            case daemon
        }

        /// When, by the simulated clock.
        public let date: Date
        /// The kind of event that this line tells.
        public let kind: Kind
        /// For a person: may change with every version.
        public let text: String

        /// As a line of text.
        public var description: String { "\(date.ISO8601Format()) \(kind.rawValue): \(text)" }
    }
}
