// SPDX-License-Identifier: Apache-2.0
import GPXReading
import Glibc
import LocationModel

/// A journey that `locationd-track` plays: made up or recorded.
enum Journey {
    case madeUp(Track)
    case recorded(RecordedTrack)

    // A year of points a second; who has more has another file in mind.
    private static let largestFile = 1 << 30

    /// The way of a file in the GPX format.
    init(gpx path: String, pace: Double, rate: Double) throws(TrackError) {
        do {
            self = .recorded(RecordedTrack(try GPXDocument(try Journey.bytes(of: path)).way(), pace: pace, rate: rate))
        } catch let error as GPXError {
            throw TrackError(description: "\(path): \(error)")
        } catch let error as TrackError {
            throw error
        } catch {
            throw TrackError(description: "\(path): \(error)")
        }
    }

    /// The date of the first point unless the command line says another.
    var begin: WallTime {
        switch self {
        case .madeUp(let track): track.from
        case .recorded(let track): track.begin ?? Track.defaultFrom
        }
    }

    /// How long it takes; a made-up one lasts as long as one likes, and an hour by default.
    var length: TimeSpan {
        switch self {
        case .madeUp(let track): track.duration
        case .recorded(let track): track.length
        }
    }

    /// The points, the first of which has the date `from`.
    func points(from: WallTime, duration: TimeSpan) -> AnyIterator<TrackPoint> {
        switch self {
        case .madeUp(var track):
            track.from = from
            track.duration = duration
            return AnyIterator(track.makeIterator())
        case .recorded(let track): return track.points(from: from, duration: duration)
        }
    }

    private static func bytes(of path: String) throws(TrackError) -> [UInt8] {
        let fd = open(path, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else { throw TrackError(description: "cannot open \(path): \(String(cString: strerror(errno)))") }
        defer { close(fd) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(fd, &piece, piece.count)
            if count == 0 { return bytes }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw TrackError(description: "cannot read \(path): \(String(cString: strerror(errno)))")
            }
            bytes += piece[..<count]
            guard bytes.count <= largestFile else {
                throw TrackError(description: "cannot read \(path): it is too large")
            }
        }
    }
}
