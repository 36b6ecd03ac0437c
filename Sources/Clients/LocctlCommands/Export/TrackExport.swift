// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Where a new track begins.
package enum TrackSplit: String, Sendable, Hashable, CaseIterable {
    /// Nowhere: a gap only begins a new segment.
    case gap
    /// At midnight, as clocks here show it.
    case day
}

/// Makes a file of kept locations and waypoints, which it is given in their order: first waypoints, then locations.
package struct TrackExport {
    /// Longer without a fix, and nobody knows where the device was.
    static let longestStep = TimeSpan.seconds(300)

    private var format: any TrackFormat
    private var simplifier: TrackSimplifier
    private let split: TrackSplit
    private let calendar: LocalCalendar
    private var last: Location?
    private var day = ""
    /// Locations that it wrote.
    package private(set) var count: UInt64 = 0

    /// A file in `format`, without points that are nearer than `tolerance` metres to the line between others; nil: with all.
    package init(_ format: ExportFormat, tolerance: Double?, split: TrackSplit, _ calendar: LocalCalendar) {
        self.format = format.writer()
        simplifier = TrackSimplifier(tolerance: tolerance)
        self.split = split
        self.calendar = calendar
        self.format.begin()
    }

    /// Takes out the bytes that were written since the last call.
    package mutating func take() -> [UInt8] { format.output.take() }

    /// A place beside the tracks; only before the first location.
    package mutating func append(_ waypoint: Waypoint) { format.append(waypoint) }

    /// The next location. `isBehindGap`: some before it are not there.
    package mutating func append(_ location: Location, isBehindGap: Bool) {
        // A place that is known only roughly is no part of the way.
        guard !location.isCoarse else { return }
        let shown = String(calendar.dateAndTime(location.timestamp).prefix(10))
        let isNewTrack = last == nil || split == .day && shown != day
        if isNewTrack || isBehindGap || isFar(location) {
            endSegment()
            if isNewTrack {
                if last != nil { format.endTrack() }
                format.beginTrack(named: split == .day ? shown : nil)
            }
            format.beginSegment()
        }
        (last, day) = (location, shown)
        simplifier.append(location) { location in
            format.append(location)
            count += 1
        }
    }

    private func isFar(_ location: Location) -> Bool {
        guard let last else { return false }
        let step = location.timestamp.milliseconds - last.timestamp.milliseconds
        return step > TrackExport.longestStep.nanoseconds / 1_000_000 || step < 0
    }

    private mutating func endSegment() {
        guard last != nil else { return }
        simplifier.finish { location in
            format.append(location)
            count += 1
        }
        format.endSegment()
    }

    /// The end of the file.
    package mutating func finish() {
        endSegment()
        if last != nil { format.endTrack() }
        format.end()
    }
}
