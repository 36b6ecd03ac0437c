// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Where significant changes count from, and whether a place is one: 500 m and 300 s from the last (Protocol 4.7, rule G2).
package struct SignificantReference: Sendable, Hashable {
    /// The place of the last one; nil: the next fix is the current one.
    package var place: Coordinate?
    /// When it was; nil: before boot.
    package var date: BootInstant?

    /// Changes from `place` on.
    package init(place: Coordinate?, date: BootInstant?) {
        self.place = place
        self.date = date
    }

    /// `accuracy`: metres, of the fix.
    func isChange(
        to seen: Coordinate, accuracy: Double, at now: BootInstant, _ settings: SignificantChangeSettings
    ) -> Bool {
        guard let place, let date else { return true }
        guard accuracy <= settings.maximumAccuracy else { return false }
        return now - date >= settings.interval && place.distance(to: seen) >= settings.distance
    }
}

// How long the receiver may sleep between fixes for significant changes.
extension SignificantReference {
    /// The receiver may sleep as long as the device cannot have come farther than a second threshold beyond the first, at the speed
    /// that it may plausibly reach, and until just before the interval since the last change is over. A stationary device lets it sleep
    /// for as long as its starts are worth.
    func demand(isReduced: Bool, _ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand {
        let (settings, powers) = (turn.configuration.significantChange, turn.configuration.power)
        if isReduced { return ReceiverDemand(for: .reduced, powers) }
        guard let place, let date, let last = turn.intake.lastLocation else {
            return .periodic(sleep: powers.minimumSleep)
        }
        let remaining = max(settings.distance - place.distance(to: last.coordinate), 0)
        let pace = power.pace
        // A device that has started will soon be faster.
        let reach = remaining + settings.distance / (pace.isStationary ? 1 : 2)
        let speed = SignificantReference.plausibleSpeed(at: turn.now, powers, power)
        let unreachable = TimeSpan.seconds(reach / speed)
        // A sleep that is under way is as long as it was when it began.
        let early = date + settings.interval - SignificantReference.shortestStart - (power.sleepsSince ?? turn.now)
        // Where only the interval is left to wait for, each second after it counts; a quick receiver has its fix before.
        if remaining == 0, early > .zero {
            return .periodic(sleep: max(early, powers.minimumSleep))
        } else if remaining == 0, power.isOn, turn.now < date + settings.interval {
            return .awake
        }
        guard pace.isStationary, let stationary = power.search.worthwhileSleep?.seconds else {
            return .periodic(sleep: max(unreachable, early))
        }
        // One that came on foot seldom leaves by car; none has come so far before the fastest would have.
        let least = TimeSpan.seconds(max(stationary * (pace.isOnFoot ? 2 : 1), remaining / powers.plausibleSpeed))
        return .periodic(sleep: max(least, early, powers.minimumSleep))
    }

    /// A receiver takes as long for its first fix.
    private static let shortestStart = TimeSpan.seconds(3)

    /// Metres per second: somewhat more than of late, at least what a stationary device makes on average once it moves.
    private static func plausibleSpeed(
        at now: BootInstant, _ settings: PowerSettings, _ power: ReceiverPower
    ) -> Double {
        min(max(power.pace.speed(at: now) * 1.3, settings.plausibleSpeedFromRest), settings.plausibleSpeed)
    }
}

extension SignificantReference: Recorded {
    struct Coded: Codable, Sendable {
        var place: [Double]?
        var date: Int64?

        private enum CodingKeys: String, CodingKey { case place = "p", date = "t" }
    }

    var coded: Coded { Coded(place: place.coded, date: date.coded) }

    init?(coded: Coded) {
        guard let place = Coordinate?(coded: coded.place), let date = BootInstant?(coded: coded.date) else {
            return nil
        }
        self.init(place: place, date: date)
    }
}
