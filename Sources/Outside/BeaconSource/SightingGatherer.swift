// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Makes few sightings of many advertisements: one for each beacon and half a second, as loud as the beacon was on average; of beacons that are
/// only monitored one in five seconds, the first at once.
struct SightingGatherer: Sendable {
    private struct Gathered: Sendable {
        var sum = 0
        var count = 0
        var measuredPower: Int
        var last: BootInstant
    }

    /// So long is gathered, from the first sighting on,
    private static let span = TimeSpan.milliseconds(500)
    /// and from the last report of the beacon on, where that is enough,
    private static let sparseSpan = TimeSpan.seconds(5)
    /// and so many beacons: of others nothing is told until the next time.
    private static let beacons = 256
    /// So many devices are remembered as beacons: one that is not, is heard only when it tells its data again.
    private static let devices = 4096

    /// The last data of each device, by the bus' name of it: most signals of BlueZ say only how loud.
    private var known: [String: BeaconAdvertisement] = [:]
    private var gathered: [Beacon: Gathered] = [:]
    /// When each was reported lately, of those that are only monitored.
    private var reported: [Beacon: BootInstant] = [:]
    /// When there is something to report; nil: nothing was heard.
    private(set) var due: BootInstant?

    /// A device was heard. `data`: manufacturer data of Apple's number, nil: as it was; `rssi`: dBm, nil: nobody says.
    mutating func note(
        _ device: String, data: [UInt8]?, rssi: Int?, _ wanted: WantedBeacons, at now: BootInstant
    ) {
        if let data {
            let advertisement = BeaconAdvertisement(manufacturerData: data)
            if advertisement == nil || known[device] != nil || known.count < Self.devices {
                known[device] = advertisement
            }
            if let advertisement { note(advertisement, rssi, wanted, at: now) }
        } else if let advertisement = known[device] {
            note(advertisement, rssi, wanted, at: now)
        }
    }

    private mutating func note(
        _ heard: BeaconAdvertisement, _ rssi: Int?, _ wanted: WantedBeacons, at now: BootInstant
    ) {
        guard wanted.any || wanted.uuids.contains(heard.beacon.uuid) else { return }
        guard gathered[heard.beacon] != nil || gathered.count < Self.beacons else { return }
        var sum = gathered[heard.beacon] ?? Gathered(measuredPower: heard.measuredPower, last: now)
        sum.measuredPower = heard.measuredPower
        sum.last = now
        // 127 says that the radio could not tell.
        if let rssi, (-127...20).contains(rssi) {
            sum.sum += rssi
            sum.count += 1
        }
        gathered[heard.beacon] = sum
        let last = wanted.onlyMonitored ? reported[heard.beacon] : nil
        let next = max(now + Self.span, last.map { $0 + Self.sparseSpan } ?? now)
        due = due.map { min($0, next) } ?? next
    }

    /// All is told as often as for who ranges.
    mutating func hasten(at now: BootInstant) { due = due.map { min($0, now + Self.span) } }

    mutating func forget(_ device: String) { known[device] = nil }

    /// Forgets what was heard, but not which device is which beacon.
    mutating func drop() { (gathered, due) = ([:], nil) }

    mutating func forgetAll() { self = SightingGatherer() }

    /// The sightings since the last time, in reports of at most `limit`.
    mutating func take(upTo limit: Int, isSparse: Bool, at now: BootInstant) -> [[BeaconSighting]] {
        let all = gathered.sorted { $0.key < $1.key }.map { beacon, heard in
            BeaconSighting(
                beacon, rssi: heard.count == 0 ? nil : Int((Double(heard.sum) / Double(heard.count)).rounded()),
                measuredPower: heard.measuredPower, age: min((now - heard.last).seconds, 10))
        }
        reported = isSparse ? reported.filter { now - $0.value < Self.sparseSpan } : [:]
        if isSparse { for beacon in gathered.keys { reported[beacon] = now } }
        drop()
        return stride(from: 0, to: all.count, by: limit).map { Array(all[$0..<min($0 + limit, all.count)]) }
    }
}
