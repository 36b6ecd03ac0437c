// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A stretch of fixes as history keeps it: each fix as what it differs by from where the two before it led, so that a second of a
/// journey takes some twenty bytes.
///
/// Numbers are kept as the wire tells them: degrees to 1e-9, the rest to 1e-3. A checksum stands last, since SQLite has none.
enum HistoryBlock {
    /// Fixes of one block: what is read for any one of them.
    static let capacity = 512
    private static let version: UInt8 = 1
    private static let checksumLength = 8

    /// The bytes of `entries`, which ascend; their odometers are not kept.
    static func encode(_ entries: [LogEntry]) -> [UInt8] {
        var writer = DeltaWriter()
        writer.bytes.reserveCapacity(entries.count * 24 + 32)
        writer.bytes.append(version)
        writer.append(unsigned: UInt64(entries.count))
        var former = FixNumbers()
        for entry in entries {
            let numbers = FixNumbers(entry)
            writer.append(numbers, behind: former)
            former = numbers.predicting(from: former)
        }
        let sum = checksum(of: writer.bytes)
        withUnsafeBytes(of: sum.littleEndian) { writer.bytes.append(contentsOf: $0) }
        return writer.bytes
    }

    /// The fixes of `bytes`; nil: these are no block, or a damaged one.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> [LogEntry]? {
        guard bytes.count > checksumLength else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: bytes.dropLast(checksumLength))
        let stored = bytes.loadUnaligned(fromByteOffset: content.count, as: UInt64.self)
        guard UInt64(littleEndian: stored) == checksum(of: Array(content)) else { return nil }
        var reader = DeltaReader(content)
        guard reader.byte() == version, let count = reader.unsigned(), count <= UInt64(capacity) else { return nil }
        var entries: [LogEntry] = []
        entries.reserveCapacity(Int(count))
        var former = FixNumbers()
        for _ in 0..<count {
            guard let numbers = reader.numbers(behind: former), let entry = numbers.entry else { return nil }
            entries.append(entry)
            former = numbers.predicting(from: former)
        }
        return reader.isAtEnd ? entries : nil
    }
}

/// A fix as whole numbers, and where it leads.
private struct FixNumbers {
    /// The fields, in the order of their bits.
    enum Field: Int, CaseIterable {
        case sequence, time, latitude, longitude, horizontalAccuracy, altitude, ellipsoidalAltitude, verticalAccuracy
        case speed, speedAccuracy, course, courseAccuracy

        /// Fields that go on as they went: the next is expected as far from this one as this one was from the one before.
        var isMoving: Bool { rawValue <= Field.longitude.rawValue }
        /// The bit in `known` of a field that may be unknown.
        var knownBit: UInt8? {
            rawValue < Field.altitude.rawValue ? nil : 1 << UInt8(rawValue - Field.altitude.rawValue)
        }
    }

    var values = InlineArray<12, Int64>(repeating: 0)
    /// How far the moving fields came in the last step.
    var steps = InlineArray<4, Int64>(repeating: 0)
    var known: UInt8 = 0
    var marks: UInt8 = 0

    private static let simulatedMark: UInt8 = 0x80
    /// Marks of the engine's, and above them how the location was found.
    private static let flagMarks: UInt8 = 0x0F
    private static let kindShift: UInt8 = 4
    private static let kindMarks: UInt8 = 0x70

    init() { steps[Field.sequence.rawValue] = 1 }

    init(_ entry: LogEntry) {
        let location = entry.location
        self[.sequence] = Int64(clamping: location.sequence)
        self[.time] = location.timestamp.milliseconds
        self[.latitude] = FixNumbers.whole(location.coordinate.latitude, 1e9)
        self[.longitude] = FixNumbers.whole(location.coordinate.longitude, 1e9)
        self[.horizontalAccuracy] = FixNumbers.accuracy(location.horizontalAccuracy)
        set(.altitude, location.altitude.map { FixNumbers.whole($0, 1e3) })
        set(.ellipsoidalAltitude, location.ellipsoidalAltitude.map { FixNumbers.whole($0, 1e3) })
        set(.verticalAccuracy, location.verticalAccuracy.map(FixNumbers.accuracy))
        set(.speed, location.speed.map { FixNumbers.whole($0, 1e3) })
        set(.speedAccuracy, location.speedAccuracy.map(FixNumbers.accuracy))
        set(.course, location.course.map { FixNumbers.whole($0, 1e3) % 360_000 })
        set(.courseAccuracy, location.courseAccuracy.map(FixNumbers.accuracy))
        marks = UInt8(truncatingIfNeeded: entry.flags) & FixNumbers.flagMarks
        marks |= location.kind.rawValue << FixNumbers.kindShift
        if location.isSimulatedBySoftware { marks |= FixNumbers.simulatedMark }
    }

    subscript(_ field: Field) -> Int64 {
        get { values[field.rawValue] }
        set { values[field.rawValue] = newValue }
    }

    private mutating func set(_ field: Field, _ value: Int64?) {
        guard let value, let bit = field.knownBit else { return }
        self[field] = value
        known |= bit
    }

