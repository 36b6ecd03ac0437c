// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The longest sleeps while searches find no sky.
struct BlindSleep: Sendable {
    /// While the receiver still knows its satellites.
    var hot = TimeSpan.seconds(300)
    /// When it does not, and each search is long.
    var cold = TimeSpan(nanoseconds: .max)
}

/// Estimates how long a start of the receiver takes, and gives up a search for a first fix that takes longer.
struct ReceiverSearch: Sendable {
    /// Searches without a fix, one after the other.
    private var vain = 0
    /// The usual time to the first fix after a sleep, seconds; nil: none was seen yet.
    private var usual: Double?

    /// Receivers know the orbits of their satellites for so long, and are as quick as before.
    private static let hotTime = TimeSpan.seconds(7_200)
    /// Of the usual time, for a search that should not take long.
    private static let patience = 1.5
    private static let shortestSearch = 9.0
    /// After a vain search the next will probably be vain, too.
    private static let shortestSearchAfterVain = 7.0
    /// One search of so many takes its time: the sky may be poor and not gone.
    private static let searchesPerLongOne = 64
    /// Seconds for a search after a vain one, while nobody knows how long a fix takes.
    private static let secondSearch = 20.0
    /// Sleep after the first vain search of a stationary device.
    private static let firstStationarySleep = TimeSpan.seconds(160)
    /// Without satellites known a search takes its time, and is seldom: the sleep after the first one, in sleeps of the shortest length.
    private static let firstColdSleep = 8
    /// A stationary device's sleep lasts so many times as long as a start of the receiver.
    private static let startsPerSleep = 20.0
    /// A slow receiver must not hide a departure.
    private static let longestWorthwhileSleep = TimeSpan.seconds(120)

    mutating func noteFix() { vain = 0 }

    /// `isHot`: the receiver still knew its satellites. A start without them says nothing of the next one.
    mutating func noteFirstFix(after time: TimeSpan, isHot: Bool) {
        defer { vain = 0 }
        guard isHot else { return }
        // After vain searches it was rather the sky that came late than the fix.
        let share = vain == 0 || time.seconds < usual ?? .infinity ? 0.25 : 0.0625
        usual = usual.map { $0 + (time.seconds - $0) * share } ?? time.seconds
    }

    /// For a stationary device a shorter sleep saves less than the start after it costs.
    var worthwhileSleep: TimeSpan {
        min(.seconds((usual ?? 0) * ReceiverSearch.startsPerSleep), ReceiverSearch.longestWorthwhileSleep)
    }

    /// How long the search goes on. `sinceLastFix`: when it began; nil: there was none.
    func time(sinceLastFix: TimeSpan?, _ settings: PowerSettings) -> TimeSpan {
        let isLong = vain % ReceiverSearch.searchesPerLongOne == ReceiverSearch.searchesPerLongOne - 1
        guard isHot(sinceLastFix), !isLong, usual != nil || vain > 0 else { return settings.acquisition }
        let shortest = vain == 0 ? ReceiverSearch.shortestSearch : ReceiverSearch.shortestSearchAfterVain
        let expected = usual.map { max($0 * ReceiverSearch.patience, shortest) } ?? ReceiverSearch.secondSearch
        return min(.seconds(expected), settings.acquisition)
    }

    /// One more search was vain: the sleep that follows it, at least `sleep`, each twice as long as the one before, up to `longest`: the
    /// sky may be back, and the device on its way.
    mutating func giveUp(
        sinceLastFix: TimeSpan?, sleep: TimeSpan, isStationary: Bool, longest: BlindSleep, _ settings: PowerSettings
    ) -> TimeSpan {
        defer { vain += 1 }
        let doublings = Int64(min(vain, 10))
        guard isHot(sinceLastFix) else {
            let first = settings.minimumSleep.nanoseconds * Int64(ReceiverSearch.firstColdSleep)
            return min(
                max(sleep, min(TimeSpan(nanoseconds: first << doublings), longest.cold)), settings.maximumSleep)
        }
        // A device that was stationary when the sky went is under a roof, not in a tunnel.
        let first = isStationary ? ReceiverSearch.firstStationarySleep : settings.minimumSleep
        let longer = TimeSpan(nanoseconds: first.nanoseconds << doublings)
        return min(max(sleep, min(longer, longest.hot)), settings.maximumSleep)
    }

    /// Whether the receiver still knows its satellites. `sinceLastFix`: when it was switched on; nil: there was none.
    func isHot(_ sinceLastFix: TimeSpan?) -> Bool { sinceLastFix.map { $0 <= ReceiverSearch.hotTime } ?? false }
}
