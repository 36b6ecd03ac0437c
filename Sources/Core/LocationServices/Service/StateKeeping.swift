// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel

/// Where a service keeps what must outlive it, but for what apps own (`RecordKeeping`): the daemon in files, a replay and a simulation in
/// memory. What cannot be kept is said in the journal, and the service goes on without it.
package protocol StateKeeping: AnyObject {
    /// The accepted locations.
    var log: any LocationLog { get }
    /// Problems with what is kept, a sentence each, for `status`.
    var problems: [String] { get }

    /// Appends an accepted fix to the log.
    func record(_ accepted: AcceptedFix, _ journal: Journal)
    /// Keeps the reduced view that was computed just now, before anybody is told.
    func save(_ view: KeptView, _ date: WallTime, _ journal: Journal)
    /// Reserves the number of an authorization request before anybody hears of it.
    func reserveAuthorizationRequest(_ number: UInt64, _ journal: Journal)

    /// Gives a manager with a token a place of its own, its `slot`, where there is one.
    func keep(_ manager: ClientManager, _ journal: Journal)
    /// Writes what a restarted service would need of a manager.
    func save(_ manager: ClientManager, _ record: ManagerRecord, _ journal: Journal)
    /// Standard delivery to the manager of a slot has come so far.
    func setDelivered(_ slot: Int, _ sequence: UInt64)
    /// Nobody needs the slot any more.
    func free(_ slot: Int)

    /// Everything is to outlive an orderly stop. `last`: the last known location.
    func saveAll(last: Location?, _ journal: Journal)
}

/// The accepted locations, of which the oldest are forgotten.
package protocol LocationLog: AnyObject {
    /// Sequence of the oldest; 0 while empty.
    var oldest: UInt64 { get }
    /// The oldest entry behind `sequence`: called again with what it returned, it walks forward.
    func next(after sequence: UInt64) -> LogEntry?
}

extension LocationLog {
    /// The location of exactly this number; nil: there is none, or the log has lost it.
    package func location(_ sequence: UInt64) -> Location? {
        guard sequence > 0, let next = next(after: sequence - 1), next.location.sequence == sequence else { return nil }
        return next.location
    }
}
