// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The way of a day as a drawing to scale: north is up, and squares of a round length lie under it.
struct ReportMap {
    private let report: DayReport
    private let stays: [DayReport.Stay]
    private var svg = ExportText()
    private let origin: Coordinate
    private let scale: Double
    private let middle: (east: Double, north: Double)
    private let height: Double
    /// Where something is written already.
    private var taken: [(x: Double, y: Double)] = []

    private static let width = 720.0
    private static let margin = 48.0
    /// Below the way, for the ruler.
    private static let foot = 56.0

    /// nil: there is nothing to draw.
    init?(_ report: DayReport, _ stays: [DayReport.Stay]) {
        guard let origin = report.segments.first?.first?.coordinate else { return nil }
        (self.report, self.stays, self.origin) = (report, stays, origin)
        let places = report.track.map { TrackPlot.metres($0.coordinate, from: origin) }
        let (east, north) = (TrackPlot.span(places.map(\.east)), TrackPlot.span(places.map(\.north)))
        middle = ((east.low + east.high) / 2, (north.low + north.high) / 2)
        // No finer than fixes are, or a device at rest would run to and fro.
        let (across, down) = (max(east.high - east.low, 100), max(north.high - north.low, 100))
        let wide = ReportMap.width - 2 * ReportMap.margin
        let high = min(max(wide * down / across, 220), 560)
        height = high + 2 * ReportMap.margin + ReportMap.foot
        scale = min(wide / across, high / down)
    }

    /// The drawing.
    mutating func draw() -> ExportText {
        svg.append("<svg class=\"map\" viewBox=\"0 0 720 ")
        svg.append(height, places: 0)
        svg.append(
            "\" role=\"img\" aria-labelledby=\"map-title map-text\"><title id=\"map-title\">The way to scale</title><desc id=\"map-text\">"
        )
        svg.append(
            xml: "\(Quantities.distance(report.length)) in \(Quantities.counted(report.segments.count, "part")), with "
                + "\(Quantities.counted(stays.count, "stay")); north is up.")
        svg.append("</desc>\n<defs><clipPath id=\"map-edge\"><rect width=\"720\" height=\"")
        svg.append(height, places: 0)
        svg.append("\" rx=\"12\"/></clipPath></defs><g clip-path=\"url(#map-edge)\">\n")
        drawGround()
        for region in report.regions { draw(region) }
        let lines = report.segments.map(simplified)
        drawAccuracy(lines)
        drawWay(lines)
        svg.append("</g>\n")
        drawStays()
        drawEnds()
        drawHours()
        drawRuler()
        svg.append("</svg>\n")
        return svg
    }

    private func point(_ place: Coordinate) -> (x: Double, y: Double) {
        let metres = TrackPlot.metres(place, from: origin)
        return (
            ReportMap.width / 2 + (metres.east - middle.east) * scale,
            (height - ReportMap.foot) / 2 - (metres.north - middle.north) * scale
        )
    }

    /// Points that are not seen are left out, but not where the band of the accuracy becomes wider or narrower.
    private func simplified(_ segment: [Location]) -> [Location] {
        var simplifier = TrackSimplifier(tolerance: 0.4 / scale)
        var line: [Location] = []
        var accuracy = segment.first?.horizontalAccuracy ?? 0
        for location in segment {
            if abs(location.horizontalAccuracy - accuracy) > max(accuracy / 2, 2 / scale) {
                simplifier.finish { line.append($0) }
                accuracy = location.horizontalAccuracy
            }
            simplifier.append(location) { line.append($0) }
        }
        simplifier.finish { line.append($0) }
        return line
    }

    // MARK: Parts

    private var square: Double { TrackPlot.roundLength(atMost: 150 / scale) * scale }

    private mutating func drawGround() {
        svg.append("<rect class=\"ground\" width=\"720\" height=\"", height, places: 0, "\"/><path class=\"grid\" d=\"")
        // From the ruler's corner on.
        var x = 24.0.truncatingRemainder(dividingBy: square)
        while x < ReportMap.width {
            command("M", x, 0)
            command("V", height)
            x += square
        }
        var y = (height - 24).truncatingRemainder(dividingBy: square)
        while y < height {
            command("M", 0, y)
            command("H", ReportMap.width)
            y += square
        }
        svg.append("\"/>\n")
    }

    private mutating func draw(_ region: Region) {
        var label: (x: Double, y: Double)
        switch region.shape {
        case .circle(let center, let radius):
            let (middle, reach) = (point(center), radius * scale)
            guard isSeen([middle], within: reach) else { return }
            label = (middle.x, middle.y - reach)
            circle("region", middle, radius: reach)
        case .polygon(let polygon):
            let corners = polygon.vertices.map(point)
            guard isSeen(corners, within: 0) else { return }
            label = corners.min { $0.y < $1.y } ?? (0, 0)
            svg.append("<path class=\"region\" d=\"")
            for (index, corner) in corners.enumerated() { command(index == 0 ? "M" : "L", corner.x, corner.y) }
            svg.append("Z\"/>\n")
        // On no map.
        case .beacon: return
        }
        label = (min(max(label.x, 60), ReportMap.width - 60), min(max(label.y - 5, 18), height - 40))
        text(printable(region.identifier), label, "region-name", anchor: "middle")
    }

