// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

/// The options of `locctl export`.
package struct ExportOptions: Sendable, Hashable {
    /// The format of the file.
    package var format = ExportFormat.gpx
    /// Which part of the history; everything unless said.
    package var range = HistoryRange()
    /// Metres that a point may be off the line for which it is left out; nil: none is left out.
    package var tolerance: Double?
    /// Where a new track begins.
    package var split = TrackSplit.gap
    /// Where to; nil: standard output.
    package var file: String?
    /// The app of the visits and crossings, as `apps` names it; nil: this program.
    package var app: String?

    /// Everything, as GPX, to standard output.
    package init() {}
}

extension Session {
    /// `locctl export`.
    func export(_ options: ExportOptions) throws(LocctlError) -> ExitCode {
        let (from, to) = try options.range.dates(now: console.now, console.calendar)
        let connection = try connect()
        let signal = StopSignal()
        let output = try OutputFile(options.file)
        var export = TrackExport(
            options.format, tolerance: options.tolerance, split: options.split, console.calendar)
        try writeWaypoints(of: options.app, from, to, connection, &export, output)
        var progress = ExportProgress(from: from, to: to, now: console.now)
        var pages = HistoryPages(self, connection, from: from, to: to)
        while let page = try pages.next() {
            if signal.wait(atMost: .zero) {
                console.noteInterruption()
                return .interrupted
            }
            for (index, location) in page.locations.enumerated() {
                export.append(location, isBehindGap: page.hasGap && index == 0)
            }
            try output.write(export.take())
            if let last = page.locations.last, let text = progress.text(at: last.timestamp, export.count) {
                console.showProgress(text)
            }
        }
        export.finish()
        try output.write(export.take())
        try output.finish()
        console.clearProgress()
        if options.file != nil || export.count == 0 {
            console.tell(export.count == 1 ? "1 location is exported" : "\(export.count) locations are exported")
        }
        return .done
    }

    private func writeWaypoints(
        of app: String?, _ from: WallTime?, _ to: WallTime?, _ connection: LocationConnection,
        _ export: inout TrackExport, _ output: OutputFile
    ) throws(LocctlError) {
        var waypoints = WaypointReader()
        var after: UInt64?
        repeat {
            let page = try asking { () throws(LocationClientError) in
                try connection.historyEvents(of: app, after: after, from: from, to: to)
            }
            for event in page.events {
                for waypoint in waypoints.read(event.event.notification) { export.append(waypoint) }
            }
            try output.write(export.take())
            after = page.next
        } while after != nil
        for waypoint in waypoints.finish() { export.append(waypoint) }
    }
}

/// Makes waypoints of events. An arrival waits for the departure, which tells both.
struct WaypointReader {
    private var arrival: Visit?

    /// The waypoints that an event, or one before it, is.
    mutating func read(_ notification: Notification) -> [Waypoint] {
        switch notification {
        case .didEnterRegion(let crossing): WaypointReader.crossing(.entered, crossing).map { [$0] } ?? []
        case .didExitRegion(let crossing): WaypointReader.crossing(.left, crossing).map { [$0] } ?? []
        case .didVisit(let visit, _): read(visit)
        default: []
        }
    }

    private mutating func read(_ visit: Visit) -> [Waypoint] {
        // A departure of another stay leaves the arrival as it is.
        let unfinished = arrival.flatMap { $0.arrival == visit.arrival ? nil : WaypointReader.stay($0) }
        arrival = visit.departure == nil ? visit : nil
        return [unfinished, visit.departure == nil ? nil : WaypointReader.stay(visit)].compactMap { $0 }
    }

    /// Takes out the arrival that still waits for its departure, as a waypoint; empty: none waits.
    mutating func finish() -> [Waypoint] {
        defer { arrival = nil }
        return arrival.map { [WaypointReader.stay($0)] } ?? []
    }

    private static func stay(_ visit: Visit) -> Waypoint {
        Waypoint(
            .visit, named: "Visit", at: visit.coordinate, horizontalAccuracy: visit.horizontalAccuracy,
            time: visit.arrival, end: visit.departure)
    }

    private static func crossing(_ kind: Waypoint.Kind, _ crossing: RegionCrossing) -> Waypoint? {
        guard let location = crossing.location else { return nil }
        let verb = kind == .entered ? "Entered" : "Left"
        return Waypoint(
            kind, named: "\(verb) \(printable(crossing.region.identifier))", at: location.coordinate,
            altitude: location.altitude, horizontalAccuracy: location.horizontalAccuracy, time: location.timestamp)
    }
}

/// How far an export is, for the person who waits.
struct ExportProgress {
    private var from: WallTime?
    private let to: WallTime

    init(from: WallTime?, to: WallTime?, now: WallTime) {
        self.from = from
        self.to = min(to ?? now, now)
    }

    /// `exporting: [=====>    ] 52 %, 12,345 locations`; nil where there is no telling.
    mutating func text(at time: WallTime, _ count: UInt64) -> String? {
        let begin = from ?? time
        from = begin
        let whole = Double(to.milliseconds - begin.milliseconds)
        guard whole > 0 else { return nil }
        let fraction = min(max(Double(time.milliseconds - begin.milliseconds) / whole, 0), 1)
        let full = Int(fraction * 20)
        let bar = String(repeating: "=", count: full) + String(repeating: " ", count: 20 - full)
        return "exporting: [\(bar)] \(Int(fraction * 100)) %, \(Quantities.grouped(count)) locations"
    }
}
