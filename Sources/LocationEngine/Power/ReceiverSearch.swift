// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// What a start of the receiver costs, and when a search for a first fix is given up.
struct ReceiverSearch: Sendable {
    /// Searches without a fix, one after the other.
    private var vain = 0
    /// The usual time to the first fix after a sleep, seconds; nil: none was seen yet.
    private var usual: Double?

    /// Receivers know the orbits of their satellites for so long, and are as quick as before.
    private static let hotTime = TimeSpan.seconds(7_200)
    /// Of the usual time, for a search that should not take long.
    private static let patience = 1.5
    private static let shortestSearch = 10.0
    /// One search of so many takes its time: the sky may be poor and not gone.
    private static let searchesPerLongOne = 16
    /// Starts that a sleep at rest must be worth.
    private static let startsPerSleep = 20.0
    /// The sky may be back, and the device on its way.
    private static let longestBlindSleep = TimeSpan.seconds(300)
    /// A slow receiver must not hide a departure.
    private static let longestWorthwhileSleep = TimeSpan.seconds(120)

    mutating func noteFix() { vain = 0 }

    mutating func noteFirstFix(after time: TimeSpan) {
        vain = 0
        usual = usual.map { $0 + (time.seconds - $0) / 4 } ?? time.seconds
    }

    /// Shorter sleeps of a device that rests cost more than they bring.
    var worthwhileSleep: TimeSpan {
        min(.seconds((usual ?? 0) * ReceiverSearch.startsPerSleep), ReceiverSearch.longestWorthwhileSleep)
    }

    /// How long the search goes on. `sinceLastFix`: when it began; nil: there was none.
    func time(sinceLastFix: TimeSpan?, _ settings: PowerSettings) -> TimeSpan {
        let isLong = vain % ReceiverSearch.searchesPerLongOne == ReceiverSearch.searchesPerLongOne - 1
        guard let usual, isHot(sinceLastFix), !isLong else { return settings.acquisition }
        let expected = max(usual * ReceiverSearch.patience, ReceiverSearch.shortestSearch)
        return min(.seconds(expected), settings.acquisition)
    }

    /// One more search was vain: the sleep that follows it, at least `sleep`. At rest each is twice as long as the one before, else every
    /// second one.
    mutating func giveUp(
        sinceLastFix: TimeSpan?, sleep: TimeSpan, isAtRest: Bool, _ settings: PowerSettings
    ) -> TimeSpan {
        // Who rested when the sky went is under a roof, and not on the way through a tunnel.
        let doublings = Int64(min(isAtRest ? vain + 4 : vain / 2, 10))
        vain += 1
        let longer = TimeSpan(nanoseconds: settings.minimumSleep.nanoseconds << doublings)
        let longest = isHot(sinceLastFix) ? ReceiverSearch.longestBlindSleep : settings.maximumSleep
        return min(max(sleep, min(longer, longest)), settings.maximumSleep)
    }

    private func isHot(_ sinceLastFix: TimeSpan?) -> Bool { sinceLastFix.map { $0 <= ReceiverSearch.hotTime } ?? false }
}
