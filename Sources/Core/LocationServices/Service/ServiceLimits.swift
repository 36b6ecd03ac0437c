// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Bounds on the clients' use of the daemon.
package struct ServiceLimits: Sendable, Equatable {
    /// Connections in all.
    package var connections = 1024
    /// Connections of one user; uid 0 has no such limit.
    package var connectionsPerUser = 64
    /// Of all connections, those kept for uid 0.
    package var reservedConnections = 8
    /// Requests of one connection that are answered before the others have their turn.
    package var requestsPerTurn = 16
    /// Live locations that a slow reader may lag behind before the oldest are dropped for it.
    package var backlogLocations = 1024
    /// Bytes of unwritten output over which no further request of the connection is read.
    package var outputHighWater = 256 << 10
    /// Bytes of output that cannot be dropped over which the connection is closed.
    package var outputLimit = 1 << 20
    /// A connection that takes no complete line for so long is closed.
    package var stalledClient = TimeSpan.seconds(60)
    /// Fixes in the log: the longest deferral, the farthest resume.
    package var logRecords = 16384
    /// Changes that must be stored durably, per second and user; more wait.
    package var changesPerSecond = 10
    /// As many of them as a user may make at once after making none for a while; at least those of a second.
    package var changeBurst = 100
    /// Monitors of one connection.
    package var monitorsPerConnection = 32
    /// Sessions of one connection.
    package var sessionsPerConnection = 32
    /// Live updates of one connection.
    package var liveUpdatesPerConnection = 32
    /// Bytes of regions, conditions and monitors of one app.
    package var storedBytesPerApp = 1 << 20
    /// The same of all apps of one user.
    package var storedBytesPerUser = 8 << 20
    /// The same of all apps.
    package var storedBytes = 32 << 20
    /// The same of those apps of one user that nobody has allowed anything.
    package var undecidedBytesPerUser = 64 << 10
    /// The same of all apps that nobody has allowed anything.
    package var undecidedBytes = 1 << 20
    /// Days after which what they keep is forgotten if they do not come.
    package var undecidedKeepDays = 7

    /// The defaults.
    package init() {}
}
