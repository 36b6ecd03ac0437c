// SPDX-License-Identifier: Apache-2.0
import LocationModel
package import LocationProtocol

/// The text of a place in the form of GeoClue's static source, `/etc/geolocation`: latitude, longitude, altitude and accuracy, one on
/// each line; `#` begins a comment.
package enum GeolocationText {
    /// Why a text says no place, completes "cannot use FILE: ".
    package struct Fault: Error, Sendable, Hashable {
        package let reason: String

        /// That `reason` is in the way.
        package init(reason: String) { self.reason = reason }
    }

    /// No such text is longer, in bytes.
    package static let maximumLength = 4096

    private static let names = ["latitude", "longitude", "altitude", "accuracy"]
    private static let ranges = [-90.0...90, -180.0...180, -12_000.0...100_000, 0.0...20_000_000]
    /// An accuracy of 0 means "exactly", which nothing is.
    private static let bestAccuracy = 0.01

    /// The place that the text says; nil: it says nothing.
    package static func place(in text: String) throws(Fault) -> OfferedLocation? {
        var numbers: [Double] = []
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { isBlank($0) }
            guard let word = words.first else { continue }
            guard numbers.count < names.count else {
                throw Fault(reason: "line \(index + 1) is one too many: allowed are \(names.joined(separator: ", "))")
            }
            let range = ranges[numbers.count]
            guard words.count == 1, let number = Double(String(Substring(word))), range.contains(number) else {
                throw Fault(
                    reason: "line \(index + 1) has no \(names[numbers.count]): allowed is a number from "
                        + "\(Int(range.lowerBound)) to \(Int(range.upperBound))")
            }
            numbers.append(number)
        }
        guard !numbers.isEmpty else { return nil }
        guard numbers.count == names.count else {
            throw Fault(reason: "it has no \(names[numbers.count]): \(names.joined(separator: ", ")) are needed")
        }
        let accuracy = max(numbers[3], bestAccuracy)
        return OfferedLocation(
            coordinate: Coordinate(latitude: numbers[0], longitude: numbers[1]), horizontalAccuracy: accuracy,
            altitude: numbers[2], verticalAccuracy: accuracy, kind: .manual)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
}
