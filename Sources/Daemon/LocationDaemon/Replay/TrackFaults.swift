// SPDX-License-Identifier: Apache-2.0
import GPSDSource

/// The lines of a track that are not used as they stand, counted by what is wrong with them.
struct TrackFaults {
    enum Kind: CaseIterable {
        case foreign, sentence, report, length, noTime, date

        fileprivate var words: String {
            switch self {
            case .foreign: "neither an NMEA sentence nor gpsd's JSON"
            case .sentence: "a damaged NMEA sentence"
            case .report: "no whole report of gpsd's, or of one receiver too many"
            case .length: "longer than \(GPSDLineFramer.maximumLength) bytes"
            case .noTime: "a place without a time"
            case .date: "far ahead of those before and after it"
            }
        }
    }

    private var found: [Kind: (count: Int, first: Int)] = [:]

    var isEmpty: Bool { found.isEmpty }

    /// Counts a line by its number, from 1.
    mutating func note(_ kind: Kind, line: Int) { found[kind, default: (0, line)].count += 1 }

    /// A sentence about each kind.
    func sentences(about track: String) -> [String] {
        Kind.allCases.compactMap { kind in
            guard let (count, first) = found[kind] else { return nil }
            let lines =
                count == 1 ? "line \(first) of \(track)" : "\(count) lines of \(track), the first is line \(first)"
            return "cannot \(kind == .date ? "believe the date of" : "use") \(lines): \(kind.words)"
        }
    }
}
