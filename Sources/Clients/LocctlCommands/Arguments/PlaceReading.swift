// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// Reads areas: `--circle LAT,LON,RADIUS` and `--polygon LAT,LON LAT,LON …`; and `--beacon UUID,MAJOR,MINOR`.
enum PlaceReading {
    static let beaconForm = "UUID[,MAJOR[,MINOR]], such as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0,7"

    static func beacon(_ text: String, _ option: LocctlOption) throws(LocctlError) -> RegionShape {
        guard let beacons = BeaconIdentity(text: text) else {
            throw ArgumentReading.refusal(text, option, beaconForm)
        }
        return .beacon(beacons)
    }

    /// `LAT,LON`.
    static func place(_ text: String) throws(LocctlError) -> Coordinate {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let place = coordinate(parts[0], parts[1]) else {
            throw .usage(
                "cannot use the place \"\(printable(text))\": allowed is a latitude of -90 to 90 and a longitude of -180 "
                    + "to 180, such as 52.5163,13.3777")
        }
        return place
    }

    /// Degrees and a distance.
    static func circle(_ text: String, _ option: LocctlOption) throws(LocctlError) -> RegionShape {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let center = coordinate(parts[0], parts[1]),
            let radius = ArgumentReading.metres(parts[2]), radius > 0
        else {
            throw ArgumentReading.refusal(
                text, option,
                "a latitude of -90 to 90, a longitude of -180 to 180 and a radius over 0, such as 52.5163,13.3777,100m")
        }
        return .circle(center: center, radius: radius)
    }

    /// Corners with blanks between them.
    static func polygon(_ text: String, _ option: LocctlOption) throws(LocctlError) -> RegionShape {
        let allowed =
            "3 to 1000 corners, latitudes of -90 to 90 and longitudes of -180 to 180, such as 52.51,13.37 52.52,13.37 "
            + "52.52,13.39"
        var corners: [Coordinate] = []
        for word in text.split(separator: " ") {
            let parts = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let corner = coordinate(parts[0], parts[1]) else {
                throw ArgumentReading.refusal(text, option, allowed)
            }
            corners.append(corner)
        }
        do {
            return .polygon(try Polygon(vertices: corners))
        } catch {
            throw .usage("cannot use --\(option.name): \(error.reason)")
        }
    }

    private static func coordinate(_ latitude: String, _ longitude: String) -> Coordinate? {
        guard let latitude = decimal(latitude), let longitude = decimal(longitude) else { return nil }
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        return coordinate.isValid ? coordinate : nil
    }

    // Double("nan") and Double("0x1p3") are not what people mean.
    static func decimal(_ text: String) -> Double? {
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
        return Double(text)
    }
}
