// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// An event that the uplink's machine is told of.
package enum UplinkEvent: Sendable {
    /// The program begins, with what the disk has; nil: nothing was kept.
    case started(UplinkState?)
    /// The broker said yes.
    case brokerConnected
    /// The broker said no, cannot be reached, or is gone. What was not acknowledged is not taken.
    case brokerLost(BrokerTrouble)
    /// The broker has the message `token`, or refuses to take it and says why.
    case published(token: UInt64, refusal: String?)
    /// The server does not take the message `token` as it is, and says why.
    case unwanted(token: UInt64, reason: String)
    /// The daemon is there, with the newest location, if the app may know it.
    case daemonConnected(AuthorizationStatus, AccuracyAuthorization?, newest: Location?)
    /// The daemon is gone.
    case daemonLost(reason: String)
    /// The app's authorization, when it changes.
    case authorization(AuthorizationStatus, AccuracyAuthorization?)
    /// The daemon tells of new locations.
    case locations(LocationUpdate)
    /// The log was read on. `hasGap`: it does not reach back to where it was to be read from.
    case read([Location], hasGap: Bool)
    /// The log is read to its end.
    case readToEnd
    /// The log cannot be read on now.
    case readingFailed
    /// The next locations of the history, oldest first, which are all up to `through`; nil: all that there are now. `hasGap`: some of them
    /// are gone.
    case page([Location], through: UInt64?, hasGap: Bool)
    /// There is no history, or this app may not have it.
    case noHistory
    /// The newest location that the daemon knows; nil: none.
    case newest(Location?)
    /// The deferral is over.
    case deferralFinished
    /// The device crossed the border of a region: came in, or went out.
    case crossed(RegionCrossing, isInside: Bool)
    /// Where the device is with respect to a region.
    case regionState(String, RegionState)
    /// The device arrived or departed.
    case visited(Visit, event: UInt64?)
    /// A person wants the location to be sent now.
    case sendNow
    /// The disk did not take the state.
    case saveFailed
    /// A deadline has come.
    case wake
    /// The program is to end.
    case stop
}

extension UplinkEvent {
    /// The history cannot be told, and `status` is how it is; nil: it is off, and will not be there soon.
    package static func unreadableHistory(_ status: HistoryStatus?) -> UplinkEvent {
        status == nil ? .noHistory : .readingFailed
    }
}

/// An action that the machine asks for; the program carries them out in order.
package enum UplinkEffect: Sendable, Hashable {
    /// Connect to the broker; `attempt` counts from 1 until one succeeds.
    case connectBroker(attempt: Int)
    /// Leave the broker; what is in flight is forgotten.
    case disconnectBroker
    /// Hand a message to the broker.
    case publish(token: UInt64, Message)
    /// Read the daemon's log behind this number.
    case openLog(after: UInt64)
    /// Read on, or wait.
    case setReading(Bool)
    /// Read the log no longer.
    case closeLog
    /// Ask the history for locations behind this number, at most so many.
    case fetchPage(after: UInt64, limit: Int)
    /// Ask the daemon for the newest location.
    case askNewest
    /// Let the daemon hold locations for so long.
    case deferUpdates(TimeSpan)
    /// Tell the daemon that the broker has its event.
    case acknowledge(event: UInt64)
    /// Leave the daemon and come again: it tells events that were not taken once more.
    case reconnectDaemon
    /// Ask the daemon for one location.
    case requestLocation
    /// Write the state to the disk, which keeps the one before it, or forgets it.
    case save(UplinkState, keepsFormer: Bool)
    /// Tell an administrator.
    case say(String)
    /// End the program.
    case exit
}
