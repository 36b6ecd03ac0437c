// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
package import TerminalScreen

/// The picture of `locctl top`, of a state and nothing else.
package struct TopScreen {
    let state: TopState
    let glyphs: TopGlyphs
    let calendar: LocalCalendar

    /// How `state` looks where clocks show what `calendar` says.
    package init(_ state: TopState, _ glyphs: TopGlyphs, _ calendar: LocalCalendar) {
        self.state = state
        self.glyphs = glyphs
        self.calendar = calendar
    }

    /// The picture in so many rows and columns; in few, what finds room from the top.
    package func draw(rows: Int, columns: Int, hasKeys: Bool = true) -> Screen {
        var screen = Screen(rows: rows, columns: columns)
        drawHead(into: &screen)
        let flexible = max(0, rows - 6)
        let upper = min(17, max(7, flexible * 9 / 20))
        let events = max(2, flexible / 5)
        let middle = max(3, flexible - upper - events)
        drawUpper(into: &screen, 3, rows: upper)
        drawMiddle(into: &screen, 4 + upper, rows: middle)
        rule(into: &screen, 4 + upper + middle, 0, columns, "what happened")
        for (index, happening) in state.happenings.prefix(max(0, rows - 6 - upper - middle)).enumerated() {
            let row = 5 + upper + middle + index
            screen.put(calendar.moment(happening.date, now: state.reading.date), row, 0, .aside)
            screen.put(happening.text, row, 10, width: columns - 10, happening.tone)
        }
        if hasKeys { drawKeys(into: &screen) }
        return screen
    }

    func rule(into screen: inout Screen, _ row: Int, _ column: Int, _ columns: Int, _ name: String) {
        guard columns > 0 else { return }
        screen.put(String(repeating: glyphs.rule, count: columns), row, column, .aside)
        screen.put(" \(name) ", row, column + 2, width: columns - 2, .heading)
    }

    // MARK: Head and foot

    private func drawHead(into screen: inout Screen) {
        let now = state.reading.date
        screen.put("locctl top", 0, 0, .heading)
        guard let status = state.reading.status else {
            screen.put(calendar.dateAndTime(now), 0, 12)
            screen.put(fitted("No locationd: \(state.reading.failure ?? "")", screen.columns), 1, 0, .bad)
            return
        }
        let daemon = "locationd \(printable(status.daemon.version)), up \(Quantities.time(status.daemon.uptime))"
        let connections = Quantities.counted(status.connections.total, "connection")
        screen.put("\(calendar.dateAndTime(now))  \(daemon), \(connections)", 0, 12)
        let verdict = Explanation.device(status, now: now, calendar)
        screen.put(fitted(verdict.sentence(), screen.columns), 1, 0, Screen.Tone(verdict.role))
    }

    private func drawKeys(into screen: inout Screen) {
        let on = state.isOn ? "let the receiver off" : "receiver on"
        let keys = [("q", "quit"), ("o", on), ("+ -", "\(state.trackMinutes) min of track"), ("j k", "scroll clients")]
        // In a low terminal a panel may reach down to here.
        screen.put(String(repeating: " ", count: screen.columns), screen.rows - 1, 0)
        var column = 0
        for (key, meaning) in keys {
            screen.put(key, screen.rows - 1, column, .heading)
            screen.put(meaning, screen.rows - 1, column + key.count + 1)
            column += key.count + meaning.count + 4
        }
    }

    /// `text`, with its end left out where it finds no room.
    func fitted(_ text: String, _ columns: Int) -> String {
        guard text.count > columns else { return text }
        return text.prefix(max(0, columns - 3)) + "..."
    }

    // MARK: Position and sky

    private func drawUpper(into screen: inout Screen, _ row: Int, rows: Int) {
        let sky = state.reading.sky
        let plot = SkyPlot(sky.satellites ?? [], glyphs)
        let skyColumns = 2 * rows - 1
        let placeColumns = 31
        let skyColumn = placeColumns + 1
        let signalColumn = skyColumn + skyColumns + 3
        rule(into: &screen, row - 1, 0, placeColumns - 1, "position")
        let lines = positionLines
        for (index, line) in lines.prefix(rows).enumerated() {
            screen.put(line.name, row + index, 0, .aside)
            screen.put(fitted(line.text, placeColumns - 11), row + index, 10, line.tone)
        }
        rule(into: &screen, row - 1, skyColumn, skyColumns + 1, "sky")
        plot.draw(into: &screen, row, skyColumn, rows: rows)
        let signals = screen.columns - signalColumn
        rule(into: &screen, row - 1, signalColumn, signals, signalHeading(plot))
        if plot.satellites.isEmpty {
            let reason = Style(width: max(12, signals)).wrapped(noSky).split(separator: "\n")
            for (index, line) in reason.prefix(rows).enumerated() {
                screen.put(String(line), row + index, signalColumn, .aside)
            }
        }
        plot.drawSignals(into: &screen, row, signalColumn, rows: rows, columns: signals)
    }

    private func signalHeading(_ plot: SkyPlot) -> String {
        let used = plot.satellites.filter(\.used).count
        return plot.satellites.isEmpty ? "signals" : "\(used) of \(plot.satellites.count) used, dB-Hz"
    }

    private var noSky: String {
        guard let status = state.reading.status else { return "" }
        if status.power == nil { return "Not for this user to know." }
        return status.power?.on == true ? "Nothing is heard yet." : "The receiver is off."
    }

    private var positionLines: [(name: String, text: String, tone: Screen.Tone)] {
        guard let location = state.reading.location else {
            return [("", state.reading.status == nil ? "" : state.reading.failure ?? "not known yet", .aside)]
        }
        let age = max(0, Double(state.reading.date.milliseconds - location.timestamp.milliseconds) / 1000)
        var lines: [(String, String, Screen.Tone)] = [
            ("latitude", Quantities.fixed(location.coordinate.latitude, 6), .heading),
            ("longitude", Quantities.fixed(location.coordinate.longitude, 6), .heading),
            ("accuracy", "± \(Quantities.distance(location.horizontalAccuracy))", .plain),
        ]
        if let altitude = location.altitude {
            let error = location.verticalAccuracy.map { " ± \(Quantities.distance($0))" } ?? ""
            lines.append(("altitude", "\(Quantities.fixed(altitude, 1)) m\(error)", .plain))
        }
        if let speed = location.speed {
            lines.append(("speed", "\(Quantities.short(speed)) m/s, \(Quantities.short(speed * 3.6)) km/h", .plain))
        }
        if let course = location.course {
            lines.append(("course", LocationText.courseText(course, aligned: false), .plain))
        }
        lines.append(("age", Quantities.time(age), age > 10 ? .caution : .plain))
        if let device = state.reading.status?.device, device.stationary {
            let since = device.since.map { " since \(calendar.timeOfDay($0))" } ?? ""
            lines.append(("device", "at rest\(since)", .plain))
        }
        guard glyphs == .ascii else { return lines }
        return lines.map { ($0.0, $0.1.replacing("±", with: "+-").replacing("°", with: ""), $0.2) }
    }
}

extension Screen.Tone {
    fileprivate init(_ role: Style.Role) {
        self =
            switch role {
            case .good: .good
            case .caution: .caution
            case .bad: .bad
            case .aside: .aside
            case .heading: .heading
            }
    }
}
