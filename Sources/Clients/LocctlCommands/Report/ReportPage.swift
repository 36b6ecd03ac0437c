// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// A report of a day as one file of HTML, which needs nothing else: no script, no picture, no font.
package struct ReportPage {
    private let report: DayReport
    private let stays: [DayReport.Stay]
    private let receiver: ReceiverDay
    private let diagrams: ReportDiagrams
    private var html = ExportText()

    /// The report of a day of which everything is there.
    package init(_ report: DayReport) {
        self.report = report
        stays = report.stays
        receiver = ReceiverDay(report.ledger)
        diagrams = ReportDiagrams(report)
    }

    /// The file.
    package mutating func write() -> [UInt8] {
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n")
        html.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>")
        html.append(xml: title)
        html.append("</title>\n<style>\n")
        html.append(ReportStyle.text)
        html.append("</style>\n</head>\n<body>\n<main>\n")
        writeHead()
        writeMap()
        writeDay()
        writeCurves()
        writeStays()
        writeCrossings()
        writeReceiver()
        writeApps()
        html.append("<footer>Made by locctl ", xml: locationdVersion, " from ")
        html.append(text: Quantities.counted(report.count, "location"))
        html.append(
            ". Nothing in this file was fetched from elsewhere, and it fetches nothing.</footer>\n</main>\n</body>\n</html>\n"
        )
        return html.take()
    }

    // MARK: The head

    private var title: String {
        let date = report.calendar.dateAndTime(report.from).prefix(10)
        return "\(ReportPage.weekday(report.calendar.shownMidnight(of: report.from))), \(date)"
    }

    private static func weekday(_ milliseconds: Int64) -> String {
        // The first of January 1970 was a Thursday.
        let names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
        let day = Int((Double(milliseconds) / 86_400_000).rounded(.down))
        return names[(day % 7 + 7) % 7]
    }

    private mutating func writeHead() {
        html.append("<header><h1>", xml: title, "</h1>\n<p>Where this device was, and who asked.</p>\n")
        for remark in report.remarks {
            html.append("<p class=\"note\">", xml: remark, "</p>\n")
        }
        html.append("</header>\n<dl class=\"tiles\">\n")
        let speeds = report.track.compactMap(\.speed)
        let altitudes = report.track.compactMap(\.altitude)
        tile("Way", Quantities.distance(report.length))
        tile("Stays", "\(stays.count)")
        if let fastest = speeds.max() { tile("Fastest", "\(Quantities.fixed(fastest * 3.6, 0)) km/h") }
        if let low = altitudes.min(), let high = altitudes.max() {
            tile("Altitude", "\(Quantities.fixed(low, 0))\u{2013}\(Quantities.fixed(high, 0)) m")
        }
        if let from = report.track.first, let to = report.track.last {
            tile("Located", "\(report.clock(from.timestamp))\u{2013}\(report.clock(to.timestamp))")
        }
        if receiver.device.seconds > 0 { tile("Receiver on", Quantities.time(receiver.device.seconds)) }
        html.append("</dl>\n")
    }

    private mutating func tile(_ name: String, _ value: String) {
        html.append("<div><dt>", xml: name, "</dt><dd>")
        html.append(xml: value)
        html.append("</dd></div>\n")
    }

    // MARK: Diagrams

    private mutating func section(_ title: String) {
        html.append("<section><h2>", xml: title, "</h2>\n")
    }

    private mutating func writeMap() {
        section("The way")
        if var map = ReportMap(report, stays) {
            html.append(map.draw())
            html.append(
                "<p class=\"note\">The pale band is how exactly each place is known; dots lead over times in which the device was not seen.</p>"
            )
        } else {
            html.append("<p>No locations are kept of this day.</p>")
        }
        html.append("</section>\n")
    }

    private mutating func writeDay() {
        section("The day")
        html.append("<div class=\"day\">\n")
        html.append(
            diagrams.strip(
                "Stays", "stays", stays.map { ($0.from ?? report.from, $0.to ?? report.to, 1) },
                summary: "\(stays.count), listed below",
                labels: stays.enumerated().map { index, stay in
                    let name = report.name(of: stay).map { " \($0)" } ?? ""
                    return (stay.from ?? report.from, stay.to ?? report.to, "\(index + 1)\(name)")
                }))
        if !report.crossings.isEmpty {
            html.append(diagrams.marks("Crossings \u{25B2} in \u{25BD} out", report.crossings))
        }
        let seen = report.segments.compactMap { segment -> (from: WallTime, to: WallTime, height: Double)? in
            guard let first = segment.first, let last = segment.last else { return nil }
            return (first.timestamp, last.timestamp, 1)
        }
        html.append(
            diagrams.strip(
                "Located", "seen", seen, summary: Quantities.counted(report.segments.count, "time")))
        if receiver.device.seconds > 0 { html.append(strip(of: receiver.device, "device")) }
        for app in receiver.apps.prefix(ReportPage.shownApps) where app.seconds > 0 {
            html.append(strip(of: app, "app"))
        }
        html.append(diagrams.axis())
        html.append("</div>\n</section>\n")
    }

    /// Apps that have a bar of their own; the table has all.
    private static let shownApps = 8

    private func strip(of holder: ReceiverDay.Holder, _ style: String) -> ExportText {
        let stretch = LedgerEntry.stretch.seconds
        let spans = holder.receiver.sorted { $0.key < $1.key }.filter { $0.value > 0 }.map { start, seconds in
            let end = WallTime(milliseconds: start.milliseconds + Int64(stretch * 1000))
            return (from: start, to: end, height: seconds / stretch)
        }
        return diagrams.strip(
            holder.name, style, spans, summary: "the receiver was on for \(Quantities.time(holder.seconds))")
    }

    private mutating func writeCurves() {
        let curves = [
            diagrams.chart("Speed", unit: "km/h", isFromZero: true) { $0.speed.map { $0 * 3.6 } },
            diagrams.chart("Altitude", unit: "m", isFromZero: false) { $0.altitude },
        ].compactMap { $0 }
        guard !curves.isEmpty else { return }
        section("Speed and altitude")
        html.append("<div class=\"day\">\n")
        for curve in curves { html.append(curve) }
        html.append(diagrams.axis())
        html.append("</div>\n</section>\n")
    }

    // MARK: Tables

    private mutating func table(_ heads: [(name: String, isNumber: Bool)], _ rows: [[String]]) {
        html.append("<div class=\"scroll\"><table><thead><tr>")
        for head in heads { cell("th", head.name, head.isNumber, " scope=\"col\"") }
        html.append("</tr></thead><tbody>\n")
        for row in rows {
            html.append("<tr>")
            for (head, text) in zip(heads, row) { cell("td", text, head.isNumber, "") }
            html.append("</tr>\n")
        }
        html.append("</tbody></table></div>\n")
    }

    private mutating func cell(_ name: String, _ text: String, _ isNumber: Bool, _ more: String) {
        html.append("<")
        html.append(text: name + more)
        if isNumber { html.append(" class=\"number\"") }
        html.append(">", xml: text, "</")
        html.append(text: name)
        html.append(">")
    }

    private mutating func writeStays() {
        guard !stays.isEmpty else { return }
        section("Stays")
        table(
            [("No.", true), ("From", false), ("To", false), ("For", true), ("Where", false)],
            stays.enumerated().map { index, stay in
                let place =
                    "\(Quantities.fixed(stay.coordinate.latitude, 5)), \(Quantities.fixed(stay.coordinate.longitude, 5))"
                let span = stay.from.flatMap { from in
                    stay.to.map { Double($0.milliseconds - from.milliseconds) / 1000 }
                }
                return [
                    "\(index + 1)", stay.from.map(moment) ?? "before", stay.to.map(moment) ?? "goes on",
                    span.map(Quantities.time) ?? "", report.name(of: stay).map { "\($0) (\(place))" } ?? place,
                ]
            })
        html.append("</section>\n")
    }

    /// A time of the day, or a date.
    private func moment(_ date: WallTime) -> String {
        date >= report.from && date <= report.to
            ? report.clock(date) : String(report.calendar.dateAndTime(date).prefix(16))
    }

    private mutating func writeCrossings() {
        guard !report.crossings.isEmpty else { return }
        section("Crossings")
        table(
            [("At", false), ("Crossing", false), ("Region", false)],
            report.crossings.map { crossing in
                [
                    report.calendar.timeOfDay(crossing.date), crossing.isEntry ? "\u{25B2} entered" : "\u{25BD} left",
                    printable(crossing.region.identifier),
                ]
            })
        html.append("</section>\n")
    }

    private mutating func writeReceiver() {
        let spans = receiver.spans
        guard !spans.isEmpty else { return }
        section("When the receiver was on")
        table(
            [("From", false), ("To", false), ("On for", true), ("Apps that needed it", false)],
            spans.map { span in
                [
                    report.clock(span.from), report.clock(span.to), Quantities.time(span.seconds),
                    span.apps.joined(separator: ", "),
                ]
            })
        html.append("<p class=\"note\">Accounted for in stretches of five minutes.</p></section>\n")
    }

    private mutating func writeApps() {
        section("Who was told what")
        if receiver.apps.isEmpty {
            html.append("<p>Nobody was told anything of which there is a record.</p>\n")
        } else {
            table(
                [
                    ("App", false), ("Locations", true), ("Live updates", true), ("Crossings, visits", true),
                    ("Receiver on for it", true),
                ],
                receiver.apps.map { app in
                    [
                        app.name, Quantities.grouped(app.locations), Quantities.grouped(app.liveUpdates),
                        Quantities.grouped(app.events), app.seconds > 0 ? Quantities.time(app.seconds) : "never",
                    ]
                })
        }
        if !report.seesAll {
            html.append("<p class=\"note\">Of other apps than this user's own, only administrators are told.</p>\n")
        }
        html.append("</section>\n")
    }
}
