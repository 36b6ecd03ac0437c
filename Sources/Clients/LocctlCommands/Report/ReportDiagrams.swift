// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The diagrams of a report that have the hours of the day below them.
struct ReportDiagrams {
    private let report: DayReport
    /// Minutes of the day, which has more or fewer than others when clocks change.
    private let minutes: Double

    init(_ report: DayReport) {
        self.report = report
        minutes = Double(report.to.milliseconds - report.from.milliseconds) / 60_000
    }

    // MARK: Strips

    /// A bar of the day with the spans that are filled. `height`: 0 to 1, how much of the bar one fills.
    func strip(
        _ name: String, _ style: String, _ spans: [(from: WallTime, to: WallTime, height: Double)], summary: String,
        labels: [(from: WallTime, to: WallTime, text: String)] = []
    ) -> ExportText {
        var html = begin(name)
        html.append("<div class=\"strip\"><svg preserveAspectRatio=\"none\" role=\"img\" viewBox=\"0 0 ")
        html.append(minutes, places: 0)
        html.append(" 1\"><title>")
        html.append(xml: "\(name): \(summary)")
        html.append("</title>")
        for span in joined(spans) {
            let (x, end) = (report.part(span.from) * minutes, report.part(span.to) * minutes)
            html.append("<rect class=\"", text: style, "\" x=\"")
            html.append(x, places: 2)
            // Shorter than two minutes nobody sees it.
            html.append("\" width=\"")
            html.append(max(end - x, 2), places: 2)
            let height = min(max(span.height, 0.12), 1)
            html.append("\" y=\"", 1 - height, places: 3, "\" height=\"")
            html.append(height, places: 3)
            html.append("\"/>")
        }
        html.append("</svg>")
        for label in labels where report.part(label.to) > report.part(label.from) {
            html.append("<b style=\"left:", report.part(label.from) * 100, places: 2, "%;max-width:")
            html.append((report.part(label.to) - report.part(label.from)) * 100, places: 2)
            html.append("%\">", xml: label.text, "</b>")
        }
        html.append("</div>\n")
        return html
    }

    /// Spans that follow each other with the same height are one, or a browser would leave a seam between them.
    private func joined(
        _ spans: [(from: WallTime, to: WallTime, height: Double)]
    ) -> [(from: WallTime, to: WallTime, height: Double)] {
        spans.reduce(into: []) { joined, span in
            if let last = joined.last, last.to == span.from, last.height == span.height {
                joined[joined.count - 1].to = span.to
            } else {
                joined.append(span)
            }
        }
    }

    /// A bar of the day with a mark at each crossing.
    func marks(_ name: String, _ crossings: [DayReport.Crossing]) -> ExportText {
        var html = begin(name)
        html.append("<div class=\"strip\" aria-hidden=\"true\">")
        for crossing in crossings {
            html.append(crossing.isEntry ? "<i style=\"left:" : "<i class=\"out\" style=\"left:")
            html.append(report.part(crossing.date) * 100, places: 2)
            html.append(crossing.isEntry ? "%\">\u{25B2}</i>" : "%\">\u{25BD}</i>")
        }
        html.append("</div>\n")
        return html
    }

    /// The hours, below what has them.
    func axis() -> ExportText {
        var html = ExportText()
        html.append("<span class=\"name\"></span><div class=\"axis\" aria-hidden=\"true\">")
        for hour in stride(from: 0, through: 24, by: 3) {
            let shown = report.calendar.shownMidnight(of: report.from) + Int64(hour) * 3_600_000
            let date = hour == 24 ? report.to : report.calendar.date(shown: shown)
            html.append(hour % 6 == 0 ? "<span style=\"left:" : "<span class=\"odd\" style=\"left:")
            html.append(report.part(date) * 100, places: 2)
            html.append("%\">", text: report.clock(date), "</span>")
        }
        html.append("</div>\n")
        return html
    }

    private func begin(_ name: String) -> ExportText {
        var html = ExportText()
        html.append("<span class=\"name\">", xml: name, "</span>")
        return html
    }

    // MARK: Curves

    /// A curve over the day, of the mean of each two minutes; nil: no location has the value.
    ///
    /// - Parameter isFromZero: The lowest line is zero.
    func chart(
        _ name: String, unit: String, isFromZero: Bool, _ value: (Location) -> Double?
    ) -> ExportText? {
        let curves = report.segments.map { means(of: $0, value) }.filter { !$0.isEmpty }
        let values = curves.flatMap { $0.map(\.value) }
        guard let least = values.min(), let most = values.max() else { return nil }
        let low = isFromZero ? 0 : least - max(1, (most - least) * 0.1)
        let high = max(most + (most - low) * 0.15, low + 1)
        func y(_ value: Double) -> Double { (high - value) / (high - low) * 100 }
        var html = begin(name)
        html.append("<div class=\"chart\"><svg preserveAspectRatio=\"none\" role=\"img\" viewBox=\"0 0 ")
        html.append(minutes, places: 0)
        html.append(" 100\"><title>")
        html.append(
            xml: "\(name): \(Quantities.fixed(least, 0)) to \(Quantities.fixed(most, 0)) \(unit)")
        html.append("</title>")
        // Words of lines that are near to each other would lie on each other.
        let rules = isFromZero || y(least) - y(most) < 20 ? [most] : [least, most]
        for rule in rules {
            html.append("<path class=\"rule\" d=\"M0 ", y(rule), places: 1, "H")
            html.append(minutes, places: 0)
            html.append("\"/>")
        }
        for curve in curves {
            append(curve, to: &html, "area", y, isClosed: true)
            append(curve, to: &html, "curve", y, isClosed: false)
        }
        html.append("</svg>")
        for rule in rules {
            html.append("<span style=\"top:", y(rule), places: 1, "%;transform:translateY(-100%)\">")
            html.append(xml: "\(Quantities.fixed(rule, 0)) \(unit)")
            html.append("</span>")
        }
        html.append("</div>\n")
        return html
    }

    private func append(
        _ curve: [(minute: Double, value: Double)], to html: inout ExportText, _ name: String, _ y: (Double) -> Double,
        isClosed: Bool
    ) {
        guard let first = curve.first, let last = curve.last else { return }
        html.append("<path class=\"", text: name, "\" d=\"M")
        html.append(first.minute, places: 1)
        html.append(" ")
        if isClosed { html.append("100L") } else { html.append(y(first.value), places: 1) }
        for (index, point) in curve.enumerated() where isClosed || index > 0 {
            if index > 0 { html.append("L") }
            html.append(point.minute, places: 1)
            html.append(" ")
            html.append(y(point.value), places: 1)
        }
        if isClosed {
            html.append("L", last.minute, places: 1, " 100Z")
        } else if curve.count == 1 {
            html.append("h0")
        }
        html.append("\"/>")
    }

    private func means(
        of segment: [Location], _ value: (Location) -> Double?
    ) -> [(minute: Double, value: Double)] {
        var means: [(minute: Double, value: Double)] = []
        var (bin, sum, count) = (-1.0, 0.0, 0.0)
        func flush() { if count > 0 { means.append((min(bin * 2 + 1, minutes), sum / count)) } }
        for location in segment {
            guard let value = value(location), value.isFinite else { continue }
            let next = (report.part(location.timestamp) * minutes / 2).rounded(.down)
            if next != bin {
                flush()
                (bin, sum, count) = (next, 0, 0)
            }
            (sum, count) = (sum + value, count + 1)
        }
        flush()
        return means
    }
}
