// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationProtocol

/// A location for people: a line of a list, or a block of its own.
package enum LocationText {
    /// One line of at most 80 columns; the columns of one line stand under those of the other.
    package static func line(_ location: Location, _ calendar: LocalCalendar) -> String {
        let place = placeText(location, aligned: true)
        let accuracy = "±" + Quantities.distance(location.horizontalAccuracy)
        let altitude = location.altitude.map { Quantities.fixed($0, 0) + " m" } ?? "-"
        let speed = location.speed.map { speedText($0, aligned: true) } ?? "-"
        let course = location.course.map { courseText($0, aligned: true) } ?? "-"
        let error = leftAligned(accuracy, 7) + " " + rightAligned(altitude, 7)
        let line = [
            calendar.timeOfDay(location.timestamp) + " " + place, error, rightAligned(speed, 19),
            rightAligned(course, 7),
        ].joined(separator: "  ")
        guard !location.isSimulatedBySoftware else { return line + " simulated" }
        guard location.kind == .receiver else { return "\(line) \(location.kind.word)" }
        return line.hasSuffix(" ") ? String(line.dropLast()) : line
    }

    /// Some lines that say all there is to say at the moment `now`.
    package static func block(_ location: Location, now: WallTime, _ calendar: LocalCalendar) -> String {
        var lines = [
            row("place", placeText(location, aligned: false), "±" + Quantities.distance(location.horizontalAccuracy))
        ]
        if let altitude = location.altitude {
            let error = location.verticalAccuracy.map { "±" + Quantities.distance($0) } ?? ""
            lines.append(row("altitude", "\(Quantities.fixed(altitude, 1)) m above mean sea level", error))
        }
        if let speed = location.speed {
            let error = location.speedAccuracy.map { "±\(Quantities.fixed($0, 1)) m/s" } ?? ""
            lines.append(row("speed", speedText(speed, aligned: false), error))
        }
        if let course = location.course {
            let error = location.courseAccuracy.map { "±\(Quantities.short($0))°" } ?? ""
            lines.append(row("course", courseText(course, aligned: false), error))
        }
        let age = Double(now.milliseconds - location.timestamp.milliseconds) / 1000
        lines.append(row("time", calendar.dateAndTime(location.timestamp), ageText(age)))
        if location.isSimulatedBySoftware { lines.append(row("source", "simulated by software", "")) }
        if location.kind != .receiver { lines.append(row("source", sourceText(location), "")) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Of a location that no receiver measured.
    private static func sourceText(_ location: Location) -> String {
        let words = location.kind == .manual ? "set by hand" : "provided (\(location.kind.word))"
        return location.isCoarse ? words + ", known only roughly" : words
    }

    /// `3 s ago`; a location that seems to come from the future says that clocks disagree.
    static func ageText(_ seconds: Double) -> String {
        seconds > -1.5
            ? "\(Quantities.time(seconds)) ago"
            : "\(Quantities.time(-seconds)) ahead of this system's clock"
    }

    /// `44.990138, -30.009287 ±3.2 m`.
    static func place(_ coordinate: Coordinate, accuracy: Double) -> String {
        "\(placeText(coordinate, accuracy, aligned: false)) ±\(Quantities.distance(accuracy))"
    }

    private static func row(_ name: String, _ value: String, _ error: String) -> String {
        leftAligned(name, 10) + value + (error.isEmpty ? "" : "  " + error)
    }

    private static func placeText(_ location: Location, aligned: Bool) -> String {
        placeText(location.coordinate, location.horizontalAccuracy, aligned: aligned)
    }

    // As many digits as the accuracy deserves: 0.00001 degrees are a metre.
    private static func placeText(_ coordinate: Coordinate, _ accuracy: Double, aligned: Bool) -> String {
        let places =
            switch accuracy {
            case ..<0.1: 8
            case ..<1: 7
            case ..<20: 6
            case ..<200: 5
            default: 4
            }
        let latitude = Quantities.fixed(coordinate.latitude, places)
        let longitude = Quantities.fixed(coordinate.longitude, places)
        guard aligned else { return "\(latitude), \(longitude)" }
        // The decimal points under each other, with room for six places.
        let blanks = String(repeating: " ", count: max(0, 6 - places))
        return rightAligned("\(latitude)," + blanks, 11) + " " + rightAligned(longitude + blanks, 11)
    }

    private static func speedText(_ speed: Double, aligned: Bool) -> String {
        let metric = Quantities.fixed(speed, 1) + " m/s"
        let road = Quantities.fixed(speed * 3.6, 1) + " km/h"
        return aligned ? road + rightAligned(metric, 9) : "\(road) (\(metric))"
    }

    static func courseText(_ course: Double, aligned: Bool) -> String {
        guard (0...360).contains(course) else { return "-" }
        let degrees = Int(course.rounded()) % 360
        return "\(degrees)° " + leftAligned(Quantities.wind(course), aligned ? 2 : 0)
    }
}
