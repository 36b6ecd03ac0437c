// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// The apps in `locctl apps`: a line each, and below it what is worth a word.
package enum AppTable {
    /// The table at the date `now`.
    package static func text(_ apps: [AppStatus], now: WallTime, _ style: Style = Style()) -> String {
        guard !apps.isEmpty else { return "no app is known\n" }
        let nameWidth = max(16, style.width - 52)
        let header = row("app", "allowed", "accuracy", "uses it", "last use", nameWidth)
        let all = apps.flatMap { app in
            lines(app, now: now, nameWidth)
                + notes(app).map { style.paint(style.wrapped($0, behind: "    "), .aside) }
        }
        return ([style.paint(header, .heading)] + all).joined(separator: "\n") + "\n"
    }

    /// The word for `status` on the command line, or one for a status that has none there.
    static func word(_ status: AuthorizationStatus) -> String {
        switch status {
        case .notDetermined: "not decided"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorizedAlways: "always"
        case .authorizedWhenInUse: "when in use"
        }
    }

    /// An app for people: `uid:1000 (alice)`.
    static func name(_ app: AppStatus) -> String { shown(app.app, user: app.user) }

    // A name that is too long for its column has a line of its own: who would type it needs all of it.
    private static func lines(_ app: AppStatus, now: WallTime, _ nameWidth: Int) -> [String] {
        let name = name(app)
        let isShort = name.count <= nameWidth
        let lastUse = app.lastUse.map {
            LocationText.ageText(Double(now.milliseconds - $0.milliseconds) / 1000)
        }
        let allowed =
            app.isOnce == true ? "once" : word(app.decision ?? app.authorizationStatus) + (app.isProvisional ? "*" : "")
        let row = row(
            isShort ? name : "", allowed, app.accuracyAuthorization?.word ?? "-",
            app.isUsingLocation ? "now" : "no", lastUse ?? "not noted", nameWidth)
        return isShort ? [row] : [name, row]
    }

    private static func row(
        _ name: String, _ status: String, _ accuracy: String, _ use: String, _ lastUse: String, _ nameWidth: Int
    ) -> String {
        [
            leftAligned(name, nameWidth), leftAligned(status, 12), leftAligned(accuracy, 8), leftAligned(use, 7),
            lastUse,
        ].joined(separator: "  ")
    }

    private static func notes(_ app: AppStatus) -> [String] {
        var notes: [String] = []
        if app.identity != app.app { notes.append(printable(app.identity)) }
        if !app.labels.isEmpty {
            notes.append("calls itself " + app.labels.map(claimed).joined(separator: ", "))
        }
        if app.isOnce == true { notes.append("allowed until it is no longer in use") }
        if app.isProvisional { notes.append("* asked for always, was allowed while in use: to be asked once more") }
        if let who = app.decidedBy { notes.append("decided by \(printable(who))" + (date(app.decidedAt))) }
        if let rule = app.rule, app.decision ?? app.authorizationStatus != .notDetermined {
            notes.append("by \(printable(rule)), until somebody decides about it")
        }
        if let former = app.formerUser {
            notes.append(
                "what was decided about it was for \(printable(former)), whose number it was, and no longer holds")
        }
        let possessions = kept(app)
        if !possessions.isEmpty { notes.append("has " + possessions.joined(separator: ", ")) }
        return notes
    }

    private static func date(_ date: WallTime?) -> String { date.map { " on \($0.rfc3339.prefix(10))" } ?? "" }

    /// The sentence about everything that was removed with an app.
    package static func forgotten(_ result: ForgetResult) -> String {
        var parts = result.hadDecision ? ["what was decided about it"] : []
        for (count, noun) in [
            (result.regions, "region"), (result.monitors, "monitor"), (result.conditions, "condition"),
            (result.events, "event"),
        ] where count > 0 { parts.append(Quantities.counted(count, noun)) }
        if result.wantedVisits { parts.append("its wish for visits") }
        let labels = result.labels.map(claimed).joined(separator: ", ")
        if !labels.isEmpty { parts.append("its labels \(labels)") }
        let removed = parts.isEmpty ? "nothing was kept" : "removed: " + parts.joined(separator: ", ")
        return "\(printable(result.app)) is forgotten; \(removed)\n"
    }

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
