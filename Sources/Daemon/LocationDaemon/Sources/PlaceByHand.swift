// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationServices
import LocationStore
import SystemSupport

/// The place that an administrator set, in a file of the state directory.
struct PlaceByHand {
    private struct Content: Codable {
        var latitude: Double
        var longitude: Double
        var horizontalAccuracy: Double
        var altitude: Double?

        var place: OfferedLocation {
            OfferedLocation(
                coordinate: Coordinate(latitude: latitude, longitude: longitude),
                horizontalAccuracy: horizontalAccuracy,
                altitude: altitude, verticalAccuracy: altitude == nil ? nil : horizontalAccuracy, kind: .manual)
        }
    }

    /// The file; nil: nothing is kept.
    let path: String?

    init(directory: String?) { path = directory.map { "\($0)/place" } }

    /// nil: none was set.
    func read() throws(GeolocationText.Fault) -> OfferedLocation? {
        guard let path else { return nil }
        let bytes: [UInt8]
        switch SmallFile(at: path, limit: GeolocationText.maximumLength) {
        case .missing: return nil
        case .refused(let reason): throw GeolocationText.Fault(reason: reason)
        case .bytes(let all): bytes = all
        }
        guard let place = (try? JSONText.value(Content.self, of: bytes))?.place,
            Location(place, WallTime(milliseconds: 0)).isPlausible
        else { throw GeolocationText.Fault(reason: "it is damaged; set the place again") }
        return place
    }

    func write(_ place: OfferedLocation) throws(RPCError) {
        let content = Content(
            latitude: place.coordinate.latitude, longitude: place.coordinate.longitude,
            horizontalAccuracy: place.horizontalAccuracy, altitude: place.altitude)
        guard let path, let bytes = try? JSONWriter.text(of: content) else { return }
        do throws(StoreError) {
            try replaceFile(path, with: bytes)
        } catch {
            throw refusal("keep", because: error.description)
        }
    }

    func remove() throws(RPCError) {
        guard let path, unlink(path) != 0, errno != ENOENT else { return }
        throw refusal("forget", because: String(cString: strerror(errno)))
    }

    // A directory is not locationd's, which therefore neither removes nor replaces it.
    private func refusal(_ verb: String, because reason: String) -> RPCError {
        var (path, attributes) = (path ?? "", stat())
        let isDirectory = lstat(path, &attributes) == 0 && attributes.st_mode & S_IFMT == S_IFDIR
        return RPCError(
            .unavailable, "cannot \(verb) the place: \(isDirectory ? "\(path) is a directory: remove it" : reason)")
    }
}
