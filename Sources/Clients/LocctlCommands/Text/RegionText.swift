// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationProtocol

/// Areas and beacons for people.
package enum RegionText {
    /// `within 100 m of 52.516300, 13.377700`.
    static func shape(_ shape: RegionShape) -> String {
        switch shape {
        case .circle(let center, let radius): "within \(Quantities.distance(radius)) of \(place(center))"
        case .polygon(let polygon):
            "within \(polygon.vertices.count) corners"
                + (polygon.vertices.first.map { ", the first at \(place($0))" } ?? "")
        case .beacon(let beacons): "near beacon " + beacons.text
        }
    }

    /// A line for each region, the names in a column of their own.
    package static func list(_ regions: [Region], _ style: Style = Style()) -> String {
        let names = regions.map { printable($0.identifier) }
        let width = min(24, names.map(\.count).max() ?? 0)
        return zip(regions, names).map { region, name in
            style.wrapped(
                shape(region.shape) + rules(region), behind: leftAligned(shortened(name, to: width), width) + "  ")
                + "\n"
        }
        .joined()
    }

    /// A line for each condition of a monitor.
    static func conditions(
        _ records: [(name: String, shape: RegionShape, lastEvent: ConditionEvent)], now: WallTime,
        _ calendar: LocalCalendar, _ style: Style
    ) -> String {
        let width = min(24, records.map { printable($0.name).count }.max() ?? 0)
        return records.map { record in
            let event = record.lastEvent
            let standing = "\(EventText.standing(event)) since \(calendar.moment(event.date, now: now))"
            let name = leftAligned(shortened(printable(record.name), to: width), width)
            let refinement = event.refinement.flatMap { $0 == record.shape ? nil : $0 }
            let area = shape(record.shape) + (refinement.map { ", refined to what is \(shape($0))" } ?? "")
            return style.wrapped("\(area): \(standing)", behind: name + "  ") + "\n"
        }
        .joined()
    }

    private static func rules(_ region: Region) -> String {
        var rules: [String] = []
        switch (region.notifyOnEntry, region.notifyOnExit) {
        case (true, true): break
        case (false, true): rules.append("only when it goes out")
        case (true, false): rules.append("only when it comes in")
        case (false, false): rules.append("tells the app nothing")
        }
        if let cushion = region.hysteresis.cushion { rules.append("cushion \(Quantities.distance(cushion))") }
        if let dwell = region.hysteresis.dwell { rules.append("dwell \(Quantities.time(dwell.seconds))") }
        if let notice = region.notice { rules.append(self.notice(notice)) }
        return rules.map { ", " + $0 }.joined()
    }

    private static func notice(_ notice: RegionNotice) -> String {
        let crossing =
            switch notice.crossing {
            case .entry: "when it comes in"
            case .exit: "when it goes out"
            case .both: "when it comes in or goes out"
            }
        let text = notice.text.isEmpty ? "" : " (\(printable(notice.text)))"
        return "notice \"\(printable(notice.title))\"\(text) \(crossing)\(notice.repeats ? "" : ", once")"
    }

    private static func place(_ coordinate: Coordinate) -> String {
        "\(Quantities.fixed(coordinate.latitude, 6)), \(Quantities.fixed(coordinate.longitude, 6))"
    }
}
