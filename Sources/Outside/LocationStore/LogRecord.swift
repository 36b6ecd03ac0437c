// SPDX-License-Identifier: Apache-2.0
import CLinux
import LocationModel

/// How an entry lies in memory: sixteen words, of which the first is the sequence once all others are there.
enum LogRecord {
    static let length = 128
    private static let checksumOffset = 8
    private static let bodyOffset = 16
    private static let bodyWords = 14
    private static let simulatedBit: UInt32 = 1
    private static let kindShift: UInt32 = 8

    /// Writes `entry` so that a kill at any instruction leaves either no record or all of it.
    @inline(__always)
    static func write(_ entry: LogEntry, to base: UnsafeMutableRawPointer) {
        let mark = base.assumingMemoryBound(to: UInt64.self)
        let location = entry.location
        clinux_store_release(mark, 0)
        clinux_release_fence()
        base.storeBytes(of: location.coordinate.latitude, toByteOffset: 16, as: Double.self)
        base.storeBytes(of: location.coordinate.longitude, toByteOffset: 24, as: Double.self)
        base.storeBytes(of: location.horizontalAccuracy, toByteOffset: 32, as: Double.self)
        base.storeBytes(of: location.timestamp.milliseconds, toByteOffset: 40, as: Int64.self)
        base.storeBytes(of: location.altitude ?? .nan, toByteOffset: 48, as: Double.self)
        base.storeBytes(of: location.ellipsoidalAltitude ?? .nan, toByteOffset: 56, as: Double.self)
        base.storeBytes(of: location.verticalAccuracy ?? .nan, toByteOffset: 64, as: Double.self)
        base.storeBytes(of: location.speed ?? .nan, toByteOffset: 72, as: Double.self)
        base.storeBytes(of: location.speedAccuracy ?? .nan, toByteOffset: 80, as: Double.self)
        base.storeBytes(of: location.course ?? .nan, toByteOffset: 88, as: Double.self)
        base.storeBytes(of: location.courseAccuracy ?? .nan, toByteOffset: 96, as: Double.self)
        base.storeBytes(of: entry.odometer, toByteOffset: 104, as: Double.self)
        base.storeBytes(of: entry.flags, toByteOffset: 112, as: UInt32.self)
        let source = (location.isSimulatedBySoftware ? simulatedBit : 0) | UInt32(location.kind.rawValue) << kindShift
        base.storeBytes(of: source, toByteOffset: 116, as: UInt32.self)
        base.storeBytes(of: 0, toByteOffset: 120, as: UInt64.self)
        let sum = checksum(base + bodyOffset, count: bodyWords, seed: location.sequence)
        base.storeBytes(of: sum, toByteOffset: checksumOffset, as: UInt64.self)
        clinux_store_release(mark, location.sequence)
    }

    /// The sequence of the record at `base`; 0 for none.
    @inline(__always)
    static func sequence(at base: UnsafeRawPointer) -> UInt64 { base.load(as: UInt64.self) }

    /// Whether a whole record lies at `base`.
    static func isValid(at base: UnsafeRawPointer) -> Bool {
        let sequence = sequence(at: base)
        return sequence != 0
            && base.load(fromByteOffset: checksumOffset, as: UInt64.self)
                == checksum(base + bodyOffset, count: bodyWords, seed: sequence)
    }

    /// Whether a whole record lies at `base`, and what it says can have been a fix: a checksum says only that it was written so.
    static func isSound(at base: UnsafeRawPointer) -> Bool {
        guard isValid(at: base) else { return false }
        let entry = read(at: base)
        return entry.location.isPlausible && entry.location.sequence <= Location.greatestSequence
            && entry.odometer >= 0 && entry.odometer.isFinite
    }

    /// Takes the record at `base` back.
    static func erase(at base: UnsafeMutableRawPointer) {
        clinux_store_release(base.assumingMemoryBound(to: UInt64.self), 0)
    }

    /// The entry at `base`, which must be valid.
    static func read(at base: UnsafeRawPointer) -> LogEntry {
        func number(_ offset: Int) -> Double { base.load(fromByteOffset: offset, as: Double.self) }
        func known(_ offset: Int) -> Double? {
            let value = number(offset)
            return value.isNaN ? nil : value
        }
        let source = base.load(fromByteOffset: 116, as: UInt32.self)
        let location = Location(
            coordinate: Coordinate(latitude: number(16), longitude: number(24)), horizontalAccuracy: number(32),
            timestamp: WallTime(milliseconds: base.load(fromByteOffset: 40, as: Int64.self)),
            sequence: sequence(at: base), altitude: known(48), ellipsoidalAltitude: known(56),
            verticalAccuracy: known(64), speed: known(72), speedAccuracy: known(80), course: known(88),
            courseAccuracy: known(96),
            isSimulatedBySoftware: source & simulatedBit != 0,
            kind: LocationKind(rawValue: UInt8(truncatingIfNeeded: source >> kindShift)) ?? .other)
        return LogEntry(
            location: location, odometer: number(104), flags: base.load(fromByteOffset: 112, as: UInt32.self))
    }
}
