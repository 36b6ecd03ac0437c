// SPDX-License-Identifier: Apache-2.0
import LocationModel
import TerminalScreen

import func Glibc.cos
import func Glibc.sin

/// The sky above the device: north is up, the horizon is the ring, and the zenith its middle; and how loud satellites are.
struct SkyPlot {
    let satellites: [Satellite]
    let glyphs: TopGlyphs

    /// A satellite that sends several signals counts once, by the loudest; used ones first, then louder ones.
    init(_ all: [Satellite], _ glyphs: TopGlyphs) {
        self.glyphs = glyphs
        var loudest: [String: Satellite] = [:]
        for satellite in all {
            guard let known = loudest[satellite.name] else {
                loudest[satellite.name] = satellite
                continue
            }
            var best = (satellite.signal ?? -1) > (known.signal ?? -1) ? satellite : known
            best.used = known.used || satellite.used
            loudest[satellite.name] = best
        }
        satellites = loudest.values.sorted { one, other in
            if one.used != other.used { return one.used }
            let (loud, soft) = (one.signal ?? -1, other.signal ?? -1)
            return loud == soft ? one.name < other.name : loud > soft
        }
    }

    /// Draws the sky into a square of `rows` rows, whose columns are half as wide as its rows are high.
    func draw(into screen: inout Screen, _ row: Int, _ column: Int, rows: Int) {
        let radius = Double(rows - 1) / 2
        func put(_ character: Character, elevation: Double, azimuth: Double, _ tone: Screen.Tone) {
            let distance = (90 - max(0, elevation)) / 90 * radius
            let angle = azimuth * .pi / 180
            let down = (radius - distance * cos(angle)).rounded()
            let right = (2 * (radius + distance * sin(angle))).rounded()
            screen.put(String(character), row + Int(down), column + Int(right), tone)
        }
        for azimuth in stride(from: 0.0, to: 360, by: 6) {
            put(glyphs.horizon, elevation: 0, azimuth: azimuth, .aside)
            put(glyphs.horizon, elevation: 45, azimuth: azimuth, .aside)
        }
        for (letter, azimuth) in [("N", 0.0), ("E", 90), ("S", 180), ("W", 270)] as [(Character, Double)] {
            put(letter, elevation: 0, azimuth: azimuth, .aside)
        }
        // Those that are used last, so that no other covers them.
        for satellite in satellites.reversed() {
            guard let elevation = satellite.elevation, let azimuth = satellite.azimuth else { continue }
            put(
                glyphs.satellite(satellite), elevation: elevation, azimuth: azimuth,
                satellite.used ? .good : .caution)
        }
    }

    /// Draws a bar for each satellite, in one column or two, and says how many find no room.
    func drawSignals(into screen: inout Screen, _ row: Int, _ column: Int, rows: Int, columns: Int) {
        let stacks = columns >= 2 * SkyPlot.barColumns + 2 && satellites.count > rows ? 2 : 1
        let width = (columns - 2 * (stacks - 1)) / stacks
        let room = rows * stacks
        let shown = satellites.count > room ? room - 1 : satellites.count
        for (index, satellite) in satellites.prefix(shown).enumerated() {
            let left = column + index / rows * (width + 2)
            screen.put(
                String(glyphs.satellite(satellite)), row + index % rows, left, satellite.used ? .good : .caution)
            screen.put(bar(satellite, columns: width - 2), row + index % rows, left + 2)
        }
        guard shown < satellites.count else { return }
        let left = column + shown / rows * (width + 2)
        screen.put("and \(satellites.count - shown) more", row + shown % rows, left, width: width, .aside)
    }

    /// The fewest columns of a bar with its name.
    private static let barColumns = 18
    /// No satellite is much louder, dB-Hz.
    private static let loudest = 50.0

    private func bar(_ satellite: Satellite, columns: Int) -> String {
        guard let signal = satellite.signal, signal > 0 else { return "\(leftAligned(satellite.name, 4)) not heard" }
        let room = max(1, columns - 8)
        let length = min(room, max(1, Int((signal / SkyPlot.loudest * Double(room)).rounded())))
        let bar = String(repeating: satellite.used ? glyphs.full : glyphs.light, count: length)
        return
            "\(leftAligned(satellite.name, 4)) \(leftAligned(bar, room)) \(rightAligned("\(Int(signal.rounded()))", 2))"
    }
}
