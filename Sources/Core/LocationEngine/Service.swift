// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// What a service of the engine is.
///
/// A service holds what clients asked it for and where it stands; it knows neither the engine nor other services. It is told what happens, asks
/// the `directory` who is there and what each may have, and puts into the `turn` what is to be done. Each part has a default that does
/// nothing, so that a service says only what concerns it. `Services` lists all of them once; to add one, see there.
protocol Service: Sendable {
    // MARK: One fix, in the order of Protocol 4.4

    /// What the fix ends: deferrals, requests.
    mutating func finish(at fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn)
    /// Who gets the location.
    mutating func deliver(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn)
    /// Who pauses after it.
    mutating func pause(after fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn)
    /// What happened at the place: events of apps.
    mutating func watch(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn)

    // MARK: Requests

    /// Another service may answer the request: what it ends here ends first.
    mutating func makeWay(for request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn)
    /// Carries the request out and answers it; false: it is none of this service's.
    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool
    /// The client set its presence.
    mutating func presenceChanged(of manager: ManagerID, _ directory: Directory, _ turn: inout Turn)
    /// The client set its properties. `hadReducedView`: before.
    mutating func propertiesChanged(
        of manager: ManagerID, hadReducedView: Bool, _ directory: Directory, _ turn: inout Turn)

    // MARK: Rights

    /// What the app may have changed, or may have: it came into use, or its sessions changed.
    mutating func rightsChanged(of app: AppID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn)
    /// The same, for each of its managers, after all services know it of the app.
    mutating func rightsChanged(
        of manager: ManagerID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn)
    /// Why nothing comes of the app's streams and monitors may have changed.
    mutating func obstaclesChanged(of app: AppID, _ directory: Directory, _ turn: inout Turn)
    /// The same for a manager's streams, because of its app's sessions.
    mutating func obstaclesChanged(of manager: ManagerID, _ directory: Directory, _ turn: inout Turn)

    // MARK: The life of a manager (Protocol 8.1)

    /// The manager is there, or there again after a restart of the daemon.
    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn)
    /// Its client never went, though the process did: the service goes on exactly where it stood. All managers are open.
    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn)
    /// The connection was lost.
    mutating func detached(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn)
    /// The client is back: what ended meanwhile. `delivered`: how far it came.
    mutating func attached(
        _ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn)
    /// Then what it has not seen.
    mutating func tellMissed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn)
    /// Then the stream goes on.
    mutating func resume(_ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn)
    /// Its time to come back is up; it is closed next.
    mutating func expired(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn)
    /// The manager ends: the directory still has its app, and does not count it as open any more.
    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn)

    // MARK: Records

    /// Puts what outlives a turn into the manager's record.
    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn)
    /// An app is there; its slot may have been another's.
    mutating func enter(_ app: AppID, _ record: AppRecord, _ directory: Directory, _ turn: inout Turn)
    /// What the app has on record beside its managers.
    func fill(_ record: inout AppRecord, of app: AppID, _ directory: Directory, _ turn: Turn)
    /// Nothing is to be kept of the app any more; the clients that it has go on without.
    mutating func forget(_ app: AppID, _ directory: Directory, _ turn: inout Turn)

    // MARK: Time

    /// Does what is due.
    mutating func serveTimers(_ directory: Directory, _ turn: inout Turn)
    /// When something is due, if nothing else happens; nil: never.
    func deadline(_ directory: Directory, _ turn: Turn) -> WakeWindow?
    /// Tells who has had no fix for too long. `onSince`: since when the receiver has been on.
    mutating func tellLoss(onSince: BootInstant, _ directory: Directory, _ turn: inout Turn)
    /// A loss that was told is over.
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
    /// What `status` says of the manager.
    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn)
}

// A service has no part in what it does not say.
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
    mutating func obstaclesChanged(of app: AppID, _ directory: Directory, _ turn: inout Turn) {}
    mutating func obstaclesChanged(of manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {}
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

/// What an app may have, before and now.
struct RightsChange: Sendable {
    var old: Authorization
    var new: Authorization

    var isLost: Bool { old.isAuthorized && !new.isAuthorized }
    var isGranted: Bool { !old.isAuthorized && new.isAuthorized }
    var isReduced: Bool { old.isAuthorized && old.accuracy == .full && new.accuracy == .reduced }
}

/// What goes over all services. Called with each of them in the order of the list; the compiler makes one function for each.
protocol ServiceVisitor {
    mutating func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn)
}
