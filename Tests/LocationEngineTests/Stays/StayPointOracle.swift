// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// One stay as a test sees it: truth, oracle, or what the detector told.
struct SeenStay: Equatable {
    var coordinate: Coordinate
    /// Seconds since the start; -infinity: unknown.
    var from: Double
    /// Seconds since the start; infinity: goes on.
    var to: Double
}

/// A fix as the oracle needs it.
struct StayFix {
    var coordinate: Coordinate
    /// Seconds since the start.
    var time: Double
}

/// The classic offline stay-point detector (Li, Zheng, Xie, Chen, Liu, Ma: "Mining user similarity based on location
/// history", 2008): from the anchor on, all fixes within `radius` of it; a stay if they last for `seconds`.
func stayPoints(of fixes: [StayFix], radius: Double = 100, seconds: Double = 300) -> [SeenStay] {
    var stays: [SeenStay] = []
    var anchor = 0
    while anchor < fixes.count {
        var end = anchor + 1
        while end < fixes.count, fixes[anchor].coordinate.distance(to: fixes[end].coordinate) <= radius { end += 1 }
        if fixes[end - 1].time - fixes[anchor].time >= seconds {
            let part = fixes[anchor..<end]
            let latitude = part.reduce(0) { $0 + $1.coordinate.latitude } / Double(part.count)
            let longitude = part.reduce(0) { $0 + $1.coordinate.longitude } / Double(part.count)
            stays.append(
                SeenStay(
                    coordinate: Coordinate(latitude: latitude, longitude: longitude), from: fixes[anchor].time,
                    to: fixes[end - 1].time))
            anchor = end
        } else {
            anchor += 1
        }
    }
    return stays
}

/// How well one list of stays agrees with another.
struct Agreement {
    var found = 0
    var expected = 0
    var right = 0
    var told = 0

    /// Share of the expected ones that were found.
    var recall: Double { expected == 0 ? 1 : Double(found) / Double(expected) }
    /// Share of the told ones that are right.
    var precision: Double { told == 0 ? 1 : Double(right) / Double(told) }

    /// Counts two stays as the same if they overlap in time and lie within 100 m.
    mutating func add(told: [SeenStay], expected: [SeenStay]) {
        self.told += told.count
        self.expected += expected.count
        right += told.count { one in expected.contains { one.isSame(as: $0) } }
        found += expected.count { one in told.contains { one.isSame(as: $0) } }
    }

    /// As `add`, but each stay may be matched with one other only.
    mutating func addPairs(told: [SeenStay], expected: [SeenStay]) {
        self.told += told.count
        self.expected += expected.count
        var free = expected
        for one in told {
            guard let match = free.firstIndex(where: { one.isSame(as: $0) }) else { continue }
            free.remove(at: match)
            right += 1
            found += 1
        }
    }
}

extension SeenStay {
    func isSame(as other: SeenStay) -> Bool {
        from < other.to && other.from < to && coordinate.distance(to: other.coordinate) <= 100
    }
}