    private func isSeen(_ places: [(x: Double, y: Double)], within reach: Double) -> Bool {
        places.contains {
            $0.x + reach > 0 && $0.x - reach < ReportMap.width && $0.y + reach > 0 && $0.y - reach < height
        }
    }

    private mutating func drawAccuracy(_ lines: [[Location]]) {
        svg.append("<g class=\"accuracy\">")
        for line in lines {
            for (index, location) in line.enumerated() {
                let place = point(location.coordinate)
                guard index > 0 else {
                    circle("", place, radius: location.horizontalAccuracy * scale)
                    continue
                }
                let former = point(line[index - 1].coordinate)
                svg.append("<path d=\"")
                command("M", former.x, former.y)
                command("L", place.x, place.y)
                svg.append("\" stroke-width=\"")
                svg.append((location.horizontalAccuracy + line[index - 1].horizontalAccuracy) * scale, places: 1)
                svg.append("\"/>")
            }
        }
        svg.append("</g>\n")
    }

    private mutating func drawWay(_ lines: [[Location]]) {
        for (index, line) in lines.enumerated() where index > 0 {
            guard let from = lines[index - 1].last, let to = line.first else { continue }
            path("gap", [from, to])
        }
        for name in ["casing", "way"] { for line in lines { path(name, line) } }
    }

    private mutating func path(_ name: String, _ line: [Location]) {
        svg.append("<path class=\"", text: name, "\" d=\"")
        for (index, location) in line.enumerated() {
            let place = point(location.coordinate)
            command(index == 0 ? "M" : "L", place.x, place.y)
        }
        // A line of one point is a dot, since its ends are round.
        if line.count == 1 { svg.append("h0") }
        svg.append("\"/>\n")
    }

    private mutating func drawStays() {
        for (index, stay) in stays.enumerated() {
            let place = point(stay.coordinate)
            // Several stays at one place have one mark, with the number of the first.
            guard !isTaken(place, within: 16) else { continue }
            taken.append(place)
            circle("stay", place, radius: 12)
            text("\(index + 1)", (place.x, place.y + 5), "stay-number", anchor: "middle")
        }
    }

    private mutating func drawEnds() {
        for (location, word) in [(report.segments.first?.first, "Start"), (report.segments.last?.last, "End")] {
            guard let location else { continue }
            let place = point(location.coordinate)
            guard !isTaken(place, within: 30) else { continue }
            taken.append(place)
            circle("end", place, radius: 6)
            let isRight = place.x < ReportMap.width - 80
            text(word, (place.x + (isRight ? 11 : -11), place.y + 5), "label", anchor: isRight ? "start" : "end")
        }
    }

    private mutating func drawHours() {
        var hour: Substring?
        for location in report.track {
            let shown = report.clock(location.timestamp)
            let former = hour
            hour = shown.prefix(2)
            guard let former, former != shown.prefix(2) else { continue }
            let place = point(location.coordinate)
            guard !isTaken(place, within: 44) else { continue }
            taken.append(place)
            circle("hour", place, radius: 3.5)
            let isRight = place.x < ReportMap.width - 70
            text(shown, (place.x + (isRight ? 8 : -8), place.y - 6), "label", anchor: isRight ? "start" : "end")
        }
    }

    private mutating func drawRuler() {
        svg.append("<path class=\"ruler\" d=\"")
        command("M", 24, height - 30)
        command("V", height - 24)
        command("H", 24 + square)
        command("V", height - 30)
        svg.append("\"/>")
        text(Quantities.distance(square / scale), (24 + square / 2, height - 32), "label", anchor: "middle")
        svg.append("<path class=\"north\" d=\"M684 22l9 24-9-6-9 6z\"/>")
        text("N", (684, 64), "label", anchor: "middle")
    }

    // MARK: Pieces

    private func isTaken(_ place: (x: Double, y: Double), within distance: Double) -> Bool {
        taken.contains { abs($0.x - place.x) < distance && abs($0.y - place.y) < distance }
    }

    private mutating func command(_ letter: String, _ numbers: Double...) {
        svg.append(text: letter)
        for (index, number) in numbers.enumerated() {
            if index > 0 { svg.append(" ") }
            svg.append(number, places: 1)
        }
    }

    private mutating func circle(_ name: String, _ place: (x: Double, y: Double), radius: Double) {
        svg.append("<circle class=\"", text: name, "\" cx=\"")
        svg.append(place.x, places: 1)
        svg.append("\" cy=\"", place.y, places: 1, "\" r=\"")
        svg.append(radius, places: 1)
        svg.append("\"/>")
    }

    private mutating func text(
        _ words: String, _ place: (x: Double, y: Double), _ name: String, anchor: String
    ) {
        svg.append("<text class=\"", text: name, "\" text-anchor=\"")
        svg.append(text: anchor)
        svg.append("\" x=\"", place.x, places: 1, "\" y=\"")
        svg.append(place.y, places: 1)
        svg.append("\">", xml: words, "</text>\n")
    }
}
