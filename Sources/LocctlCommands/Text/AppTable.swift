// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// The apps in `locctl apps`: a line each, and below it what is worth a word.
package enum AppTable {
    /// The table at the date `now`.
    package static func text(_ apps: [AppStatus], now: WallTime, _ style: Style = Style()) -> String {
        guard !apps.isEmpty else { return "no app is known\n" }
        let nameWidth = max(16, style.width - 52)
        let header = row("app", "may have it", "accuracy", "in use", "last use", nameWidth)
        let lines = apps.flatMap { app in
            [line(app, now: now, nameWidth)]
                + notes(app).map { style.paint(style.wrapped($0, behind: "    "), .aside) }
        }
        return ([style.paint(header, .heading)] + lines).joined(separator: "\n") + "\n"
    }

    /// What `status` is called on the command line, and what has no word there.
    static func word(_ status: AuthorizationStatus) -> String {
        switch status {
        case .notDetermined: "not decided"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorizedAlways: "always"
        case .authorizedWhenInUse: "when in use"
        }
    }

    private static func line(_ app: AppStatus, now: WallTime, _ nameWidth: Int) -> String {
        let lastUse = app.lastUse.map {
            LocationText.ageText(Double(now.milliseconds - $0.milliseconds) / 1000)
        }
        return row(
            shortened(printable(app.app), to: nameWidth),
            word(app.authorizationStatus) + (app.isProvisional ? "*" : ""),
            app.accuracyAuthorization?.word ?? "-", app.isUsingLocation ? "now" : app.isInUse ? "yes" : "no",
            lastUse ?? "never", nameWidth)
    }

    private static func row(
        _ name: String, _ status: String, _ accuracy: String, _ use: String, _ lastUse: String, _ nameWidth: Int
    ) -> String {
        [
            leftAligned(name, nameWidth), leftAligned(status, 12), leftAligned(accuracy, 8), leftAligned(use, 6),
            lastUse,
        ].joined(separator: "  ")
    }

    private static func notes(_ app: AppStatus) -> [String] {
        var notes: [String] = []
        if app.identity != app.app { notes.append(printable(app.identity)) }
        if !app.labels.isEmpty {
            notes.append("calls itself " + app.labels.map { printable($0) }.joined(separator: ", "))
        }
        if app.isProvisional { notes.append("* provisional: allowed until somebody decides") }
        if let who = app.decidedBy { notes.append("decided by \(printable(who))" + (date(app.decidedAt))) }
        let possessions = kept(app)
        if !possessions.isEmpty { notes.append("has " + possessions.joined(separator: ", ")) }
        return notes
    }

    private static func date(_ date: WallTime?) -> String { date.map { " on \($0.rfc3339.prefix(10))" } ?? "" }

    /// `2 regions, visits, 3 events that wait`.
    static func kept(_ app: AppStatus) -> [String] {
        var parts: [String] = []
        if app.connections > 0 { parts.append(Quantities.counted(app.connections, "connection")) }
        if app.regions > 0 { parts.append(Quantities.counted(app.regions, "region")) }
        if app.conditions > 0 { parts.append(Quantities.counted(app.conditions, "condition")) }
        if app.wantsVisits { parts.append("visits") }
        if app.pendingEvents > 0 { parts.append(Quantities.counted(app.pendingEvents, "event") + " not fetched yet") }
        if app.eventsDropped > 0 { parts.append(Quantities.counted(app.eventsDropped, "event") + " lost") }
        return parts
    }
}
