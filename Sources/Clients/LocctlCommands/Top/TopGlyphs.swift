// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The characters that pictures are made of.
package enum TopGlyphs: Sendable {
    case unicode
    /// For terminals that show no more.
    case ascii

    /// A satellite: a shape for each system, filled if the fix is made of it.
    func satellite(_ satellite: Satellite) -> Character {
        let (used, other): (Character, Character) =
            switch (self, satellite.system) {
            case (.unicode, .gps): ("●", "○")
            case (.unicode, .galileo): ("■", "□")
            case (.unicode, .glonass): ("▲", "△")
            case (.unicode, .beidou): ("◆", "◇")
            case (.unicode, .sbas): ("★", "☆")
            case (.unicode, .qzss): ("▼", "▽")
            case (.unicode, .imes), (.unicode, .navic), (.unicode, .unknown): ("✚", "+")
            case (.ascii, let system): (system.letter, Character(system.letter.lowercased()))
            }
        return satellite.used ? used : other
    }

    var full: Character { self == .unicode ? "█" : "#" }
    var light: Character { self == .unicode ? "░" : "-" }
    var rule: Character { self == .unicode ? "─" : "-" }
    var horizon: Character { self == .unicode ? "·" : "." }
    var device: Character { self == .unicode ? "◉" : "@" }

    /// Dots in one character: bit 0 is the top left one of two columns and four rows, going down, then to the right.
    func dots(_ bits: UInt8) -> Character {
        guard self == .unicode else { return "*" }
        // Braille counts its seventh and eighth dot in the fourth row.
        let order: [UInt8] = [0, 1, 2, 6, 3, 4, 5, 7]
        let pattern = (0..<8).reduce(UInt32(0)) { bits & (1 << UInt8($1)) == 0 ? $0 : $0 | 1 << UInt32(order[$1]) }
        return Unicode.Scalar(0x2800 + pattern).map(Character.init) ?? "*"
    }
}

extension SatelliteSystem {
    /// As receivers' files name it.
    var letter: Character {
        switch self {
        case .gps: "G"
        case .sbas: "S"
        case .galileo: "E"
        case .beidou: "C"
        case .imes: "M"
        case .qzss: "J"
        case .glonass: "R"
        case .navic: "I"
        case .unknown: "U"
        }
    }
}

extension Satellite {
    /// `G05`.
    var name: String { "\(system.letter)\(number < 10 ? "0" : "")\(number)" }
}
