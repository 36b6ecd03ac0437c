// SPDX-License-Identifier: Apache-2.0

package import LocationModel

// Notifications of beacons, to those who range them and to those who hear them.
extension Notification {
    static let beaconRows = [didRangeBeaconsForm.row, rangingDidFailForm.row, beaconsWantedForm.row]

    private static let constraint = told("constraint", .beacons, "those of the request")

    fileprivate static let didRangeBeaconsForm = NotificationForm(
        "didRangeBeacons", "Beacons that were heard in the last ten seconds; once a second.",
        told("beacons", .ranged, "nearest first, those of unknown distance last; at most 100; none: nothing was heard"),
        constraint, coreLocation: "locationManager(_:didRange:satisfying:)", make: { .didRangeBeacons($0, $1) })

    fileprivate static let rangingDidFailForm = NotificationForm(
        "rangingDidFail", "Beacons cannot be ranged.", constraint, told("error", .error, "why"),
        coreLocation: "locationManager(_:didFailRangingFor:error:)", make: { .rangingDidFail($0, $1) })

    fileprivate static let beaconsWantedForm = NotificationForm(
        "beaconsWanted", "For those who hear beacons: what they are to report from now on, and nothing else.",
        told("uuids", .texts, "whose beacons; none: no beacon is wanted, unless any is there"),
        toldIfTrue("any", "more than 100 UUIDs are wanted, and none is listed: all beacons are"),
        toldIfTrue("onlyMonitored", "nobody ranges: that a beacon is heard is enough to be told every five seconds"),
        make: { .beaconsWanted(WantedBeacons(uuids: $0, any: $1, onlyMonitored: $2)) })
}

extension NotificationWriter {
    /// `didRangeBeacons`; `beacons` nearest first.
    package static func didRangeBeacons(_ beacons: [RangedBeacon], _ constraint: BeaconIdentity) -> [UInt8] {
        Notification.didRangeBeaconsForm.line(beacons, constraint)
    }

    /// `rangingDidFail`.
    package static func rangingDidFail(_ constraint: BeaconIdentity, _ error: LocationError) -> [UInt8] {
        Notification.rangingDidFailForm.line(constraint, error)
    }

    /// `beaconsWanted`.
    package static func beaconsWanted(_ wanted: WantedBeacons) -> [UInt8] {
        Notification.beaconsWantedForm.line(wanted.uuids, wanted.any, wanted.onlyMonitored)
    }
}

extension Shape<BeaconIdentity> {
    fileprivate static let beacons = value(.object(BeaconIdentity.descriptions)) { beacons, writer in
        writer.beginObject()
        beacons.appendMembers(to: &writer)
        writer.endObject()
    }
}

extension Shape<[String]> {
    fileprivate static let texts = value(.array(of: .string())) { texts, writer in
        writer.beginArray()
        for text in texts { writer.string(text) }
        writer.endArray()
    }
}

extension Shape<[RangedBeacon]> {
    fileprivate static let ranged = value(
        .array(of: WireBeacon.schema), { (read: [WireBeacon]) in read.map(\.beacon) }
    ) { beacons, writer in
        writer.beginArray()
        for beacon in beacons { beacon.append(to: &writer) }
        writer.endArray()
    }
}

extension RangedBeacon {
    fileprivate func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("uuid", beacon.uuid)
        writer.member("major", UInt64(beacon.major))
        writer.member("minor", UInt64(beacon.minor))
        writer.member("proximity", proximity.rawValue)
        writer.name("accuracy")
        writer.decimal(accuracy < 0 ? -1 : atLeastAMillimetre(accuracy), places: 3)
        writer.member("rssi", rssi)
        writer.name("timestamp")
        writer.time(timestamp)
        writer.endObject()
    }
}

/// A beacon inside a message, as decoders read it.
private struct WireBeacon: Decodable {
    private enum Member: String, CodingKey { case uuid, major, minor, accuracy, rssi, timestamp }

    let beacon: RangedBeacon

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        beacon = RangedBeacon(
            Beacon(
                uuid: try container.decode(String.self, forKey: .uuid),
                major: try container.decode(UInt16.self, forKey: .major),
                minor: try container.decode(UInt16.self, forKey: .minor)),
            accuracy: try container.decode(Double.self, forKey: .accuracy),
            rssi: try container.decode(Int.self, forKey: .rssi),
            timestamp: try container.decode(WallTime.self, forKey: .timestamp))
    }

    static let schema = JSONSchema.object([
        Described("uuid", .string(), required: true, "whose beacon"),
        Described("major", .count, required: true, "its group"),
        Described("minor", .count, required: true, "which of the group"),
        Described(
            "proximity", .words(BeaconProximity.allCases.map(\.rawValue)), required: true,
            "how near: immediate under half a metre, near under four"),
        Described("accuracy", .number(minimum: -1), required: true, "how far it seems, metres; -1: unknown"),
        Described("rssi", .number(minimum: -127, maximum: 0), required: true, "how loud, dBm; 0: unknown"),
        Described("timestamp", .time, required: true, "when it was heard last"),
    ])
}
