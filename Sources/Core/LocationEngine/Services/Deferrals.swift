// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A running deferral. It holds nothing: what it held is the log behind the cursor of standard updates (Protocol 5.2).
struct Deferral: ManagerService, Codable {
    /// Of whom.
    var manager = ManagerID(rawValue: 0)
    /// Its number, from 1.
    let number: UInt32
    /// Metres on the odometer at which it ends; infinity: no such criterion.
    @Stored var endOfTravel: Double
    /// When it ends; `distantFuture`: no such criterion.
    @Stored var deadline: BootInstant

    private enum CodingKeys: String, CodingKey { case number = "n", endOfTravel = "m", deadline = "t" }

    /// Metres that are no distance: sums of steps miss a round number by rounding.
    static let noDistance = 0.001

    func isMet(travelled: Double) -> Bool { travelled >= endOfTravel - Deferral.noDistance }
}

/// Deferrals of standard updates (Protocol 5, rules F1 to F25): which run, when each ends, and which finishes the client may not have seen.
///
/// `StandardUpdates` owns them, and delivers the batch that a finish ends. A finish is told once, and again to a client that came back
/// and may not have seen it. A fix costs one comparison with the nearest end of travel.
struct Deferrals: Sendable {
    /// The part of a manager's deferrals that outlives a turn.
    struct Record: Sendable, Codable {
        /// The number of the last one.
        var lastNumber: UInt32 = 0
        /// Finishes that the client may not have seen, oldest first.
        @Stored var unconfirmed: [FinishedDeferral] = []
        /// The one that runs; only in a manager's record.
        var running: Deferral?

        private enum CodingKeys: String, CodingKey { case lastNumber = "n", unconfirmed = "x", running = "r" }

        var isUsable: Bool { lastNumber.isUsable && running?.number.isUsable ?? true }
    }

    private(set) var running = ServiceTable<Deferral>()
    var records = PerSlot<ManagerID, Record>(blank: Record())
    /// Bounds: none ends by time or by travel before.
    private(set) var nextDeadline = BootInstant.distantFuture
    private(set) var nextTravel = Double.infinity

    mutating func insert(_ deferral: Deferral) {
        if running.isEmpty {
            // Bounds of deferrals that are gone would wake in vain.
            nextDeadline = .distantFuture
            nextTravel = .infinity
        }
        running.insert(deferral)
        nextDeadline = min(nextDeadline, deferral.deadline)
        nextTravel = min(nextTravel, deferral.endOfTravel)
    }

    @discardableResult
    mutating func remove(_ manager: ManagerID) -> Deferral? { running.remove(manager) }

    mutating func nextNumber(of manager: ManagerID) -> UInt32 {
        records[manager].lastNumber += 1
        return records[manager].lastNumber
    }

    /// Notes a finish until the client has confirmed it.
    mutating func note(_ finished: FinishedDeferral, of manager: ManagerID) {
        records[manager].unconfirmed.append(finished)
    }

    /// Deferrals whose distance the newest fix met.
    mutating func met(travelled: Double) -> [ManagerID] {
        guard !running.isEmpty, travelled >= nextTravel - Deferral.noDistance else { return [] }
        nextTravel = .infinity
        var met: [ManagerID] = []
        for deferral in running.services {
            if deferral.isMet(travelled: travelled) {
                met.append(deferral.manager)
            } else {
                nextTravel = min(nextTravel, deferral.endOfTravel)
            }
        }
        return met
    }

    /// Deferrals whose time is over, or which have had no fix for too long.
    mutating func due(_ turn: Turn) -> [(manager: ManagerID, error: LocationErrorCode?)] {
        let hasOutage = outageDeadline(turn).map { $0 <= turn.now } ?? false
        guard hasOutage || nextDeadline <= turn.now else { return [] }
        nextDeadline = .distantFuture
        var due: [(ManagerID, LocationErrorCode?)] = []
        for deferral in running.services {
            if deferral.deadline <= turn.now {
                due.append((deferral.manager, nil))
            } else if hasOutage {
                due.append((deferral.manager, .deferredFailed))
            } else {
                nextDeadline = min(nextDeadline, deferral.deadline)
            }
        }
        return due
    }

    /// When the deferrals that run end for want of fixes; nil: none runs.
    func outageDeadline(_ turn: Turn) -> BootInstant? {
        guard !running.isEmpty else { return nil }
        return max(turn.intake.lastFixAt ?? turn.intake.openedAt, turn.intake.openedAt)
            + turn.configuration.deferralOutage
    }
}

/// The number, the error's code or -1, and the last sequence.
extension FinishedDeferral: Recorded {
    var coded: [Int64] { [Int64(number), error.map { Int64($0.rawValue) } ?? -1, Int64(through)] }

    init?(coded: [Int64]) {
        guard coded.count == 3, let number = UInt32(exactly: coded[0]), let through = UInt64(exactly: coded[2]),
            number.isUsable, through.isUsable
        else { return nil }
        let error = coded[1] < 0 ? nil : LocationErrorCode(rawValue: Int(coded[1]))
        self.init(number: number, error: error, through: through)
    }
}
