// SPDX-License-Identifier: Apache-2.0
import LocationModel
import TerminalScreen

import func Glibc.cos
import func Glibc.pow

/// A track to scale: north is up, and a metre is as long across as down.
struct TrackPlot {
    private let track: [Location]
    private let glyphs: TopGlyphs

    init(_ track: [Location], _ glyphs: TopGlyphs) {
        self.track = track
        self.glyphs = glyphs
    }

    /// Metres along all of a track; steps within the accuracy are none.
    static func length(of track: [Location]) -> Double {
        var length = 0.0
        var anchor = track.first
        for location in track {
            guard let former = anchor else { break }
            let step = former.coordinate.distance(to: location.coordinate)
            guard step > max(5, location.horizontalAccuracy) else { continue }
            length += step
            anchor = location
        }
        return length
    }

    /// Draws the track, where the device is, and in the last row how long that is.
    func draw(into screen: inout Screen, _ row: Int, _ column: Int, rows: Int, columns: Int) {
        guard let newest = track.last, rows > 1, columns > 3 else { return }
        let height = (rows - 1) * 4
        let width = columns * 2
        let places = track.map { Self.metres($0.coordinate, from: newest.coordinate) }
        let (east, north) = (Self.span(places.map(\.east)), Self.span(places.map(\.north)))
        // No finer than fixes are, or a device at rest would run to and fro.
        let finest = max(newest.horizontalAccuracy, 5) * 4 / Double(min(width, height))
        let scale = max(
            (east.high - east.low) / Double(width - 1), (north.high - north.low) / Double(height - 1), finest)
        let (middleEast, middleNorth) = ((east.low + east.high) / 2, (north.low + north.high) / 2)
        func dot(_ place: (east: Double, north: Double)) -> (x: Int, y: Int) {
            let x = Double(width - 1) / 2 + (place.east - middleEast) / scale
            let y = Double(height - 1) / 2 - (place.north - middleNorth) / scale
            return (min(max(Int(x.rounded()), 0), width - 1), min(max(Int(y.rounded()), 0), height - 1))
        }
        var cells: [Int: UInt8] = [:]
        for place in places.map(dot) {
            cells[place.y / 4 * columns + place.x / 2, default: 0] |= 1 << UInt8(place.x % 2 * 4 + place.y % 4)
        }
        for (cell, bits) in cells {
            screen.put(String(glyphs.dots(bits)), row + cell / columns, column + cell % columns, .accent)
        }
        let device = dot((0, 0))
        screen.put(String(glyphs.device), row + device.y / 4, column + device.x / 2, .good)
        screen.put(ruler(metresPerColumn: scale * 2, columns: columns), row + rows - 1, column, width: columns, .aside)
    }

    /// `|----| 200 m`: a round length that takes no more than a third of the room.
    private func ruler(metresPerColumn: Double, columns: Int) -> String {
        let round = TrackPlot.roundLength(atMost: metresPerColumn * Double(columns) / 3)
        let length = TrackPlot.length(of: track)
        let count = max(2, Int((round / metresPerColumn).rounded()))
        let line = "|" + String(repeating: glyphs.rule, count: count - 2) + "| "
        return line + Quantities.distance(round) + (length > 0 ? ", \(Quantities.distance(length)) in all" : "")
    }

    /// One, two or five times a power of ten metres, at least one metre.
    static func roundLength(atMost most: Double) -> Double {
        var round = 1.0
        while round * 10 <= most { round *= 10 }
        return round * ([5.0, 2].first { $0 * round <= most } ?? 1)
    }

    static func span(_ numbers: [Double]) -> (low: Double, high: Double) {
        (numbers.min() ?? 0, numbers.max() ?? 0)
    }

    /// Metres east and north, flat: a track of an hour is short.
    static func metres(_ place: Coordinate, from origin: Coordinate) -> (east: Double, north: Double) {
        var turn = place.longitude - origin.longitude
        if turn > 180 { turn -= 360 }
        if turn < -180 { turn += 360 }
        return (
            turn * 111_320 * cos(origin.latitude * .pi / 180), (place.latitude - origin.latitude) * 110_574
        )
    }
}
