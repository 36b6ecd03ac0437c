// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// A stream, monitor or session that a program holds. The number is the program's own and outlives connections; what the
/// daemon calls the same thing changes with them.
package struct SessionHandle: Sendable, Hashable {
    /// From 1, per session.
    package var number: UInt64

    /// The handle `number`.
    package init(_ number: UInt64) { self.number = number }
}

/// What a program wants of its location manager at the daemon. None waits, none fails at once: what becomes of it is told
/// as a `SessionEvent`.
package enum SessionCommand: Sendable, Hashable {
    case setPresence(Presence)
    case setProperties(PropertiesPatch)
    case startUpdatingLocation
    case stopUpdatingLocation
    /// `timeout`: seconds; nil: the daemon's.
    case requestLocation(timeout: Double?)
    /// Metres and seconds; nil: unlimited. Each ends in one `didFinishDeferredUpdates`, in the order of the commands.
    case allowDeferredLocationUpdates(untilTraveled: Double?, timeout: Double?)
    case disallowDeferredLocationUpdates
    case startMonitoringSignificantLocationChanges
    case stopMonitoringSignificantLocationChanges
    case requestWhenInUseAuthorization
    case requestAlwaysAuthorization
    case requestTemporaryFullAccuracyAuthorization(purposeKey: String)
    case startMonitoring(Region)
    case stopMonitoring(identifier: String)
    case requestState(identifier: String)
    case startMonitoringVisits
    case stopMonitoringVisits
    case startUpdatingHeading
    case stopUpdatingHeading
    case startLiveUpdates(SessionHandle, LiveConfiguration)
    case stopLiveUpdates(SessionHandle)
    case openMonitor(SessionHandle, name: String)
    case closeMonitor(SessionHandle)
    case addCondition(SessionHandle, identifier: String, RegionShape, assuming: ConditionState)
    case removeCondition(SessionHandle, identifier: String)
    case startBackgroundActivitySession(SessionHandle)
    case invalidateBackgroundActivitySession(SessionHandle)
    case startServiceSession(SessionHandle, ServiceSessionRequirement, fullAccuracyPurposeKey: String?)
    case invalidateServiceSession(SessionHandle)
    case acknowledge(event: UInt64)

    /// What undoes it, of a service that is on or off; nil: nothing does.
    var opposite: SessionCommand? {
        switch self {
        case .startUpdatingLocation: .stopUpdatingLocation
        case .stopUpdatingLocation: .startUpdatingLocation
        case .startMonitoringSignificantLocationChanges: .stopMonitoringSignificantLocationChanges
        case .stopMonitoringSignificantLocationChanges: .startMonitoringSignificantLocationChanges
        case .startMonitoringVisits: .stopMonitoringVisits
        case .stopMonitoringVisits: .startMonitoringVisits
        case .startUpdatingHeading: .stopUpdatingHeading
        case .stopUpdatingHeading: .startUpdatingHeading
        default: nil
        }
    }

    /// Its name, which is the one that it has in Core Location, without what it is about.
    package var name: String { String("\(self)".prefix { $0 != "(" }) }
}

/// What a session tells its program, in order.
package enum SessionEvent: Sendable {
    /// The daemon knows the program: for the first time, or again after a loss. All that the program wants is in force
    /// there, or on its way.
    case connected(HelloResult)
    /// The connection is lost, or there is none to be had. Once per outage; the session goes on trying, for 30 s often, then
    /// once a minute and when something changes at the daemon's address.
    case disconnected(LocationClientError)
    /// Nobody has answered for `LocationSession.waitTolerance`: for a person who may wonder; a program need not know yet. Once per
    /// outage, and not after `unreachable`.
    case waiting(LocationClientError)
    /// Nobody has answered for `LocationSession.outageTolerance`, or the daemon refuses this program or its protocol, at once.
    /// Once per outage; the session goes on trying, after a refusal only when something changes at the daemon's
    /// address, or once a minute where nothing would tell of that.
    case unreachable(LocationClientError)
    /// The daemon does not take the name that nobody gave the program: it goes on without one.
    case nameRefused(RPCError)
    /// The daemon's answer to a command that has a state.
    case answered(SessionCommand, StateResult)
    /// The daemon refused a command, and nothing was done.
    case refused(SessionCommand, RPCError)
    /// A monitor is open, with the identifiers of its conditions.
    case monitorOpened(SessionHandle, identifiers: [String])
    /// A notification, each once. Streams, monitors and sessions in it bear the numbers of their `SessionHandle`s; a
    /// deferral bears the number of its command among the `allowDeferredLocationUpdates`, from 1, and a one-shot request its
    /// number among those of the session, from 1, where commands made while one is pending are the same request. So they do in
    /// `answered`. A batch that a loss cut off may lack its last part, the one without `hasMore`.
    case told(Notification)
}
