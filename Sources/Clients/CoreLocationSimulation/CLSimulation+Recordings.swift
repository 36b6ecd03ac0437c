// SPDX-License-Identifier: Apache-2.0
public import CoreLocation
import Foundation
import GPXReading
import LocationModel

// Tracks that a receiver recorded, and routes that somebody planned.
extension CLSimulation {
    /// Why a file is no track in the GPX format.
    public struct GPXError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
        /// Where in the file, counted from 1; nil: the file as a whole.
        public let line: Int?
        /// A sentence about what is wrong and what is allowed, with the line.
        public let description: String

        /// The same.
        public var errorDescription: String? { description }
    }

    // A receiver under a clear sky.
    private static let accuracy = 5.0
    private static let speedAccuracy = 0.5
    private static let courseAccuracy = 5.0

    /// The locations of a file in the GPX format: those of its tracks, without any those of its routes, without those its waypoints.
    ///
    /// Speed and course are those of the way to the next place. The accuracy, which such files do not tell, is 5 m.
    ///
    /// - Parameters:
    ///   - data: The file's content.
    ///   - speed: Metres per second along a way whose places have no times, > 0. They then begin in 1970, which `follow(_:)` changes.
    public static func locations(
        inGPX data: Data, speed: CLLocationSpeed = 10
    ) throws(GPXError) -> [CLLocation] {
        precondition(speed > 0, "cannot move at \(speed) m/s: it must be > 0")
        do {
            return try GPXDocument(Array(data)).way().reduce(into: []) { locations, segment in
                append(segment, at: speed, to: &locations)
            }
        } catch {
            throw GPXError(line: error.line, description: error.description)
        }
    }

    /// Follows the way in a file in the GPX format, with a location at each of its places: `locations(inGPX:speed:)` and
    /// `follow(_:)` in one.
    ///
    /// - Throws: `GPXError`, or what reading the file throws.
    public func follow(gpx file: URL, speed: CLLocationSpeed = 10) async throws {
        await follow(try CLSimulation.locations(inGPX: Data(contentsOf: file), speed: speed))
    }

    private static func append(_ segment: [GPXPoint], at speed: Double, to locations: inout [CLLocation]) {
        // A way without times goes on from its last place, and the first segment from 1970.
        var time = locations.last?.timestamp ?? Date(timeIntervalSince1970: 0)
        var (before, last): (GPXPoint?, (speed: Double, course: Double)?) = (nil, nil)
        for (index, point) in segment.enumerated() {
            if let recorded = point.time {
                time = recorded.date
            } else if let from = before?.coordinate ?? locations.last.map(\.coordinate.modelled) {
                time.addTimeInterval(from.distance(to: point.coordinate) / speed)
            }
            if index + 1 < segment.count { last = movement(point, segment[index + 1], at: speed) }
            before = point
            locations.append(
                CLLocation(
                    coordinate: CLLocationCoordinate2D(point.coordinate), altitude: point.elevation ?? 0,
                    horizontalAccuracy: accuracy, verticalAccuracy: point.elevation == nil ? -1 : accuracy * 1.5,
                    course: last?.course ?? -1, courseAccuracy: last == nil ? -1 : courseAccuracy,
                    speed: last?.speed ?? -1, speedAccuracy: last == nil ? -1 : speedAccuracy, timestamp: time))
        }
    }

    private static func movement(
        _ from: GPXPoint, _ to: GPXPoint, at speed: Double
    ) -> (speed: Double, course: Double)? {
        guard let course = from.coordinate.course(to: to.coordinate) else { return nil }
        guard let begin = from.time, let end = to.time else { return (speed, course) }
        guard end > begin else { return nil }
        let seconds = Double(end.milliseconds - begin.milliseconds) / 1000
        return (from.coordinate.distance(to: to.coordinate) / seconds, course)
    }
}
