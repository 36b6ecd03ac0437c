// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Turns fixes of receivers into accepted locations (Protocol 2, 4.4), and knows where the log ends.
///
/// A fix passes `FixGate` (are its numbers possible, is it in order?) and `ReceiverChoice` (is its receiver the one in use?), gets the
/// next number, and moves the `Odometer`. Services ask here for the newest location and for places in the log. A fix costs a few
/// comparisons; nothing is kept of those that were refused but their count.
struct Intake: Sendable {
    private var gate = FixGate()
    var receivers = ReceiverChoice()
    private(set) var odometer: Odometer
    let openedAt: BootInstant
    /// No fix gets this number or a smaller one. After an unclean stop that may be more than any fix has.
    private(set) var newestSequence: UInt64
    /// Numbers from the newest of a former process to the first of this one that no fix has.
    private let skipped: (after: UInt64, through: UInt64)
    /// The newest accepted fix, or the one that a former run of the daemon left.
    private(set) var lastLocation: Location?
    /// When it was accepted.
    private(set) var lastFixAt: BootInstant?
    /// Until when the newest one counts without another; nil: no longer than any fix.
    private(set) var validUntil: BootInstant?
    /// Fixes that were refused, by reason.
    private(set) var rejected = [UInt64](repeating: 0, count: FixRejection.allCases.count)
    private(set) var accepted: UInt64 = 0

    init(
        newestSequence: UInt64, last: (location: Location, at: BootInstant)?, travelled: Double, at now: BootInstant
    ) {
        self.newestSequence = newestSequence
        let newestAccepted = last?.location.sequence ?? 0
        skipped = (newestAccepted, max(newestAccepted, newestSequence))
        lastLocation = last?.location
        lastFixAt = last?.at
        odometer = Odometer(travelled: travelled, anchor: last?.location.coordinate)
        openedAt = now
    }

    /// The accepted location with its number; nil: the fix is refused.
    mutating func accept(_ fix: Fix, at now: BootInstant, _ configuration: EngineConfiguration) -> Location? {
        if let rejection = examine(fix, at: now, switchTime: configuration.receiverSwitchTime) {
            rejected[rejection.rawValue] += 1
            return nil
        }
        accepted += 1
        newestSequence += 1
        var location = fix.location
        location.sequence = newestSequence
        if !location.isCoarse { odometer.move(to: location, step: configuration.odometerStep) }
        lastLocation = location
        lastFixAt = now
        validUntil = fix.validity > .zero ? now + fix.validity : nil
        return location
    }

    /// Impossible numbers go first: they say nothing about the receiver that sent them.
    private mutating func examine(_ fix: Fix, at now: BootInstant, switchTime: TimeSpan) -> FixRejection? {
        guard FixGate.isValid(fix) else { return .invalid }
        guard !receivers.noteTime(of: fix) else { return .repeatedTime }
        guard receivers.accepts(fix, at: now, switchTime: switchTime) else { return .otherReceiver }
        return gate.examine(fix, at: now)
    }

    /// Whoever said where the device is says it no longer.
    mutating func endValidity() { validUntil = nil }

    /// The odometer goes on from where a former process counted.
    mutating func takeUp(anchor: Coordinate) { odometer = Odometer(travelled: odometer.travelled, anchor: anchor) }

    /// The sequence of the newest accepted fix; 0: none yet. All places in the log are counted by it.
    var newestAccepted: UInt64 { lastLocation?.sequence ?? 0 }

    /// How many fixes were accepted after the one of this number.
    func fixes(after sequence: UInt64) -> Int {
        guard newestAccepted > sequence else { return 0 }
        let numbers = newestAccepted - sequence
        guard sequence < skipped.through, newestAccepted > skipped.through else { return Int(numbers) }
        return Int(numbers - (skipped.through - max(sequence, skipped.after)))
    }
}
