// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// One location manager: a connection's filters, services and deferral. Numbers are slots and are used again.
package struct ManagerID: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// The slot, from 0.
    package var rawValue: Int32
    /// The manager in slot `rawValue`.
    package init(rawValue: Int32) { self.rawValue = rawValue }
    /// By slot.
    package static func < (left: ManagerID, right: ManagerID) -> Bool { left.rawValue < right.rawValue }
    var index: Int { Int(rawValue) }
}

/// One app: an identity with an authorization, shared by all its managers. Numbers are slots and are used again.
package struct AppID: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// The slot, from 0.
    package var rawValue: Int32
    /// The app in slot `rawValue`.
    package init(rawValue: Int32) { self.rawValue = rawValue }
    /// By slot.
    package static func < (left: AppID, right: AppID) -> Bool { left.rawValue < right.rawValue }
    var index: Int { Int(rawValue) }
}

/// What happened. Handed to `Engine.handle` in the order in which it happened.
package enum Event: Sendable {
    /// An app was seen for the first time; its number may have been another's.
    case appEntered(AppID, Authorization)
    /// The authorization of an app was changed.
    case authorizationChanged(AppID, Authorization)
    /// A client opened a manager, or one was taken back from what a former process of the daemon left.
    case managerOpened(ManagerID, ManagerState)
    /// The connection ended; the manager may be taken back with its token until the rejoin time is over.
    case managerDetached(ManagerID)
    /// The manager was taken back. `delivered` is the last location wholly written to the old connection.
    case managerAttached(ManagerID, delivered: ResumePoint, presence: Presence)
    /// The connection ended for good.
    case managerClosed(ManagerID)
    /// The client said `hello`: it wants to know where it stands. `keepsEvents`: it said `events: true`.
    case greeted(ManagerID, keepsEvents: Bool)
    /// A client asked for something.
    case asked(ManagerID, Request)
    /// The client sent a request after everything written so far, so it has seen the finishes among it.
    case finishesConfirmed(ManagerID)
    /// An epoch with a position came from a receiver.
    case fixReceived(Fix)
    /// One accepted fix of the log, read back for a manager as `Effect.readLog` asked, oldest first.
    case logRead(ManagerID, Location, LogFlags)
    /// The administrator named the receiver that is to be used while it has a fix; nil: none.
    case receiverPreferred(ReceiverID?)
    /// The configuration was loaded again.
    case configurationChanged(EngineConfiguration)
    /// Nothing happened but time, as `nextWake` asked.
    case woke
}

extension Event {
    /// The open manager that the event is about.
    var manager: ManagerID? {
        switch self {
        case .managerDetached(let manager), .managerAttached(let manager, _, _), .greeted(let manager, _),
            .asked(let manager, _), .finishesConfirmed(let manager):
            manager
        case .appEntered, .authorizationChanged, .managerOpened, .managerClosed, .fixReceived, .logRead,
            .receiverPreferred,
            .configurationChanged, .woke:
            nil
        }
    }
}

/// What a client can ask of its manager.
package enum Request: Sendable {
    case setPresence(Presence)
    case setProperties(ManagerProperties)
    case startUpdatingLocation(resumeAfter: ResumePoint?)
    case stopUpdatingLocation
    /// `timeout` is > 0.
    case requestLocation(timeout: TimeSpan)
    /// Metres (infinity: no such criterion) and a span (`unlimited`: no such criterion).
    case allowDeferredLocationUpdates(untilTraveled: Double, timeout: TimeSpan)
    case disallowDeferredLocationUpdates
    case startMonitoringSignificantLocationChanges
    case stopMonitoringSignificantLocationChanges
}

/// A place in the log that a client says it has reached.
package struct ResumePoint: Sendable {
    /// The last sequence that the client has.
    package var sequence: UInt64
    /// The location of that number, if the log still holds it: the distance filter counts from it.
    package var location: Location?

    /// The point behind `sequence`.
    package init(sequence: UInt64, location: Location?) {
        self.sequence = sequence
        self.location = location
    }
}

/// What the log keeps with a fix for those who read it again.
package struct LogFlags: OptionSet, Sendable, BitwiseCopyable {
    /// The stored bits.
    package var rawValue: UInt32
    /// The flags with these bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The reduced view was computed from this fix.
    package static let reducedView = LogFlags(rawValue: 1)
}
