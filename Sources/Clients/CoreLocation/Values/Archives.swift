// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import LocationModel

// Values that several classes have in their archives in the same form.
extension NSCoder {
    /// The object under `key`; nil: there is none. Foundation ends the program where one is asked for that is not there.
    func decodeIfThere<Object: NSObject & NSSecureCoding>(_ type: Object.Type, forKey key: String) -> Object? {
        containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
    }

    /// The string under `key`; nil: there is none.
    func decodeText(forKey key: String) -> String? {
        decodeIfThere(NSString.self, forKey: key).map(String.init(describing:))
    }

    /// Writes a time, bit for bit.
    func encodeTime(_ time: Date, forKey key: String) {
        encode(time.timeIntervalSinceReferenceDate, forKey: key)
    }

    /// The time under `key`; without one, that of Foundation's reference date.
    func decodeTime(forKey key: String) -> Date {
        Date(timeIntervalSinceReferenceDate: decodeDouble(forKey: key))
    }

    /// Writes the notice that a region has.
    func encodeNotice(_ notice: CLRegionNotice) {
        let fields = [
            notice.title, notice.body, notice.modelled.crossing.rawValue, notice.repeats ? "repeats" : "once",
        ]
        encode(fields.map { $0 as NSString } as NSArray, forKey: "notice")
    }

    /// A region's notice; nil: it has none.
    func decodeNotice() -> CLRegionNotice? {
        guard containsValue(forKey: "notice"),
            let fields = decodeObject(of: [NSArray.self, NSString.self], forKey: "notice") as? [String],
            fields.count == 4, let crossing = RegionNotice.Crossing(rawValue: fields[2])
        else { return nil }
        return CLRegionNotice(
            RegionNotice(title: fields[0], text: fields[1], on: crossing, repeats: fields[3] == "repeats"))
    }

    /// Writes the one place that an object has, bit for bit.
    func encodePlace(_ place: CLLocationCoordinate2D) {
        encode(place.latitude, forKey: "latitude")
        encode(place.longitude, forKey: "longitude")
    }

    /// The one place that an object has; without one, 0, 0.
    func decodePlace() -> CLLocationCoordinate2D {
        CLLocationCoordinate2D(
            latitude: decodeDouble(forKey: "latitude"), longitude: decodeDouble(forKey: "longitude"))
    }
}
