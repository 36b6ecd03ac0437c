// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Whether the receiver is watched, and until when.
struct ReceiverPower: Sendable {
    enum State: Sendable, Equatable {
        case off
        /// `firstFix` is the first one since it was switched on.
        case on(since: BootInstant, firstFix: BootInstant?)
        case sleeping(until: BootInstant, length: TimeSpan)
    }

    private(set) var state = State.off
    private(set) var policy = PowerPolicy.off
    private(set) var pace = DevicePace()
    private(set) var search = ReceiverSearch()
    /// Whether the receiver stays on for as long as it has a fix.
    private var isAwake = false
    /// When the newest search that found no sky was given up; nil: there was a fix since.
    private(set) var gaveUp: BootInstant?
    /// The sleep that was asked for when the one under way began.
    private var askedSleep = TimeSpan.zero
    /// How long the receiver was on before it was switched off last.
    private var formerOnTime = TimeSpan.zero

    var isOn: Bool { if case .on = state { true } else { false } }
    var onSince: BootInstant? { if case .on(let since, _) = state { since } else { nil } }
    var sleepsSince: BootInstant? { if case .sleeping(let until, let length) = state { until - length } else { nil } }
    var sleepsUntil: BootInstant? { if case .sleeping(let until, _) = state { until } else { nil } }

    /// How long the receiver was on in all.
    func onTime(at now: BootInstant) -> TimeSpan { formerOnTime + (onSince.map { now - $0 } ?? .zero) }

    mutating func noteFix(_ location: Location, at now: BootInstant) {
        let sinceLastFix = pace.lastFix.map { now - $0 }
        pace.note(location, at: now)
        gaveUp = nil
        guard case .on(let since, nil) = state else { return search.noteFix() }
        search.noteFirstFix(after: now - since, isHot: search.isHot(sinceLastFix))
        state = .on(since: since, firstFix: now)
    }

    /// The receiver has no fix yet. `satellites`: of how many it heard signals at once.
    mutating func noteNoFix(satellites: Int, at now: BootInstant) {
        guard case .on(let since, nil) = state else { return }
        search.noteNoFix(satellites: satellites, after: now - since)
    }

    /// Brings the state in line with the demand. `accuracy`: metres, of the newest fix. `blindSleep`: the longest ones while no sky is found.
    /// Returns whether the receiver was switched, and the effect is due.
    mutating func update(
        demand: ReceiverDemand, accuracy: Double?, blindSleep: BlindSleep, at now: BootInstant,
        _ settings: PowerSettings
    ) -> Bool {
        let formerly = onSince
        isAwake = demand == .awake && settings.dutyCycle
        switch demand {
        case .none:
            policy = .off
            state = .off
            search.noteFix()
        case .periodic(let sleep) where settings.dutyCycle && sleep >= settings.minimumSleep:
            policy = .dutyCycled
            updateCycle(
                sleep: min(sleep, settings.maximumSleep), accuracy: accuracy, blindSleep: blindSleep, at: now, settings)
        case .awake where settings.dutyCycle:
            policy = .dutyCycled
            updateCycle(
                sleep: settings.minimumSleep, accuracy: accuracy, blindSleep: blindSleep, at: now, settings)
        case .periodic, .awake, .continuous:
            policy = .fullRate
            if !isOn { state = .on(since: now, firstFix: nil) }
        }
        if let formerly, !isOn { formerOnTime = formerOnTime + (now - formerly) }
        return isOn != (formerly != nil)
    }

    private mutating func updateCycle(
        sleep: TimeSpan, accuracy: Double?, blindSleep: BlindSleep, at now: BootInstant, _ settings: PowerSettings
    ) {
        switch state {
        case .off:
            state = .on(since: now, firstFix: nil)
        case .sleeping(let until, let length):
            // A new demand may need a fix earlier than the sleep that is under way; the same one does not, where no sky was found.
            guard sleep < askedSleep || gaveUp == nil else { return }
            let begun = until - length
            let end = min(until, begun + sleep)
            state = end <= now ? .on(since: now, firstFix: nil) : .sleeping(until: end, length: end - begun)
        case .on(let since, let firstFix):
            if let firstFix, !isAwake {
                guard isEnough(accuracy) || now - firstFix >= ReceiverPower.settlingTime else { return }
                askedSleep = sleep
                state = .sleeping(until: now + sleep, length: sleep)
            } else if let end = searchEnd(settings), end <= now {
                let start = firstFix == nil ? since : now
                giveUp(sinceLastFix: sinceLastFix(start), sleep: sleep, blindSleep, at: now, settings)
            }
        }
    }

    private mutating func giveUp(
        sinceLastFix: TimeSpan?, sleep: TimeSpan, _ blindSleep: BlindSleep, at now: BootInstant,
        _ settings: PowerSettings
    ) {
        let length = search.giveUp(
            sinceLastFix: sinceLastFix, sleep: sleep, isDriven: pace.isDriven, longest: blindSleep, settings)
        askedSleep = sleep
        gaveUp = now
        state = .sleeping(until: now + length, length: length)
    }

    /// First fixes are poor: a better one is worth a moment, unless this one says already that the device is where it was.
    private func isEnough(_ accuracy: Double?) -> Bool {
        pace.isStationary || accuracy.map { $0 <= ReceiverPower.goodAccuracy } ?? false
    }

    /// When the search, or the wait for a better fix or for one more, is over; nil: there is neither.
    private func searchEnd(_ settings: PowerSettings) -> BootInstant? {
        guard policy == .dutyCycled, case .on(let since, let firstFix) = state else { return nil }
        guard let firstFix else {
            return since + search.time(sinceLastFix: sinceLastFix(since), isStationary: pace.isStationary, settings)
        }
        guard isAwake else { return firstFix + ReceiverPower.settlingTime }
        return pace.lastFix.map { $0 + search.time(sinceLastFix: .zero, isStationary: true, settings) }
    }

    private func sinceLastFix(_ since: BootInstant) -> TimeSpan? { pace.lastFix.map { since - $0 } }

    /// Metres that need no better fix before the receiver sleeps.
    private static let goodAccuracy = 50.0
    private static let settlingTime = TimeSpan.seconds(5)
    /// A search that goes on costs more than a wake-up that serves nothing else.
    private static let searchSlack = TimeSpan.milliseconds(250)
    /// A device that drives covers the way of a late significant change in twenty.
    private static let longestSlack = TimeSpan.seconds(1)

    /// When the state has to be looked at again without a fix.
    func wake(_ settings: PowerSettings) -> WakeWindow? {
        switch state {
        case .off: return nil
        case .sleeping(let until, let length):
            let slack = min(TimeSpan(nanoseconds: length.nanoseconds / 10), ReceiverPower.longestSlack)
            return WakeWindow(earliest: until, latest: until + slack)
        case .on:
            return searchEnd(settings).map { WakeWindow(earliest: $0, latest: $0 + ReceiverPower.searchSlack) }
        }
    }

    /// Whether a sleep is over, and the effect is due.
    mutating func wakeIfDue(at now: BootInstant) -> Bool {
        guard case .sleeping(let until, _) = state, until <= now else { return false }
        state = .on(since: now, firstFix: nil)
        return true
    }
}
