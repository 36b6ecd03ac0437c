// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The longest sleeps while searches find no sky.
struct BlindSleep: Sendable {
    /// While the receiver still knows its satellites.
    var hot = TimeSpan.seconds(300)
    /// When it does not, and each search is long.
    var cold = TimeSpan(nanoseconds: .max)
    /// The sleep after the first of these.
    var firstCold = TimeSpan.seconds(80)
}

/// The word of a receiver about its satellites since it was switched on.
private enum Hearing: Sendable, Equatable {
    case untold
    /// It hears fewer than a fix takes.
    case silence
    /// It heard enough for the first time so long after it was switched on.
    case satellites(after: TimeSpan)
}

/// Estimates how long a start of the receiver takes, and gives up a search for a first fix that takes longer.
struct ReceiverSearch: Sendable {
    /// Searches without a fix, one after the other.
    private var vain = 0
    /// The usual time to the first fix after a sleep, seconds; nil: none was seen yet.
    private var usual: Double?
    private var hearing = Hearing.untold
    /// The usual time until it tells of as many satellites as a fix takes, after a sleep, seconds; nil: that was never seen.
    private var usualHearing: Double?
    /// Whether it ever told of as many: there are receivers that tell of none.
    private var tellsOfSatellites = false

    /// Receivers know the orbits of their satellites for so long, and are as quick as before.
    private static let hotTime = TimeSpan.seconds(7_200)
    /// Of the usual time, for a search that should not take long.
    private static let patience = 1.5
    private static let shortestSearch = 9.0
    /// After a vain search the next will probably be vain, too.
    private static let shortestSearchAfterVain = 7.0
    /// One search of so many takes its time: the sky may be poor and not gone.
    private static let searchesPerLongOne = 64
    /// Seconds for a receiver that hears its satellites on the way: the sky is hardly gone.
    private static let searchOnTheWay = 14.0
    /// A fix without an altitude takes as many.
    private static let satellitesOfFix = 3
    /// Of the usual time until satellites are heard, for a receiver that hears none.
    private static let patienceInSilence = 1.5
    /// Seconds: a receiver tells once a second.
    private static let shortestSilence = 3.0
    /// Without satellites known a receiver needs the signals for half a minute before it has a fix: later ones come too late for this search.
    private static let longestColdSilence = TimeSpan.seconds(20)
    /// Seconds for a search after a vain one, while nobody knows how long a fix takes.
    private static let secondSearch = 20.0
    /// Sleep after the first vain search under a roof.
    private static let firstSleepUnderRoof = TimeSpan.seconds(80)
    /// Times the longest sleep, where the receiver tells of no satellites.
    private static let sleepWithoutWord = 1.5
    /// Seconds: the sleep of a stationary device whose receiver needs a second for a fix.
    private static let sleepOfQuickest = 35.0
    /// A slow receiver must not hide a departure.
    private static let longestSleepAtRest = 120.0

    mutating func noteFix() { (vain, hearing) = (0, .untold) }

    /// There is no fix `time` after the receiver was switched on, which heard so many satellites at once.
    mutating func noteNoFix(satellites: Int, after time: TimeSpan) {
        if case .satellites = hearing { return }
        hearing = satellites < ReceiverSearch.satellitesOfFix ? .silence : .satellites(after: time)
        tellsOfSatellites = tellsOfSatellites || hearing != .silence
    }

    /// `isHot`: the receiver still knew its satellites. A start without them says nothing of the next one.
    mutating func noteFirstFix(after time: TimeSpan, isHot: Bool) {
        defer { noteFix() }
        guard isHot else { return }
        if vain == 0, tellsOfSatellites {
            // A fix in silence says that the satellites were heard only then.
            let heard = if case .satellites(let first) = hearing { first.seconds } else { time.seconds }
            usualHearing = usualHearing.map { $0 + (heard - $0) * 0.125 } ?? heard
        }
        // After vain searches it was rather the sky that came late than the fix.
        let share = vain == 0 || time.seconds < usual ?? .infinity ? 0.25 : 0.0625
        usual = usual.map { $0 + (time.seconds - $0) * share } ?? time.seconds
    }

    /// For a stationary device, in whose longer sleeps more departures are missed, while shorter ones cost more starts: the sum of both is
    /// least where the sleep goes with the root of what a start takes. nil: no start was seen yet.
    var worthwhileSleep: TimeSpan? {
        usual.map {
            .seconds(min(ReceiverSearch.sleepOfQuickest * max($0, 1).squareRoot(), ReceiverSearch.longestSleepAtRest))
        }
    }

    /// How long the search goes on. `sinceLastFix`: when it began; nil: there was none.
    func time(sinceLastFix: TimeSpan?, isStationary: Bool, _ settings: PowerSettings) -> TimeSpan {
        let isLong = vain % ReceiverSearch.searchesPerLongOne == ReceiverSearch.searchesPerLongOne - 1
        guard isHot(sinceLastFix), !isLong, usual != nil || vain > 0 else {
            guard isDeaf, !isLong else { return settings.acquisition }
            return min(ReceiverSearch.longestColdSilence, settings.acquisition)
        }
        let expected = usual.map { max($0 * ReceiverSearch.patience, shortestSearch(isStationary)) }
        var time = expected ?? ReceiverSearch.secondSearch
        // Not in the first search: in some starts satellites are heard late, and this may be the fix before a change is late.
        if isDeaf, vain > 0, let usualHearing {
            time = min(time, max(usualHearing * ReceiverSearch.patienceInSilence, ReceiverSearch.shortestSilence))
        }
        return min(.seconds(time), settings.acquisition)
    }

    private func shortestSearch(_ isStationary: Bool) -> Double {
        if vain > 0 { return ReceiverSearch.shortestSearchAfterVain }
        if !isStationary, case .satellites = hearing { return ReceiverSearch.searchOnTheWay }
        return ReceiverSearch.shortestSearch
    }

    /// Whether it would tell of satellites, and hears too few.
    private var isDeaf: Bool { tellsOfSatellites && hearing == .silence }

    /// One more search was vain: the sleep that follows it, at least `sleep`, each twice as long as the one before, up to `longest`: the
    /// sky may be back, and the device on its way.
    mutating func giveUp(
        sinceLastFix: TimeSpan?, sleep: TimeSpan, isDriven: Bool, longest: BlindSleep, _ settings: PowerSettings
    ) -> TimeSpan {
        defer { (vain, hearing) = (vain + 1, .untold) }
        // A device that stood or walked when the sky went is under a roof, not in a tunnel.
        let underRoof = isDriven ? settings.minimumSleep : ReceiverSearch.firstSleepUnderRoof
        // Of a receiver that tells of no satellites a vain search costs more, and is rarer.
        let rare = max(longest.hot, ReceiverSearch.firstSleepUnderRoof).seconds * ReceiverSearch.sleepWithoutWord
        let hot = tellsOfSatellites ? longest.hot : .seconds(rare)
        let (first, last) = isHot(sinceLastFix) ? (underRoof, hot) : (longest.firstCold, longest.cold)
        let longer = TimeSpan(nanoseconds: first.nanoseconds << Int64(min(vain, 10)))
        return min(max(sleep, min(longer, last)), settings.maximumSleep)
    }

    /// Whether the receiver still knows its satellites. `sinceLastFix`: when it was switched on; nil: there was none.
    func isHot(_ sinceLastFix: TimeSpan?) -> Bool { sinceLastFix.map { $0 <= ReceiverSearch.hotTime } ?? false }
}
