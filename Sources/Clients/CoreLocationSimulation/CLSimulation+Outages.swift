// SPDX-License-Identifier: Apache-2.0
import Synchronization

// Outages that an app must outlive: lost connections, and a daemon that is not there for a while.
extension CLSimulation {
    /// All connections of the app are lost; the daemon goes on. Core Location connects again by itself as time passes.
    public func disconnect() async {
        await settle()
        transport.daemon.withLock { $0.loseConnections(because: "the connection was lost") }
        await settle()
    }

    /// The daemon stops: nobody answers until it starts again.
    public func stopDaemon() async {
        await settle()
        transport.daemon.withLock { $0.stop() }
        await settle()
    }

    /// The daemon starts again, with what it had on its disk: consent, regions, monitors, stored events, and the app's
    /// managers, for as long as those wait for their clients.
    ///
    /// - Parameter losingManagers: Without the managers, as after a boot: Core Location has to say everything again.
    public func startDaemon(losingManagers: Bool = false) async {
        await settle()
        transport.daemon.withLock { $0.start(losingManagers: losingManagers) }
        await settle()
    }

    /// Stops the daemon and starts it at once.
    public func restartDaemon(losingManagers: Bool = false) async {
        await stopDaemon()
        await startDaemon(losingManagers: losingManagers)
    }
}
