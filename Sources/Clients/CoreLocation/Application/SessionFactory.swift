// SPDX-License-Identifier: Apache-2.0
package import LocationClient
package import LocationModel
internal import LocationProtocol
import Synchronization

/// Where all that talks to a daemon in this process gets its sessions: the one place that decides which daemon that is.
package enum CoreLocationBackend {
    /// One daemon, with the session that all streams, monitors and sessions over it share.
    package final class Daemon: Sendable {
        // Nil: the daemon at the standard address.
        fileprivate let replacement: (any SessionTransport)?
        fileprivate let gauge: DeliveryGauge?
        fileprivate let capabilities = RecentCapabilities()
        fileprivate let mark = TaskSimulations.Mark()
        fileprivate let simulations: TaskSimulations
        let shared: SharedSession

        /// The daemon that `transport` leads to; nil: the one at the standard address. `simulations`: those that it is one of, or
        /// that are in force beside it.
        package init(
            _ transport: (any SessionTransport)?, gauge: DeliveryGauge? = nil,
            amid simulations: TaskSimulations = .ofProcess
        ) {
            replacement = transport
            self.gauge = gauge
            self.simulations = simulations
            shared = SharedSession(
                requiresServiceSession: CLApplicationInfo.current.requiresExplicitServiceSession,
                wantsReducedAccuracy: CLApplicationInfo.current.defaultAccuracyReduced
            ) { handler in
                if transport == nil { simulations.noteRealSession() }
                return LocationSession(
                    of: CLApplicationInfo.current.sessionApplication,
                    over: transport ?? CoreLocationBackend.standardTransport, handler: handler)
            }
        }

        fileprivate var transport: any SessionTransport { replacement ?? CoreLocationBackend.standardTransport }
    }

    private static let everywhere = Mutex(Daemon(nil))
    @TaskLocal private static var ofTask: Daemon?

    private static var daemon: Daemon { ofTask ?? everywhere.withLock { $0 } }

    private static var standardTransport: any SessionTransport { SocketTransport() }

    /// The way to the daemon for sessions that are made from now on.
    package static var transport: any SessionTransport {
        let daemon = daemon
        if daemon.replacement == nil { daemon.simulations.noteRealSession() }
        return daemon.transport
    }

    /// The current task's own daemon; nil: it has none.
    static var daemonOfTask: Daemon? { ofTask }

    /// Calls `body` with `daemon` for all that it makes, as in a task that has that daemon.
    static func withDaemon(_ daemon: Daemon, call body: () -> Void) { $ofTask.withValue(daemon, operation: body) }

    /// Counts callbacks on their way, for objects that are made from now on; nil: they are not counted.
    static var gauge: DeliveryGauge? { daemon.gauge }

    /// The services that the daemon offers, remembered for a moment, or else by `ask`; nil: there is no daemon.
    static func recentCapabilities(_ ask: () -> Capabilities?) -> Capabilities? { daemon.capabilities.value(ask) }

    /// Puts another daemon, a simulated one for instance, in the place of the real one; nil: the real one again.
    ///
    /// Sessions that exist keep the transport that they were made with; streams, monitors and sessions that begin from
    /// now on share a new one.
    package static func replaceDaemon(_ daemon: Daemon?) {
        let daemon = daemon ?? Daemon(nil)
        everywhere.withLock { $0 = daemon }
    }

    /// Puts another daemon in the place of the real one for `body` and the child tasks that it starts.
    package static func withDaemon<Result>(
        _ daemon: Daemon, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        daemon.simulations.begin(daemon.mark)
        defer { daemon.simulations.end(daemon.mark) }
        return try await $ofTask.withValue(daemon, operation: body, isolation: isolation)
    }

    /// A session over the transport in force; it begins to connect at once.
    package static func makeSession(
        of application: SessionApplication, presence: Presence = .background,
        handler: @escaping @Sendable (SessionEvent) -> Void
    ) -> LocationSession {
        LocationSession(of: application, presence: presence, over: transport, handler: handler)
    }

    /// The session that streams, monitors and sessions share.
    static var sharedSession: SharedSession { daemon.shared }
}
