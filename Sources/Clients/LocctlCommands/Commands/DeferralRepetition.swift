// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// When `locctl watch` allows deferred updates anew, so that one deferral follows the other.
///
/// Deferring takes a recent fix, so the first one begins with the first live location; one that failed for want of fixes
/// is tried again with the next.
struct DeferralRepetition {
    private enum State {
        case waitingForLocation
        case running(UInt64)
        case impossible
    }

    private var state = State.waitingForLocation

    /// The daemon has taken one on.
    mutating func began(_ number: UInt64?) { state = number.map(State.running) ?? .waitingForLocation }

    /// No further one is wanted.
    mutating func giveUp() { state = .impossible }

    /// Locations came; whether to allow now.
    func isDue(after update: LocationUpdate) -> Bool {
        if case .waitingForLocation = state, !update.isCached { true } else { false }
    }

    /// One is over; whether to allow the next one now.
    mutating func isDue(afterFinishOf number: UInt64, error: LocationError?) -> Bool {
        // The finish of one before that is told again after a reconnect.
        if case .running(let current) = state, number < current { return false }
        switch (state, error?.code) {
        case (.impossible, _): return false
        case (_, nil): return true
        case (_, .deferredAccuracyTooLow?), (_, .deferredDistanceFiltered?): state = .impossible
        default: state = .waitingForLocation
        }
        return false
    }
}
