// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Every number that the detection of visits depends on.
package struct VisitSettings: Sendable, Equatable {
    /// Metres, > 0: fixes this close to the first one of them make a stay …
    package var stayRadius = 100.0
    /// … if they last for this long, > 0.
    package var stayTime = TimeSpan.seconds(300)
    /// Metres from the middle of a stay, >= `stayRadius`: who is farther away …
    package var departureRadius = 150.0
    /// … for this long, > 0, has left.
    package var departureTime = TimeSpan.seconds(60)
    /// How long the receiver may sleep between two fixes. After a longer hole nobody knows when a place that is found then was
    /// reached: its arrival stays unknown.
    package var longestSleep = TimeSpan.seconds(900)
    /// >= `longestSleep`. A hole with both ends in one place, such as a building without a sky, belongs to the stay; after a
    /// longer one the stay has ended with the last fix before it. `longestSleep` here: only a sleep may be bridged.
    package var longestAbsence = TimeSpan.seconds(12 * 3600)
    /// Metres: less accurate fixes make no stay; they end one only where they are certain.
    package var maximumAccuracy = 200.0
    /// Sleep of the receiver during a stay: not longer than `stayTime`, so that no stay elsewhere goes unseen.
    package var stayingSleep = TimeSpan.seconds(300)
    /// Sleep of the receiver on the way.
    package var movingSleep = TimeSpan.seconds(20)

    /// The defaults.
    package init() {}
}

extension VisitSettings {
    /// Time between candidates for the beginning of a stay; `StayCandidates` holds more than a whole stay of them.
    var candidateSpacing: TimeSpan { TimeSpan(nanoseconds: stayTime.nanoseconds / 50) }
    /// Sleep of the receiver while a stay may just be beginning.
    var stoppingSleep: TimeSpan { TimeSpan(nanoseconds: stayTime.nanoseconds / 6) }
    /// Sleep of the receiver while a stay may just have ended.
    var leavingSleep: TimeSpan { TimeSpan(nanoseconds: departureTime.nanoseconds / 2) }

    /// Whether fixes that lie outside are more than outliers: three of them, or few that are far apart in time.
    func isLasting(outside count: Int32, for span: TimeSpan) -> Bool {
        guard span >= departureTime, count >= 2 else { return false }
        return count >= 3 || span.nanoseconds / 3 >= departureTime.nanoseconds
    }
}
