// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A service of the engine: standard updates, visits, monitors and the like.
///
/// A service holds its clients' requests and how far it is with each; it knows neither the engine nor other services. The engine tells it
/// what happens. It reads from the `directory` who is there and what each may have, and appends effects and notes to the `turn`. Each
/// requirement has a default that does nothing, so that a service implements only what concerns it. `Services` lists all of them once; to
/// add one, see Documentation/Architecture.md.
protocol Service: Sendable {
    // MARK: One fix, in the order of Protocol 4.4

    /// Ends the deferrals and requests that the fix meets.
    mutating func finish(at fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn)
    /// Delivers the location to the managers that get it.
    mutating func deliver(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn)
    /// Pauses services, now that the location is delivered.
    mutating func pause(after fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn)
    /// Tells events of apps that happened at the place.
    mutating func watch(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn)

    // MARK: Requests

    /// Ends what the request ends in this service, before the service that it is for carries it out.
    mutating func makeWay(for request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn)
    /// Carries the request out and answers it; returns false for another service's request.
    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool
    /// The client set its presence.
    mutating func presenceChanged(of manager: ManagerID, _ directory: Directory, _ turn: inout Turn)
    /// The client set its properties. `hadReducedView`: whether the manager had the reduced view before.
    mutating func propertiesChanged(
        of manager: ManagerID, hadReducedView: Bool, _ directory: Directory, _ turn: inout Turn)

    // MARK: Rights

    /// The app's authorization changed, or its use or sessions did, on which the service may depend.
    mutating func rightsChanged(of app: AppID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn)
    /// The same for each of the app's managers, after all services were told it of the app.
    mutating func rightsChanged(
        of manager: ManagerID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn)
    /// The reason for which the app's streams and monitors tell nothing may have changed.
    mutating func diagnosisChanged(of app: AppID, _ directory: Directory, _ turn: inout Turn)
    /// The same for a manager's streams, when its app's sessions changed.
    mutating func diagnosisChanged(of manager: ManagerID, _ directory: Directory, _ turn: inout Turn)

    // MARK: The life of a manager (Protocol 8.1)

    /// The manager is there, or there again after a restart of the daemon.
    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn)
    /// A new process goes on with the manager's connection: the service continues exactly where it stood. All managers are open.
    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn)
    /// The connection was lost.
    mutating func detached(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn)
    /// The client is back: tells what ended meanwhile. `delivered`: the last location that it got.
    mutating func attached(
        _ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn)
    /// Next, tells what the client has missed.
    mutating func tellMissed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn)
    /// Last, goes on with the stream behind `delivered`.
    mutating func resume(_ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn)
    /// The client did not come back in time; the manager is closed next.
    mutating func expired(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn)
    /// The manager ends: the directory still has its app, and does not count it as open any more.
    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn)

    // MARK: Records

    /// Puts what outlives a turn into the manager's record.
    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn)
    /// An app is there; its slot may have been another's.
    mutating func enter(_ app: AppID, _ record: AppRecord, _ directory: Directory, _ turn: inout Turn)
    /// Puts what is the app's, not a manager's, into its record.
    func fill(_ record: inout AppRecord, of app: AppID, _ directory: Directory, _ turn: Turn)
    /// Forgets all that outlives the app's connections; its clients go on without it.
    mutating func forget(_ app: AppID, _ directory: Directory, _ turn: inout Turn)

    // MARK: Time

    /// Does what is due.
    mutating func serveTimers(_ directory: Directory, _ turn: inout Turn)
    /// When something is due, if nothing else happens; nil: never.
    func deadline(_ directory: Directory, _ turn: Turn) -> WakeWindow?
    /// Tells managers that have had no fix for too long. `onSince`: since when the receiver has been on.
    mutating func tellLoss(onSince: BootInstant, _ directory: Directory, _ turn: inout Turn)
    /// A fix came after a loss that was told.
    mutating func forgetLoss()
    /// Whether somebody may have to be told of a loss.
    var canBeAtLoss: Bool { get }

    // MARK: Questions

    /// How often the service needs a fix.
    func demand(_ directory: Directory, _ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand
    /// Whether something of the manager waits for consent.
    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool
    /// Whether the service needs the receiver now for somebody who `isMeant`, which is asked about each of them until it says so.
    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool
    /// Puts into the report what `status` tells of the manager.
    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn)
}

// A service has no part in what it does not implement.
extension Service {
    mutating func finish(at fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {}
    mutating func deliver(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {}
    mutating func pause(after fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {}
    mutating func watch(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {}
    mutating func makeWay(for request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {}
    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool { false }
    mutating func presenceChanged(of manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {}
    mutating func propertiesChanged(
        of manager: ManagerID, hadReducedView: Bool, _ directory: Directory, _ turn: inout Turn
    ) {}
    mutating func rightsChanged(of app: AppID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn) {}
    mutating func rightsChanged(
        of manager: ManagerID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn
    ) {}
    mutating func diagnosisChanged(of app: AppID, _ directory: Directory, _ turn: inout Turn) {}
    mutating func diagnosisChanged(of manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {}
    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {}
    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {}
    mutating func detached(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {}
    mutating func attached(_ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn) {}
    mutating func tellMissed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {}
    mutating func resume(_ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn) {}
    mutating func expired(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {}
    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {}
    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {}
    mutating func enter(_ app: AppID, _ record: AppRecord, _ directory: Directory, _ turn: inout Turn) {}
    func fill(_ record: inout AppRecord, of app: AppID, _ directory: Directory, _ turn: Turn) {}
    mutating func forget(_ app: AppID, _ directory: Directory, _ turn: inout Turn) {}
    mutating func serveTimers(_ directory: Directory, _ turn: inout Turn) {}
    func deadline(_ directory: Directory, _ turn: Turn) -> WakeWindow? { nil }
    mutating func tellLoss(onSince: BootInstant, _ directory: Directory, _ turn: inout Turn) {}
    mutating func forgetLoss() {}
    func demand(_ directory: Directory, _ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand { .none }
    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool { false }
    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool { false }
    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {}
    var canBeAtLoss: Bool { false }
}

/// The authorization of an app before and after a change.
struct RightsChange: Sendable {
    var old: Authorization
    var new: Authorization

    var isLost: Bool { old.isAuthorized && !new.isAuthorized }
    var isGranted: Bool { !old.isAuthorized && new.isAuthorized }
    var isReduced: Bool { old.isAuthorized && old.accuracy == .full && new.accuracy == .reduced }
}

/// A step that `Services` takes with each service, in the order of its list; the compiler specializes it for each.
protocol ServiceVisitor {
    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn)
}
