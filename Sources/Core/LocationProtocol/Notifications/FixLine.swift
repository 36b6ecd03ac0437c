// SPDX-License-Identifier: Apache-2.0

import Glibc
import LocationModel

/// A reader for the two notifications that come with every fix, `didUpdateLocations` and `didUpdate`, in the form in which
/// `NotificationWriter` writes them, and for pages of the history, which are many.
///
/// It knows that form and nothing else: whatever differs from it, in the order of the members already, is left to a decoder. What it
/// reads it reads as the decoder does, at a small part of the cost.
struct FixLine {
    /// The line is not in the form: a decoder has to read it.
    private struct OtherForm: Error {}

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    /// The notification of `line`, which may have its end; nil: a decoder has to read it.
    static func read(_ line: [UInt8]) -> (notification: Notification, sequence: UInt64)? {
        line.withUnsafeBufferPointer { bytes in
            var reader = FixLine(bytes)
            return try? reader.notification()
        }
    }

    /// The answer to `history` that `line` is, and the number of its request; nil: a decoder has to read it.
    static func readPage(_ line: [UInt8]) -> (id: Int64, page: HistoryPage)? {
        line.withUnsafeBufferPointer { bytes in
            var reader = FixLine(bytes)
            return try? reader.page()
        }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    // As `HistoryPageWriter` writes it.
    private mutating func page() throws(OtherForm) -> (Int64, HistoryPage) {
        try expect(#"{"jsonrpc":"2.0","id":"#)
        let id = Int64(try integer())
        try expect(#","result":{"locations":["#)
        var page = HistoryPage(locations: [])
        if !take("]") {
            repeat { page.locations.append(try location()) } while take(",")
            try expect("]")
        }
        page.next = take(#","next":"#) ? try integer() : nil
        page.hasGap = take(#","gap":true"#)
        page.oldest = take(#","oldest":"#) ? try integer() : nil
        try expect("}}")
        _ = take("\n")
        guard index == bytes.count else { throw OtherForm() }
        return (id, page)
    }

    private mutating func notification() throws(OtherForm) -> (Notification, UInt64) {
        try expect(#"{"jsonrpc":"2.0","method":"didUpdate"#)
        let notification =
            if take(#"Locations","params":{"source":"standard""#) {
                Notification.didUpdateLocations(try locationUpdate())
            } else {
                Notification.didUpdate(try liveUpdate())
            }
        try expect(#","seq":"#)
        let sequence = try integer()
        try expect("}}")
        _ = take("\n")
        guard index == bytes.count else { throw OtherForm() }
        return (notification, sequence)
    }

    // As `LocationBatch` writes it.
    private mutating func locationUpdate() throws(OtherForm) -> LocationUpdate {
        var update = LocationUpdate(locations: [], source: .standard)
        update.isCached = take(#","cached":true"#)
        update.deferral = take(#","deferral":"#) ? try integer() : nil
        update.isEarly = take(#","early":true"#)
        update.dropped = take(#","dropped":"#) ? try integer() : 0
        update.hasGap = take(#","gap":true"#)
        try expect(#","locations":["#)
        repeat { update.locations.append(try location()) } while take(",")
        try expect("]")
        update.hasMore = take(#","more":true"#)
        return update
    }

    // As `NotificationWriter` writes it when there is nothing to explain.
    private mutating func liveUpdate() throws(OtherForm) -> LiveUpdate {
        try expect(#"","params":{"location":"#)
        let location = try location()
        let isStationary = take(#","stationary":true"#)
        if !isStationary { try expect(#","stationary":false"#) }
        try expect(#","updates":"#)
        return LiveUpdate(updates: try integer(), location: location, isStationary: isStationary, flags: [])
    }

    // As `LocationCoding` writes it.
    private mutating func location() throws(OtherForm) -> Location {
        try expect(#"{"latitude":"#)
        let latitude = try number()
        try expect(#","longitude":"#)
        let longitude = try number()
        try expect(#","horizontalAccuracy":"#)
        var location = Location(
            coordinate: Coordinate(latitude: latitude, longitude: longitude), horizontalAccuracy: try number(),
            timestamp: WallTime(milliseconds: 0))
        location.altitude = take(#","altitude":"#) ? try number() : nil
        location.ellipsoidalAltitude = take(#","ellipsoidalAltitude":"#) ? try number() : nil
        location.verticalAccuracy = take(#","verticalAccuracy":"#) ? try number() : nil
        location.speed = take(#","speed":"#) ? try number() : nil
        location.speedAccuracy = take(#","speedAccuracy":"#) ? try number() : nil
        location.course = take(#","course":"#) ? try number() : nil
        location.courseAccuracy = take(#","courseAccuracy":"#) ? try number() : nil
        try expect(#","timestamp":""#)
        location.timestamp = try time()
        try expect(#"","sequence":"#)
        location.sequence = try integer()
        try expect(#","sourceInformation":{"isSimulatedBySoftware":"#)
        location.isSimulatedBySoftware = take("true")
        if !location.isSimulatedBySoftware { try expect("false") }
        try expect(#","isProducedByAccessory":false}}"#)
        return location
    }

    // MARK: Pieces

    private mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard let base = bytes.baseAddress, count <= bytes.count - index,
            memcmp(base + index, text.utf8Start, count) == 0
        else { return false }
        index += count
        return true
    }

    private mutating func expect(_ text: StaticString) throws(OtherForm) {
        guard take(text) else { throw OtherForm() }
    }

    /// Digits behind those of `start`, as one value, which a double holds exactly; and how many they are.
    private mutating func digits(behind start: UInt64 = 0) throws(OtherForm) -> (value: UInt64, count: Int) {
        let (first, limit) = (index, UInt64(1) << 53)
        var value = start
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
            value = value * 10 + UInt64(bytes[index] - UInt8(ascii: "0"))
            guard value < limit else { throw OtherForm() }
            index += 1
        }
        guard index > first else { throw OtherForm() }
        return (value, index - first)
    }

    private mutating func integer() throws(OtherForm) -> UInt64 {
        let hasLeadingZero = index < bytes.count && bytes[index] == UInt8(ascii: "0")
        let (value, count) = try digits()
        guard count == 1 || !hasLeadingZero else { throw OtherForm() }
        return value
    }

    // Digits and powers of ten are exact, so that the division, which rounds once, gives the nearest double.
    private mutating func number() throws(OtherForm) -> Double {
        let isNegative = take("-")
        let whole = try integer()
        guard take(".") else { return try signed(Double(whole), isNegative) }
        let (value, places) = try digits(behind: whole)
        guard places < DecimalPlaces.factors.count else { throw OtherForm() }
        return try signed(Double(value) / DecimalPlaces.factors[places], isNegative)
    }

    private func signed(_ magnitude: Double, _ isNegative: Bool) throws(OtherForm) -> Double {
        guard isNegative else { return magnitude }
        guard magnitude > 0 else { throw OtherForm() }
        return -magnitude
    }

    private mutating func time() throws(OtherForm) -> WallTime {
        let length = 24
        guard bytes.count - index >= length,
            let time = WallTime(rfc3339: UnsafeBufferPointer(rebasing: bytes[index..<index + length]))
        else { throw OtherForm() }
        index += length
        return time
    }
}
