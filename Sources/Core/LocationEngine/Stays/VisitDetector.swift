// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Finds the visits of the device (rules V1 to V4): one for all apps.
///
/// An arrival is told when the fixes have lain within 100 m for 300 s, dated with the first one at the place; a departure when
/// they have lain beyond 150 m for 60 s, dated with the last one inside. Outliers neither begin nor end a stay. What a hole in the
/// data hides is not told: an arrival in it is unknown, a departure in it has the date of the last fix before it. A hole that the receiver
/// searched in vain for many minutes is a stay if its ends allow no other reading (`RoofWatch`); it is told when it is over.
///
/// Decisions are made on `BootInstant`; wall time is told, and compared only to judge the length of a restart.
package struct VisitDetector: Sendable {
    private var stay: Stay?
    private var candidates = StayCandidates()
    private var lastFix: BootInstant?
    private var roof = RoofWatch()

    /// Nothing is known yet.
    package init() {}

    /// Goes on after a restart with what `stored` was before it.
    package init(restoring stored: StoredStay, _ settings: VisitSettings) {
        stay = Stay(restoring: stored, settings)
    }

    /// The stay that goes on, to be saved when it changes; nil: none.
    package var stored: StoredStay? { stay?.stored }

    /// Takes the next accepted fix, which came at `now`, and appends what is to be told: an arrival has no departure, a
    /// departure has one. Allocates nothing while it appends nothing.
    package mutating func process(
        _ location: Location, at now: BootInstant, _ settings: VisitSettings, into visits: inout [Visit]
    ) {
        guard isUsable(location, settings) else { return }
        let isAfterHole = noteHole(before: location, at: now, settings, into: &visits)
        tellHiddenStay(before: location, at: now, settings, into: &visits)
        roof.note(location, at: now)
        lastFix = now
        if stay != nil { processStay(location, at: now, isAfterHole: isAfterHole, settings, into: &visits) }
        guard stay?.isInDoubt ?? true, location.horizontalAccuracy <= settings.maximumAccuracy else { return }
        candidates.add(location, at: now, settings)
        guard let found = candidates.stay(at: now, settings) else { return }
        if stay != nil {
            guard stay?.isEnded(by: found, settings) ?? true else { return }
            endStay(into: &visits)
        }
        stay = Stay(found, by: location, at: now, settings)
        candidates.begin(fromElsewhere: false)
        tellArrival(at: now, settings, into: &visits)
    }

    /// How long the receiver may sleep now without missing an arrival or a departure by more than the thresholds.
    package func longestSleep(_ settings: VisitSettings) -> TimeSpan {
        guard let lastFix else { return .zero }
        if let stay {
            if stay.isInDoubt { return settings.leavingSleep }
            // A restart is over when a fix has said whether the device is still there.
            guard !stay.isRestored else { return .zero }
            return stay.stored.isTold ? settings.stayingSleep : settings.stoppingSleep
        }
        return candidates.isStopping(at: lastFix, settings) ? settings.stoppingSleep : settings.movingSleep
    }

    private func isUsable(_ location: Location, _ settings: VisitSettings) -> Bool {
        if location.horizontalAccuracy <= settings.maximumAccuracy { return true }
        return stay.map { $0.isElsewhere(location, settings) } ?? false
    }

    /// Returns whether the time since the last fix is longer than a sleep.
    private mutating func noteHole(
        before location: Location, at now: BootInstant, _ settings: VisitSettings, into visits: inout [Visit]
    ) -> Bool {
        let hole: TimeSpan
        if let lastFix {
            hole = now - lastFix
        } else if let stored = stay?.stored {
            // Boot time says nothing about a reboot; a wall clock that went back says that there was none.
            let milliseconds = location.timestamp.milliseconds - stored.lastInside.milliseconds
            hole = .seconds(Double(max(milliseconds, 0)) / 1000)
        } else {
            return false
        }
        guard hole > settings.longestSleep else { return false }
        candidates.noteHole()
        guard hole > settings.longestAbsence else { return true }
        endStay(into: &visits)
        candidates.begin(fromElsewhere: false)
        return true
    }

    private mutating func processStay(
        _ location: Location, at now: BootInstant, isAfterHole: Bool, _ settings: VisitSettings,
        into visits: inout [Visit]
    ) {
        let wasInDoubt = stay?.isInDoubt ?? false
        stay?.observe(location, at: now, settings)
        guard let stay, stay.isInDoubt else {
            if wasInDoubt { candidates.begin(fromElsewhere: false) }
            return tellArrival(at: now, settings, into: &visits)
        }
        if !wasInDoubt { candidates.begin(fromElsewhere: !isAfterHole) }
        if stay.hasEnded(at: now, settings) { endStay(into: &visits) }
    }

    private mutating func tellArrival(at now: BootInstant, _ settings: VisitSettings, into visits: inout [Visit]) {
        guard let stay, stay.isToBeTold(at: now, settings) else { return }
        visits.append(stay.arrivalEvent)
        self.stay?.noteTold()
    }

    private mutating func endStay(into visits: inout [Visit]) {
        guard let stay else { return }
        if !stay.stored.isTold { visits.append(stay.arrivalEvent) }
        visits.append(stay.departureEvent)
        self.stay = nil
    }
}

// Searches of the receiver that found no sky.
extension VisitDetector {
    /// Whether a few fixes more would decide whether this is a stay.
    package func isDecisionPending(_ settings: VisitSettings) -> Bool {
        guard let lastFix, stay == nil else { return false }
        return candidates.isDecisionPending(at: lastFix, settings)
    }

    /// The receiver looked for the sky and found none.
    package mutating func noteVainSearch(at now: BootInstant) { roof.noteVainSearch(at: now) }

    /// A stay between the last fix and this one, from the one to the last search that found no sky.
    private mutating func tellHiddenStay(
        before location: Location, at now: BootInstant, _ settings: VisitSettings, into visits: inout [Visit]
    ) {
        guard let hidden = roof.stay(before: location, at: now, settings) else { return }
        if let stay {
            guard stay.isInDoubt, stay.isFar(from: hidden.coordinate, settings) else { return }
            endStay(into: &visits)
        }
        var visit = hidden
        // It may have stood at the door for some minutes.
        if let place = candidates.newestPlace,
            place.coordinate.distance(to: hidden.coordinate) <= settings.stayRadius / 2
        {
            visit.coordinate = place.coordinate
            visit.horizontalAccuracy = max(visit.horizontalAccuracy, place.accuracy)
            visit.arrival = place.date
        }
        visit.departure = nil
        visits.append(visit)
        visit.departure = hidden.departure
        visits.append(visit)
        candidates.begin(fromElsewhere: true)
    }
}
