// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// Lines for people about regions, visits, monitors, live updates, headings and beacons, as the daemon tells of them.
package enum EventText {
    /// The lines of `notification` at the date `now`; none for one that a person need not see.
    package static func lines(
        _ notification: Notification, now: WallTime, _ calendar: LocalCalendar, _ style: Style = Style()
    ) -> [String] {
        switch notification {
        case .didEnterRegion(let crossing): [crossed("entered", crossing, now: now, calendar)]
        case .didExitRegion(let crossing): [crossed("left", crossing, now: now, calendar)]
        case .didDetermineState(let region, let state): ["\(printable(region.identifier)): \(state.word)"]
        case .didStartMonitoring(let region):
            ["\(printable(region.identifier)) is watched: \(RegionText.shape(region.shape))"]
        case .monitoringDidFail(let region, let error):
            [style.paint("\(printable(region.identifier)): \(NotificationText.sentence(error))", .caution)]
        case .noticeRaised(let notice):
            ["notice \"\(printable(notice.title))\" of \(printable(notice.region)), not shown yet"]
        case .didVisit(let visit, _): [self.visit(visit, now: now, calendar)]
        case .monitorEvent(let event): [condition(event, now: now, calendar)]
        case .didUpdate(let update): live(update, calendar, style)
        case .didUpdateHeading(let heading): [self.heading(heading, calendar)]
        case .didRangeBeacons(let beacons, _): ranged(beacons, now: now, calendar, style)
        case .rangingDidFail(_, let error): [style.paint(NotificationText.sentence(error), .caution)]
        default: []
        }
    }

    // MARK: Places

    private static func crossed(
        _ verb: String, _ crossing: RegionCrossing, now: WallTime, _ calendar: LocalCalendar
    ) -> String {
        let name = "\(verb) \(printable(crossing.region.identifier))"
        guard let moment = crossing.moment else { return name }
        let place = crossing.location.map {
            ", at " + LocationText.place($0.coordinate, accuracy: $0.horizontalAccuracy)
        }
        return "\(calendar.moment(moment, now: now))  \(name)\(place ?? "")"
    }

    static func visit(_ visit: Visit, now: WallTime, _ calendar: LocalCalendar) -> String {
        let place = LocationText.place(visit.coordinate, accuracy: visit.horizontalAccuracy)
        let times =
            switch (visit.arrival, visit.departure) {
            case (let arrival?, let departure?):
                "\(calendar.moment(arrival, now: now)) to \(calendar.moment(departure, now: arrival)), "
                    + duration(from: arrival, to: departure)
            case (let arrival?, nil): "since \(calendar.moment(arrival, now: now)), \(duration(from: arrival, to: now))"
            case (nil, let departure?): "until \(calendar.moment(departure, now: now)), arrival not known"
            case (nil, nil): "arrival and departure not known"
            }
        return "\(times)  at \(place)"
    }

    private static func duration(from start: WallTime, to end: WallTime) -> String {
        Quantities.time(Double(end.milliseconds - start.milliseconds) / 1000)
    }

    private static func condition(_ event: MonitorEvent, now: WallTime, _ calendar: LocalCalendar) -> String {
        let name = [event.name, event.identifier].compactMap { $0.map(printable) }.joined(separator: "/")
        let area = event.content.refinement.map { " (\(RegionText.shape($0)))" } ?? ""
        return "\(calendar.moment(event.content.date, now: now))  \(name)\(area) is \(standing(event.content))"
    }

    /// `satisfied, accuracy limited`.
    static func standing(_ event: ConditionEvent) -> String {
        ([event.state.word] + words(event.flags)).joined(separator: ", ")
    }

    // MARK: Streams

    private static func live(_ update: LiveUpdate, _ calendar: LocalCalendar, _ style: Style) -> [String] {
        var lines = update.location.map { [LocationText.line($0, calendar)] } ?? []
        let flags = words(update.flags).joined(separator: ", ")
        if update.location == nil {
            lines.append(style.paint("no location" + (flags.isEmpty ? "" : ": \(flags)"), .caution))
        } else if !flags.isEmpty {
            lines.append(style.paint(flags, .caution))
        }
        if update.isStationary { lines.append(style.paint("the device rests: silence until it moves", .aside)) }
        return lines
    }

    private static func heading(_ heading: Heading, _ calendar: LocalCalendar) -> String {
        var parts = [calendar.timeOfDay(heading.timestamp)]
        for (kind, degrees) in [("true", heading.trueHeading), ("magnetic", heading.magneticHeading)] {
            if let degrees { parts.append("\(kind) \(LocationText.courseText(degrees, aligned: false))") }
        }
        if let accuracy = heading.headingAccuracy { parts.append("±\(Quantities.short(accuracy))°") }
        return parts.joined(separator: "  ")
    }

    private static func ranged(
        _ beacons: [RangedBeacon], now: WallTime, _ calendar: LocalCalendar, _ style: Style
    ) -> [String] {
        guard !beacons.isEmpty else { return [style.paint("\(calendar.timeOfDay(now))  no beacon is heard", .aside)] }
        return beacons.map { ranged in
            let distance =
                ranged.proximity == .unknown
                ? "distance not known"
                : "\(ranged.proximity.rawValue), about \(Quantities.distance(ranged.accuracy)), \(ranged.rssi) dBm"
            let beacon = ranged.beacon
            return
                "\(calendar.timeOfDay(ranged.timestamp))  \(printable(beacon.uuid)) \(beacon.major) \(beacon.minor)  "
                + distance
        }
    }

    // `authorizationDeniedGlobally` is read as `authorization denied globally`.
    private static func words(_ flags: DiagnosticFlags) -> [String] {
        flags.names.map { name in
            name.map { $0.isUppercase ? " " + $0.lowercased() : String($0) }.joined()
        }
    }
}
