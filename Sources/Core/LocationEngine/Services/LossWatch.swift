// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// When running services are told that there is no fix (Protocol 4.5, rule S11): error 0, once a service and loss.
///
/// The ten seconds count from the last fix, from the start of the service, and from the moment at which the receiver was switched on,
/// whichever is latest: a receiver that was asked to sleep is no loss.
struct LossWatch: Sendable {
    /// Some service was told; the next fix takes that back.
    private(set) var hasTold = false
    /// Nobody has to be told before; nil: nobody at all.
    private(set) var nextCheck: BootInstant?

    mutating func check(by deadline: BootInstant) { nextCheck = min(nextCheck ?? .distantFuture, deadline) }

    /// A fix came: the next loss begins after it. Returns whether services were told of one that is over.
    mutating func noteFix(nextCheck deadline: BootInstant) -> Bool {
        nextCheck = deadline
        defer { hasTold = false }
        return hasTold
    }

    /// All who may be at a loss are looked at now.
    mutating func beginCheck() { nextCheck = nil }

    mutating func noteTold() { hasTold = true }
}

extension Turn {
    /// Nobody says any longer where the device is: from now on it can be lost as without a fix.
    mutating func endLocation() {
        guard intake.validUntil != nil else { return }
        intake.endValidity()
        loss.check(by: now)
    }

    /// Whether a service that began at `startedAt` is at a loss; if not, it is looked at again when it can be.
    mutating func isLost(startedAt: BootInstant, onSince: BootInstant) -> Bool {
        let lossDue = max(startedAt, onSince, intake.lastFixAt ?? onSince) + configuration.lossAge
        let deadline = max(lossDue, intake.validUntil ?? lossDue)
        if deadline <= now { return true }
        loss.check(by: deadline)
        return false
    }
}