    /// A double has no digits left behind the point beyond the bound.
    private static func whole(_ number: Double, _ factor: Double) -> Int64 {
        Int64(min(max((number * factor).rounded(), -9e15), 9e15))
    }

    /// Never rounded to the 0 that would mean "exactly". 0 itself stays.
    private static func accuracy(_ number: Double) -> Int64 { number > 0 ? max(whole(number, 1e3), 1) : 0 }

    /// Returns the value that a field is expected to have in the fix behind these. The ellipsoid lies as far from the sea as before.
    func expected(_ field: Field, beside numbers: FixNumbers) -> Int64 {
        if field.isMoving { return self[field] &+ steps[field.rawValue] }
        guard field == .ellipsoidalAltitude else { return self[field] }
        return self[field] &+ numbers[.altitude] &- self[.altitude]
    }

    /// These with the steps from `former`. A field that is unknown stays as it was, to be counted on from there.
    func predicting(from former: FixNumbers) -> FixNumbers {
        var next = self
        for field in Field.allCases {
            if field.isMoving {
                // The first fix of a block comes from nowhere.
                let isFirst = former[.sequence] == 0
                let step = isFirst ? (field == .sequence ? 1 : 0) : self[field] &- former[field]
                next.steps[field.rawValue] = step
            } else if let bit = field.knownBit, known & bit == 0 {
                next[field] = former[field]
            }
        }
        return next
    }

    private func known(_ field: Field, _ factor: Double = 1e3) -> Double? {
        guard let bit = field.knownBit, known & bit != 0 else { return nil }
        return Double(self[field]) / factor
    }

    /// The fix; nil: it cannot have been one.
    var entry: LogEntry? {
        guard self[.sequence] > 0 else { return nil }
        let location = Location(
            coordinate: Coordinate(latitude: Double(self[.latitude]) / 1e9, longitude: Double(self[.longitude]) / 1e9),
            horizontalAccuracy: Double(self[.horizontalAccuracy]) / 1e3,
            timestamp: WallTime(milliseconds: self[.time]), sequence: UInt64(self[.sequence]),
            altitude: known(.altitude), ellipsoidalAltitude: known(.ellipsoidalAltitude),
            verticalAccuracy: known(.verticalAccuracy), speed: known(.speed), speedAccuracy: known(.speedAccuracy),
            course: known(.course), courseAccuracy: known(.courseAccuracy),
            isSimulatedBySoftware: marks & FixNumbers.simulatedMark != 0,
            kind: LocationKind(rawValue: (marks & FixNumbers.kindMarks) >> FixNumbers.kindShift) ?? .other)
        guard location.isPlausible, location.sequence <= Location.greatestSequence else { return nil }
        return LogEntry(location: location, odometer: 0, flags: UInt32(marks & FixNumbers.flagMarks))
    }
}

// A fix is two bytes of bits, one for each field that is not as expected and two for what else has changed, and then these fields.
private let knownChanged: UInt16 = 1 << 12
private let marksChanged: UInt16 = 1 << 13

private struct DeltaWriter {
    var bytes: [UInt8] = []

    mutating func append(_ numbers: FixNumbers, behind former: FixNumbers) {
        let start = bytes.count
        bytes.append(0)
        bytes.append(0)
        var bits: UInt16 = 0
        if numbers.known != former.known {
            bits |= knownChanged
            bytes.append(numbers.known)
        }
        if numbers.marks != former.marks {
            bits |= marksChanged
            bytes.append(numbers.marks)
        }
        for field in FixNumbers.Field.allCases {
            if let bit = field.knownBit, numbers.known & bit == 0 { continue }
            let difference = numbers[field] &- former.expected(field, beside: numbers)
            guard difference != 0 else { continue }
            bits |= 1 << UInt16(field.rawValue)
            append(unsigned: UInt64(bitPattern: difference << 1 ^ difference >> 63))
        }
        bytes[start] = UInt8(truncatingIfNeeded: bits)
        bytes[start + 1] = UInt8(truncatingIfNeeded: bits >> 8)
    }

    mutating func append(unsigned number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

private struct DeltaReader {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func byte() -> UInt8? {
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func unsigned() -> UInt64? {
        var (number, shift) = (UInt64(0), UInt64(0))
        while shift < 64, let byte = byte() {
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }

    mutating func numbers(behind former: FixNumbers) -> FixNumbers? {
        guard let low = byte(), let high = byte() else { return nil }
        let bits = UInt16(low) | UInt16(high) << 8
        var numbers = FixNumbers()
        (numbers.known, numbers.marks) = (former.known, former.marks)
        if bits & knownChanged != 0 {
            guard let known = byte() else { return nil }
            numbers.known = known
        }
        if bits & marksChanged != 0 {
            guard let marks = byte() else { return nil }
            numbers.marks = marks
        }
        for field in FixNumbers.Field.allCases {
            if let bit = field.knownBit, numbers.known & bit == 0 { continue }
            numbers[field] = former.expected(field, beside: numbers)
            guard bits & 1 << UInt16(field.rawValue) != 0 else { continue }
            guard let folded = unsigned() else { return nil }
            numbers[field] &+= Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
        }
        return numbers
    }
}
