// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// A day as its report knows it.
package struct DayReport: Sendable {
    /// A stay at a place.
    struct Stay: Sendable, Hashable {
        var coordinate: Coordinate
        /// nil: it began before the day, or nobody saw it.
        var from: WallTime?
        /// nil: it goes on.
        var to: WallTime?

        /// One of which nobody saw the beginning is known by its place.
        func isSame(as other: Stay) -> Bool {
            from == other.from
                && (from != nil || coordinate == other.coordinate && (to == other.to || to == nil || other.to == nil))
        }
    }

    /// The crossing of a region's border.
    struct Crossing: Sendable, Hashable {
        var date: WallTime
        var region: Region
        var isEntry: Bool
    }

    /// The first moment of the day.
    let from: WallTime
    /// The first of the next.
    let to: WallTime
    let calendar: LocalCalendar
    /// Stretches in which the device was seen all the time, oldest first.
    private(set) var segments: [[Location]] = []
    /// Locations that the day has, also those that the report leaves out.
    private(set) var count = 0
    private(set) var crossings: [Crossing] = []
    private var visits: [Stay] = []
    /// The newest of each name, with when it was crossed.
    private var newestRegions: [String: (region: Region, date: WallTime)] = [:]
    /// The ledger's entries of the day.
    private(set) var ledger: [LedgerPage.Entry] = []
    /// Whether the ledger is everybody's.
    package var seesAll = false
    /// Something that the reader has to know beside the figures.
    package var remarks: [String] = []

    /// The remark where only the events of so many apps of all are in it; nil: those of all are.
    package static func remark(onApps count: Int, most: Int) -> String? {
        count <= most
            ? nil : "Only what the first \(most) of \(count) apps were told is here; --of APP has that of another one."
    }

    /// Nearer to each other than this, locations say little more for a day.
    private static let shortestStep: Int64 = 1000

    /// A day of which nothing is known yet.
    package init(from: WallTime, to: WallTime, _ calendar: LocalCalendar) {
        (self.from, self.to, self.calendar) = (from, to, calendar)
    }

    /// Takes the next location. `isBehindGap`: some before it are not there.
    package mutating func append(_ location: Location, isBehindGap: Bool) {
        count += 1
        // A place that is known only roughly is no part of the way.
        guard !location.isCoarse else { return }
        let step = segments.last?.last.map { location.timestamp.milliseconds - $0.timestamp.milliseconds }
        guard let step, !isBehindGap, step >= 0, step <= TrackExport.longestStep.nanoseconds / 1_000_000 else {
            segments.append([location])
            return
        }
        if step >= DayReport.shortestStep { segments[segments.count - 1].append(location) }
    }

    /// Takes what an app was told. What several were told is one.
    package mutating func append(_ event: StoredEvent) {
        switch event.notification {
        case .didEnterRegion(let crossing): append(crossing, event.date, isEntry: true)
        case .didExitRegion(let crossing): append(crossing, event.date, isEntry: false)
        case .didVisit(let visit, _):
            let stay = Stay(coordinate: visit.coordinate, from: visit.arrival, to: visit.departure)
            visits.removeAll { $0.isSame(as: stay) && (stay.to != nil || $0.to == nil) }
            if !visits.contains(where: { $0.isSame(as: stay) }) { visits.append(stay) }
        default: break
        }
    }

    private mutating func append(_ crossing: RegionCrossing, _ date: WallTime, isEntry: Bool) {
        let new = Crossing(date: crossing.moment ?? date, region: crossing.region, isEntry: isEntry)
        let isInDay = new.date >= from && new.date < to
        if isInDay, !crossings.contains(new) { crossings.append(new) }
        let name = new.region.identifier
        if newestRegions[name].map({ $0.date <= new.date }) ?? true { newestRegions[name] = (new.region, new.date) }
    }

    /// Takes a page of the ledger.
    package mutating func append(_ page: LedgerPage) { ledger += page.entries }

    /// Everything is there.
    package mutating func finish() {
        crossings.sort { $0.date < $1.date }
        visits = visits.filter { ($0.to ?? to) > from && ($0.from ?? from) < to }
            .sorted { ($0.from ?? from) < ($1.from ?? from) }
    }

    // MARK: What follows

    /// All locations of the way.
    var track: [Location] { segments.flatMap { $0 } }

    /// The visits that apps were told, and where nobody asked for those, what the track tells.
    var stays: [Stay] { visits.isEmpty ? StayFinder.stays(in: track) : visits }

    /// Regions whose borders were crossed, on the day or on another, by name.
    var regions: [Region] { newestRegions.values.map(\.region).sorted { $0.identifier < $1.identifier } }

    /// The smallest region around a stay, by name; nil: none is.
    func name(of stay: Stay) -> String? {
        let around = regions.filter { region in
            switch region.shape {
            case .circle(let center, let radius): center.distance(to: stay.coordinate) <= radius
            case .polygon, .beacon: region.shape.contains(stay.coordinate)
            }
        }
        return around.min { DayReport.size($0) < DayReport.size($1) }.map { printable($0.identifier) }
    }

    private static func size(_ region: Region) -> Double {
        if case .circle(_, let radius) = region.shape { radius } else { .infinity }
    }

    /// Metres along the way.
    var length: Double { segments.reduce(0) { $0 + TrackPlot.length(of: $1) } }

    /// A moment as a part of the day, 0 to 1.
    func part(_ date: WallTime) -> Double {
        let part = Double(date.milliseconds - from.milliseconds) / Double(to.milliseconds - from.milliseconds)
        return min(max(part, 0), 1)
    }

    /// `10:38`, and `24:00` at its end.
    func clock(_ date: WallTime) -> String { date >= to ? "24:00" : String(calendar.timeOfDay(date).prefix(5)) }
}

