// SPDX-License-Identifier: Apache-2.0
import LocationEngine
package import LocationModel
package import LocationProtocol
import SystemSupport

/// Functions that the service calls in its surroundings, as the daemon, a replay or a test supplies them.
package struct ServiceHost {
    /// The date.
    package var date: () -> WallTime = wallClock
    /// How long the device has slept since it was started.
    package var slept: () -> TimeSpan = { .zero }
    /// A new secret for a manager.
    package var makeToken: () -> ManagerToken = { .random() }
    /// Has an app started, by the name of its manifest, since something waits for it. Returns whether that was not so already.
    package var wake: (String) throws -> Bool = { _ in false }
    /// The app is there: nothing has to start it.
    package var clearWake: (String) -> Void = { _ in }
    /// Watch the receivers, or stop.
    package var powerReceiver: (Bool, BootInstant) -> Void = { _, _ in }
    /// Why no location comes although the service runs; nil: one should.
    package var receiverProblem: () -> String? = { nil }
    /// The channel of a manager is full or broken, or has taken everything that somebody waits for.
    package var channelChanged: (ClientManager, Outbox.Flushed) -> Void = { _, _ in }
    /// The satellites of the newest epoch.
    package var satellites: (BootInstant) -> SatellitesResult = { _ in SatellitesResult() }
    /// Closes the connection of a number, for a reason that the journal gets. False: there is none.
    package var closeConnection: (UInt64, String) -> Bool = { _, _ in false }
    /// The answer to a request about the history; nil: it is another request.
    package var answerHistory: (ClientRequest) throws(RPCError) -> [UInt8]? = { _ throws(RPCError) in nil }
    /// The answer to a request about a location that somebody provides; nil: it is another request.
    package var answerProvider: (ClientRequest) throws(RPCError) -> [UInt8]? = { _ throws(RPCError) in nil }
    /// The client is gone, and what it provides counts no longer.
    package var providerLeft: (ClientManager, BootInstant) -> Void = { _, _ in }
    /// Somebody who may know it asks where the device is from now on.
    package var locationAsked: (BootInstant) -> Void = { _ in }
    /// An app that stores events was told one.
    package var eventStored: (AppKey, AppEvent) -> Void = { _, _ in }
    /// Takes what came for the ledger; nil: nobody wants to know.
    package var account: (([LedgerEntry]) -> Void)?
    /// Nothing is to be left of an app.
    package var appForgotten: (AppKey) -> Void = { _ in }
    /// Returns what `status` says of gpsd and of connections.
    package var surroundings: () -> StatusSurroundings = { StatusSurroundings() }
    /// An administrator asked for the configuration to be read again. Throws what is wrong with it.
    package var reload: () throws -> Void = {}
}

extension ManagerToken {
    /// A new one, from the kernel's random numbers.
    static func random() -> ManagerToken {
        var generator = SystemRandomNumberGenerator()
        return ManagerToken(high: generator.next(), low: generator.next())
    }
}
