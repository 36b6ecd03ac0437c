// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Foundation

/// A track in the GPX format: complete after every batch, so that a crash costs nothing that was written.
final class GPXFile {
    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="HikeTracker" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>

        """
    private static let tail = "</trkseg></trk></gpx>\n"

    private let file: FileHandle
    private var end: UInt64
    /// How many points it has.
    private(set) var count = 0

    /// Makes a file; one of that name must not be there yet.
    init(creating path: String) throws {
        let url = URL(fileURLWithPath: path)
        try Data((GPXFile.head + GPXFile.tail).utf8).write(to: url, options: .withoutOverwriting)
        file = try FileHandle(forUpdating: url)
        end = UInt64(GPXFile.head.utf8.count)
    }

    /// Adds points in their order.
    func append(_ locations: [CLLocation]) throws {
        let points = locations.map(GPXFile.point).joined()
        try file.seek(toOffset: end)
        try file.write(contentsOf: Data((points + GPXFile.tail).utf8))
        end += UInt64(points.utf8.count)
        count += locations.count
    }

    /// Ends the work on it.
    func close() throws {
        try file.synchronize()
        try file.close()
    }

    private static func point(_ location: CLLocation) -> String {
        let place = location.coordinate
        // A height of unknown accuracy is no height.
        let height = location.verticalAccuracy > 0 ? String(format: "<ele>%.1f</ele>", location.altitude) : ""
        let time = location.timestamp.formatted(.iso8601)
        return String(format: "<trkpt lat=\"%.7f\" lon=\"%.7f\">", place.latitude, place.longitude)
            + "\(height)<time>\(time)</time></trkpt>\n"
    }
}
