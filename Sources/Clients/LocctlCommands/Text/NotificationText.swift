// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// Lines for people about the daemon's notifications to a client.
package enum NotificationText {
    /// The lines of `notification`; none for one that a person need not see. At most `limit` locations are shown.
    package static func lines(
        _ notification: Notification, now: WallTime, _ calendar: LocalCalendar, limit: Int = .max,
        _ style: Style = Style()
    ) -> [String] {
        switch notification {
        case .didUpdateLocations(let update): lines(update, now: now, calendar, limit, style)
        case .didFailWithError(let error, _, _): [style.paint(sentence(error), .caution)]
        case .didCancelRequest(let number, let cause):
            [style.paint("request \(number) ended\(cause.map { " by \($0.rawValue)" } ?? "")", .caution)]
        case .didFinishDeferredUpdates(let number, let error):
            [style.paint(finish(number, error), error == nil ? .aside : .caution)]
        case .didChangeAuthorization(let change): authorization(change, style)
        case .didPauseLocationUpdates(let reason):
            [style.paint("paused" + (reason.map { ": " + printable($0) } ?? ""), .caution)]
        case .didResumeLocationUpdates(let reason):
            [style.paint("going on" + (reason.map { ": " + printable($0) } ?? ""), .aside)]
        default: EventText.lines(notification, now: now, calendar, style)
        }
    }

    /// The error with Core Location's name and number.
    package static func sentence(_ error: LocationError) -> String {
        "\(printable(error.message)) (\(name(error)))"
    }

    /// Core Location's domain, number and name of it.
    static func name(_ error: LocationError) -> String {
        "\(LocationError.domain) \(error.code.rawValue) \(error.code.name)"
    }

    private static func finish(_ number: UInt64, _ error: LocationError?) -> String {
        guard let error else { return "deferral \(number) is over: distance or time is reached" }
        guard error.code != .deferredCanceled else {
            return "deferral \(number) was called off (\(name(error)))"
        }
        return "deferral \(number) ended early: \(sentence(error))"
    }

    private static func authorization(_ change: AuthorizationChange, _ style: Style) -> [String] {
        let isAllowed = [.authorizedAlways, .authorizedWhenInUse].contains(change.authorizationStatus)
        // The first word comes with the reply that says whether the service runs; that less will come is news.
        guard !change.isInitial || (isAllowed && change.accuracyAuthorization == .reduced) else { return [] }
        let accuracy = change.accuracyAuthorization == .reduced ? ", reduced accuracy" : ""
        let provisional = change.isProvisional ? ", until somebody decides" : ""
        let text = "authorization: \(AppTable.word(change.authorizationStatus))\(accuracy)\(provisional)"
        return [style.paint(text, isAllowed ? .aside : .caution)]
    }

    // MARK: Locations

    private static func lines(
        _ update: LocationUpdate, now: WallTime, _ calendar: LocalCalendar, _ limit: Int, _ style: Style
    ) -> [String] {
        var lines: [String] = []
        if update.hasGap { lines.append(style.paint("some locations before this are no longer kept", .caution)) }
        if update.dropped > 0 {
            let count = Quantities.counted(update.dropped, "older location")
            lines.append(style.paint("\(count) lost: this client did not read in time", .caution))
        }
        if let heading = heading(update, now: now, calendar) { lines.append(style.paint(heading, .aside)) }
        return lines + update.locations.prefix(limit).map { LocationText.line($0, calendar) }
    }

    private static func heading(_ update: LocationUpdate, now: WallTime, _ calendar: LocalCalendar) -> String? {
        guard let first = update.locations.first else { return nil }
        let age = Double(now.milliseconds - first.timestamp.milliseconds) / 1000
        let count = Quantities.counted(update.locations.count, "location")
        if update.isCached { return "last known location, from \(LocationText.ageText(age)):" }
        if update.deferral != nil || update.locations.count > 1 {
            let held = update.deferral == nil ? "\(count) since" : "\(count) held since"
            let early = update.isEarly ? ", early since no more fit" : ""
            let more = update.hasMore ? ", more follow" : ""
            return
                "\(held) \(calendar.moment(first.timestamp, now: now)) (\(LocationText.ageText(age)))\(early)\(more):"
        }
        return nil
    }
}
