// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationServices
import LocationStore
import SystemSupport

/// The place that an administrator set, in a file of the state directory.
struct PlaceByHand {
    /// Why the file cannot be used, as a sentence.
    struct Unreadable: Error {
        let reason: String
    }

    fileprivate struct Content: Codable {
        var latitude: Double
        var longitude: Double
        var horizontalAccuracy: Double
        var altitude: Double?
    }

    private let path: String?

    /// nil: nothing is kept.
    init(directory: String?) { path = directory.map { "\($0)/place" } }

    /// nil: none was set.
    func read() throws(Unreadable) -> OfferedLocation? {
        guard let path else { return nil }
        let bytes: [UInt8]
        switch SmallFile(at: path, limit: GeolocationText.maximumLength) {
        case .missing: return nil
        case .refused(let reason): throw Unreadable(reason: "cannot read \(path): \(reason)")
        case .bytes(let all): bytes = all
        }
        guard let content = try? JSONText.value(Content.self, of: bytes) else {
            throw Unreadable(reason: "cannot read \(path): it is damaged; set the place again")
        }
        let place = OfferedLocation(content)
        guard Location(place).isPlausible else {
            throw Unreadable(reason: "cannot use \(path): no place is like that; set the place again")
        }
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
            throw RPCError(.unavailable, "cannot keep the place: \(error.description)")
        }
    }

    func remove() throws(RPCError) {
        guard let path, unlink(path) != 0, errno != ENOENT else { return }
        throw RPCError(.unavailable, "cannot forget the place: \(String(cString: strerror(errno)))")
    }
}

extension OfferedLocation {
    fileprivate init(_ content: PlaceByHand.Content) {
        self.init(
            coordinate: Coordinate(latitude: content.latitude, longitude: content.longitude),
            horizontalAccuracy: content.horizontalAccuracy, altitude: content.altitude,
            verticalAccuracy: content.altitude == nil ? nil : content.horizontalAccuracy, kind: .manual)
    }
}

extension Location {
    fileprivate init(_ place: OfferedLocation) {
        self.init(
            coordinate: place.coordinate, horizontalAccuracy: place.horizontalAccuracy,
            timestamp: WallTime(milliseconds: 0), altitude: place.altitude, verticalAccuracy: place.verticalAccuracy)
    }
}