/// Finds stays in a track: ten minutes or more within some distance.
enum StayFinder {
    private static let shortest: Int64 = 600_000
    private static let reach = 100.0

    /// The stays, oldest first. Where the device was not seen it did not move, if it was seen at the same place before and after.
    static func stays(in track: [Location]) -> [DayReport.Stay] {
        var stays: [DayReport.Stay] = []
        var start = 0
        while start < track.count {
            let end = self.end(of: start, track)
            let (first, last) = (track[start], track[end])
            if last.timestamp.milliseconds - first.timestamp.milliseconds >= shortest {
                let middle = track[(start + end) / 2].coordinate
                add(DayReport.Stay(coordinate: middle, from: first.timestamp, to: last.timestamp), to: &stays)
                start = end + 1
            } else {
                // A step finer than this tells nothing more of when a stay began.
                start += max(1, (end - start) / 8)
            }
        }
        return stays
    }

    // A device that arrives has slowly come to rest, and is taken to stay from the first place within reach of it on.
    private static func add(_ stay: DayReport.Stay, to stays: inout [DayReport.Stay]) {
        if let last = stays.last, let end = last.to, let begin = stay.from,
            begin.milliseconds - end.milliseconds < shortest,
            last.coordinate.distance(to: stay.coordinate) <= 2 * reach
        {
            stays[stays.count - 1].to = stay.to
        } else {
            stays.append(stay)
        }
    }

    /// The last location within reach of the one at `start`. One alone beyond it is taken for an error of the receiver's.
    private static func end(of start: Int, _ track: [Location]) -> Int {
        let anchor = track[start].coordinate
        var (end, beyond) = (start, 0)
        for index in track[start...].indices.dropFirst() {
            let offset = TrackPlot.metres(track[index].coordinate, from: anchor)
            let limit = reach + min(track[index].horizontalAccuracy, reach)
            if offset.east * offset.east + offset.north * offset.north <= limit * limit {
                (end, beyond) = (index, 0)
            } else {
                beyond += 1
                if beyond == 2 { break }
            }
        }
        return end
    }
}
