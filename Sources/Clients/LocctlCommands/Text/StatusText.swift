// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// The screen of `locctl status`.
package enum StatusText {
    /// The screen at the date `now`. `prompts`: how many apps wait for somebody's decision; `ownProcess`: the process
    /// whose connection only asks for this, and is not shown.
    package static func screen(
        _ status: Status, prompts: Int = 0, now: WallTime, _ calendar: LocalCalendar, ownProcess: Int? = nil,
        _ style: Style = Style()
    ) -> String {
        let verdict = Explanation.device(status, now: now, calendar)
        let clients = ClientSearch.shown(in: status.managers ?? [], except: ownProcess)
        var lines = [style.paint(style.wrapped(verdict.sentence()), verdict.role), ""]
        lines += rows(status, clients, prompts: prompts, now: now, calendar).map { name, text in
            style.wrapped(text, behind: leftAligned(name, 10))
        }
        if !clients.isEmpty { lines += [""] + ClientTable.lines(clients, style) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func rows(
        _ status: Status, _ clients: [ManagerStatus], prompts: Int, now: WallTime, _ calendar: LocalCalendar
    ) -> [(String, String)] {
        var rows = [("daemon", daemon(status.daemon))]
        rows += (status.daemon.stateProblems ?? []).map { ("trouble", printable($0)) }
        rows += (status.daemon.stateRepairs ?? []).map { ("repair", printable($0)) }
        if !status.locationServicesEnabled {
            rows.append(("services", "off for the whole device: `locctl services on` switches them on"))
        }
        if prompts > 0 {
            rows.append(("waiting", "\(Quantities.counted(prompts, "app")) for a decision: `locctl requests`"))
        }
        rows.append(("gpsd", gpsd(status.gpsd)))
        if let warning = openness(status.gpsd) { rows.append(("privacy", warning)) }
        let isOn = status.power?.on ?? true
        rows += (status.receivers ?? []).map { ("receiver", receiver($0, isOn: isOn)) }
        rows += (status.providers ?? []).map { ("provider", provider($0)) }
        if let power = status.power {
            rows += self.power(power, isGPSDConnected: status.gpsd.connected, clients, now: now, calendar)
        }
        if let rest = Explanation.rest(status, now: now, calendar) { rows.append(("device", "at rest\(rest)")) }
        let users = (status.apps ?? []).filter(\.isUsingLocation).map { AppTable.name($0) }
        if !users.isEmpty { rows.append(("in use", "by " + users.joined(separator: ", "))) }
        if let fixes = status.fixes { rows.append(("fixes", self.fixes(fixes))) }
        if let history = status.history { rows.append(("history", HistoryText.row(history, now: now, calendar))) }
        rows.append(("clients", connections(status.connections, areShown: status.managers != nil)))
        rows += ConnectionText.notes(status.connections).map { ("", $0) }
        return rows
    }

    // MARK: Rows

    private static func daemon(_ daemon: DaemonStatus) -> String {
        var parts = [
            "locationd \(printable(daemon.version))", "process \(daemon.pid)", "up \(Quantities.time(daemon.uptime))",
        ]
        if let memory = daemon.memory { parts.append("\(Quantities.bytes(memory.resident)) of memory") }
        return parts.joined(separator: ", ")
    }

    private static func gpsd(_ gpsd: GPSDStatus) -> String {
        var parts: [String] = gpsd.address.map { [printable($0)] } ?? []
        let since = gpsd.since.map { " for \(Quantities.time($0))" } ?? ""
        if gpsd.connected {
            parts.append("connected\(since)")
        } else {
            let state = gpsd.state.map { $0 == "disconnected" ? "" : " (\(printable($0)))" } ?? ""
            parts.append("not connected\(since)\(state)")
            if let error = gpsd.lastError { parts.append(printable(error)) }
        }
        return parts.joined(separator: ", ")
    }

    /// That nobody gets locations, whatever was decided; nil: location services are on.
    static func switchedOff(_ status: Status) -> String? {
        guard !status.locationServicesEnabled else { return nil }
        return "location services are off for the whole device, so that no app gets locations: `locctl services on` "
            + "switches them on"
    }

    /// That consent decides nothing as long as gpsd answers everybody; nil: it does not, or that is not told.
    package static func openness(_ gpsd: GPSDStatus) -> String? {
        guard gpsd.openToAll == true else { return nil }
        return "every program here can have the location from gpsd itself, whatever is decided, unless a firewall "
            + "prevents it: see GPSD'S PORT in locationd(8)"
    }

    private static func receiver(_ receiver: ReceiverStatus, isOn: Bool) -> String {
        var name = printable(receiver.path)
        if let driver = receiver.driver { name += " (\(printable(driver)))" }
        guard !receiver.lost else { return "\(name): lost by gpsd" }
        guard isOn else {
            return name + ": off" + (receiver.fixAge.map { ", the last fix \(Quantities.time($0)) ago" } ?? "")
        }
        var parts: [String] = []
        let fix = receiver.mode >= 3 ? "3D fix" : "2D fix"
        switch (Explanation.hasFix(receiver), receiver.fixAge) {
        case _ where receiver.repeatsTime == true: parts.append("it repeats its time, so that its fixes are not taken")
        case (true, let age): parts.append(fix + (age.map { " \(Quantities.time($0)) ago" } ?? ""))
        case (false, let age?): parts.append("no fix now, the last one \(Quantities.time(age)) ago")
        case (false, nil): parts.append("no fix yet")
        }
        if let used = receiver.satellitesUsed, let seen = receiver.satellitesSeen {
            parts.append("\(used) of \(seen) satellites")
        } else if let seen = receiver.satellitesSeen {
            parts.append("\(seen) satellites heard")
        }
        if let rate = receiver.rate { parts.append("\(Quantities.rate(rate)) Hz") }
        return "\(name): \(parts.joined(separator: ", "))"
    }

    private static func provider(_ provider: ProviderStatus) -> String {
        let name = provider.name.map(printable) ?? "a program"
        if let problem = provider.problem { return printable(problem) }
        var parts = [provider.horizontalAccuracy.map { "a place ±\(Quantities.distance($0))" } ?? "a place"]
        if let kind = provider.kind, kind != LocationKind.manual.word { parts.append("by \(printable(kind))") }
        if let rest = provider.remaining { parts.append("for \(Quantities.time(rest)) more") }
        if provider.told { parts.append("told now") }
        return "\(name): \(parts.joined(separator: ", "))"
    }

    /// Whether receivers are on, why, and when they go on next.
    static func policy(_ power: PowerStatus, isGPSDConnected: Bool) -> String {
        let policy =
            switch power.policy {
            case .off: "off"
            case .fullRate where !isGPSDConnected: "wanted at full rate, but gpsd is not connected"
            case .fullRate: power.on ? "on at full rate" : "full rate, not on yet"
            case .dutyCycled where power.on && !isGPSDConnected: "wanted now and then, but gpsd is not connected"
            case .dutyCycled: power.on ? "on now and then, now on" : "on now and then, now asleep"
            }
        let wait = power.nextOn.flatMap { power.on ? nil : "; on again in \(Quantities.time($0))" } ?? ""
        return "\(policy): \(printable(power.reason))\(wait)"
    }

    private static func power(
        _ power: PowerStatus, isGPSDConnected: Bool, _ clients: [ManagerStatus], now: WallTime,
        _ calendar: LocalCalendar
    ) -> [(String, String)] {
        let text = policy(power, isGPSDConnected: isGPSDConnected)
        let users = (power.demands ?? []).map { demand in
            let accuracy = demand.desiredAccuracy.map { Quantities.accuracy($0) + ", " } ?? ""
            let wish = accuracy + ClientTable.word(demand.service)
            guard let connection = demand.connection else { return "\(printable(demand.app ?? "an app")) (\(wish))" }
            let client = clients.first { $0.connection == connection }
            let name = client.map { shortened(ClientTable.name($0), to: 24) }
            return "\(name ?? "connection") #\(connection) (\(wish))"
        }
        let shown = users.prefix(4).joined(separator: ", ")
        let rest = users.count > 4 ? " and \(users.count - 4) more" : ""
        return [("power", text)] + (users.isEmpty ? [] : [("", "for \(shown)\(rest)")])
    }

    private static func fixes(_ fixes: FixesStatus) -> String {
        var text = "\(Quantities.grouped(fixes.accepted)) accepted"
        if let age = fixes.lastFixAge { text += ", the last \(Quantities.time(age)) ago" }
        if let newest = fixes.newestSequence, newest > 0 { text += ", the newest has number \(newest)" }
        let refused = fixes.rejected.filter { $0.value > 0 }.sorted { $0.key < $1.key }
        guard !refused.isEmpty else { return text }
        return text + "; refused: "
            + refused.map { "\(Quantities.grouped($0.value)) \(printable($0.key))" }.joined(separator: ", ")
    }

    private static func connections(_ connections: ConnectionsStatus, areShown: Bool) -> String {
        var text = Quantities.counted(connections.total, "connection")
        if let limit = connections.limit { text += " of at most \(Quantities.grouped(limit))" }
        if let refused = connections.refused, refused > 0 { text += ", \(Quantities.grouped(refused)) refused" }
        return areShown ? text : text + "; whose they are is told only to administrators"
    }

    // MARK: Deferrals

    /// `until 300 m more are travelled or 45 s have passed`.
    static func limits(of deferral: ManagerStatus.Deferral) -> String {
        let distance = deferral.distanceLeft.map { "\(Quantities.distance($0)) more are travelled" }
        let time = deferral.timeLeft.map { "\(Quantities.time($0)) have passed" }
        let limits = [distance, time].compactMap { $0 }
        return limits.isEmpty ? "without a limit" : "until \(limits.joined(separator: " or "))"
    }
}
