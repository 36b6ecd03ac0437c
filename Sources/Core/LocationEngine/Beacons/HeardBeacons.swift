// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The beacons that were heard lately, as far as somebody ranges them, with how loud they were (rules H3, H5).
struct HeardBeacons: Sendable {
    /// How loud a beacon was over the last seconds: the mean without the loudest and the quietest tenth.
    private struct Strength: Sendable {
        private var samples: [(at: BootInstant, rssi: Int)] = []

        mutating func add(_ rssi: Int, at moment: BootInstant) {
            samples.append((moment, rssi))
            if samples.count > HeardBeacons.samples { samples.removeFirst() }
        }

        /// dBm; nil: no radio said.
        func mean(at now: BootInstant) -> Double? {
            let recent = samples.filter { now - $0.at < HeardBeacons.window }.map(\.rssi).sorted()
            guard !recent.isEmpty else { return nil }
            let middle = recent.dropFirst(recent.count / 10).dropLast(recent.count / 10)
            return Double(middle.reduce(0, +)) / Double(middle.count)
        }
    }

    private struct Heard: Sendable {
        var measuredPower: Int
        var last: BootInstant
        var strength = Strength()
    }

    /// The mean goes over so much time,
    private static let window = TimeSpan.seconds(20)
    /// and over so many sightings.
    private static let samples = 64
    /// A beacon that was not heard for so long is at an unknown distance,
    private static let freshness = TimeSpan.seconds(5)
    /// and after so long it is not there.
    private static let memory = TimeSpan.seconds(10)
    /// So many beacons are known at once: of more, those that were heard last.
    private static let limit = 256
    /// So many are told at once, the nearest.
    static let toldAtOnce = 100

    private var beacons: [Beacon: Heard] = [:]

    mutating func note(_ sighting: BeaconSighting, at now: BootInstant) {
        let moment = now - .seconds(sighting.age)
        var heard = beacons[sighting.beacon] ?? Heard(measuredPower: sighting.measuredPower, last: moment)
        if moment - heard.last >= HeardBeacons.window { heard.strength = Strength() }
        heard.last = max(heard.last, moment)
        heard.measuredPower = sighting.measuredPower
        if let rssi = sighting.rssi { heard.strength.add(rssi, at: moment) }
        beacons[sighting.beacon] = heard
        guard beacons.count > HeardBeacons.limit else { return }
        // By beacon among those of one moment, because a table has no order.
        let oldest = beacons.min { ($0.value.last, $0.key) < ($1.value.last, $1.key) }
        if let oldest { beacons[oldest.key] = nil }
    }

    mutating func forgetAll() { beacons = [:] }

    /// Those that were heard lately, the nearest first, and those of unknown distance last. `date`: that of `now`.
    func satisfying(_ constraint: BeaconIdentity, at now: BootInstant, _ date: WallTime) -> [RangedBeacon] {
        var found: [RangedBeacon] = []
        for (beacon, heard) in beacons where constraint.means(beacon) {
            let age = now - heard.last
            guard age < HeardBeacons.memory else { continue }
            var ranged = RangedBeacon(
                beacon, timestamp: WallTime(milliseconds: date.milliseconds - age.nanoseconds / 1_000_000))
            if age < HeardBeacons.freshness, let strength = heard.strength.mean(at: now),
                let metres = beaconDistance(strength: strength, measuredPower: heard.measuredPower)
            {
                ranged.accuracy = metres
                ranged.rssi = Int(strength.rounded())
            }
            found.append(ranged)
        }
        found.sort { ($0.order, $0.beacon) < ($1.order, $1.beacon) }
        return Array(found.prefix(HeardBeacons.toldAtOnce))
    }
}

extension RangedBeacon {
    fileprivate var order: Double { accuracy < 0 ? .infinity : accuracy }
}
