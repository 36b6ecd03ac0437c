// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import SystemSupport

/// What is around the service, as the daemon, a replay or a test fills it in.
struct ServiceHost {
    /// The date.
    var date: () -> WallTime = wallClock
    /// A new secret for a manager.
    var makeToken: () -> ManagerToken = { .random() }
    /// Watch the receivers, or stop.
    var powerReceiver: (Bool, BootInstant) -> Void = { _, _ in }
    /// Why no location comes although the service runs; nil: one should.
    var receiverProblem: () -> String? = { nil }
    /// The channel of a manager is full or broken, or has room again.
    var channelChanged: (ClientManager, Outbox.Flushed) -> Void = { _, _ in }
    /// Closes the connection of a number, for a reason that the journal gets. False: there is none.
    var closeConnection: (UInt64, String) -> Bool = { _, _ in false }
    /// What `status` says of gpsd and of connections.
    var surroundings: () -> StatusSurroundings = { StatusSurroundings() }
    /// An administrator asked for the configuration to be read again. Throws what is wrong with it.
    var reload: () throws -> Void = {}
}

extension ManagerToken {
    /// A new one, from the kernel's random numbers.
    static func random() -> ManagerToken {
        var generator = SystemRandomNumberGenerator()
        return ManagerToken(high: generator.next(), low: generator.next())
    }
}
