// SPDX-License-Identifier: Apache-2.0
import Glibc
internal import LocationModel

/// The result of a scan over the bytes of a line, before libgps sees it.
///
/// libgps (3.22) searches the text `"class":"` anywhere in the line, does not mind what follows the object, and stops at
/// an object or array that it does not expect. So the scan makes sure that the line is one whole object with its class at
/// the top, and hands libgps a copy in which a number stands for such members.
struct GPSDLineScan {
    /// The classes that are decoded.
    enum LineClass {
        case tpv, sky, gst, att, version, devices, device, watch, error, other
    }

    /// The line's class.
    var lineClass: LineClass
    /// Where the class's name stands in the copy.
    var className: Range<Int>
    /// Bytes of the copy, without the NUL behind it.
    var length: Int
    /// Whether a SKY lists satellites.
    var listsSatellites: Bool
    /// Satellites of a SKY, where these are to be counted.
    var satellites: SatelliteCount
    /// Where the devices of a DEVICES stand in the copy.
    var devices: [Range<Int>]
    /// Whether its `time`, if it has one, is a date: libgps makes some date of 9999-99-99, too.
    var isTimeUsable: Bool

    /// Scans `line` and copies it to `copy`, which has room for one byte more than the line; nil if libgps must not see it.
    ///
    /// - Parameter countsSatellites: Otherwise their list, with which a SKY ends, is passed over: the position that gpsd sends behind waits.
    static func scan(
        _ line: UnsafeRawBufferPointer, into copy: UnsafeMutablePointer<UInt8>, countsSatellites: Bool = false
    ) -> GPSDLineScan? {
        var scanner = Scanner(line: line, copy: copy, countsSatellites: countsSatellites)
        return scanner.run()
    }

    /// The line without blanks between JSON's tokens: gpsd writes none, and its library knows no others; other programs do.
    static func compact(_ line: UnsafeRawBufferPointer) -> [UInt8] {
        var compact: [UInt8] = []
        compact.reserveCapacity(line.count)
        var (isText, isEscaped) = (false, false)
        for byte in line {
            if !isText, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { continue }
            compact.append(byte)
            if byte == UInt8(ascii: "\""), !isEscaped { isText.toggle() }
            isEscaped = isText && byte == UInt8(ascii: "\\") && !isEscaped
        }
        return compact
    }
}

private struct Scanner {
    let line: UnsafeRawBufferPointer
    let copy: UnsafeMutablePointer<UInt8>
    let countsSatellites: Bool
    let hasEscapes: Bool
    var length = 0
    /// The bytes of the line before this one are in the copy, or left out of it.
    var copied = 0
    var depth = 0
    var listsSatellites = false
    var satellites = SatelliteCount()
    var devices: [Range<Int>] = []
    var lineClass: GPSDLineScan.LineClass?
    var className = 0..<0
    var isTimeUsable = true
    /// The list that is open goes to libgps without what is in it.
    private var isEmptyList = false

    init(line: UnsafeRawBufferPointer, copy: UnsafeMutablePointer<UInt8>, countsSatellites: Bool) {
        self.line = line
        self.copy = copy
        self.countsSatellites = countsSatellites
        hasEscapes = line.offset(of: UInt8(ascii: "\\")) != nil
    }

    mutating func run() -> GPSDLineScan? {
        // No byte is a control character; without a way out of the loop the compiler looks at many at a time.
        guard line.first == UInt8(ascii: "{"), line.last == UInt8(ascii: "}"), line.reduce(.max, min) >= 0x20 else {
            return nil
        }
        var index = 0
        while index < line.count {
            var next = index + 1
            switch line[index] {
            case UInt8(ascii: "\""):
                guard let end = endOfString(from: index) else { return nil }
                noteClass(at: index, end: end)
                noteTime(at: index, end: end)
                noteSatellite(at: index, end: end)
                next = end
            // See `compact`.
            case UInt8(ascii: " "): return nil
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open(at: index)
                if isEmptyList, depth == 2 { next = endOfList(from: next) }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                copy(upTo: next)
                close()
                // Something behind the object: two lines run together.
                guard depth > 0 || next == line.count else { return nil }
            default: break
            }
            index = next
        }
        guard depth == 0, let lineClass else { return nil }
        copy[length] = 0
        return GPSDLineScan(
            lineClass: lineClass, className: className, length: length, listsSatellites: listsSatellites,
            satellites: satellites, devices: devices, isTimeUsable: isTimeUsable)
    }

    /// The place to go on from behind the beginning of a list of satellites: its end, if nothing stands behind it and nobody counts them. No
    /// satellite has a list of its own.
    private mutating func endOfList(from start: Int) -> Int {
        listsSatellites = line[start] != UInt8(ascii: "]")
        let end = line.offset(of: UInt8(ascii: "]"), from: start)
        return !countsSatellites && end == line.count - 2 ? line.count - 2 : start
    }

    // Below the top only DEVICES has anything that libgps is asked for.
    private var isLeavingOut: Bool { depth > 1 && lineClass != .devices }

    private mutating func open(at index: Int) {
        copy(upTo: index)
        depth += 1
        if depth == 3, line[index] == UInt8(ascii: "{") { beginListed() }
        guard isLeavingOut else { return }
        copied = index + 1
        guard depth == 2 else { return }
        isEmptyList = lineClass == .sky && line[index] == UInt8(ascii: "[") && copyEnds(with: "\"satellites\":")
        append(isEmptyList ? line[index] : UInt8(ascii: "0"))
    }

    private func copyEnds(with text: StaticString) -> Bool {
        let start = length - text.utf8CodeUnitCount
        guard start >= 0 else { return false }
        for offset in 0..<text.utf8CodeUnitCount where copy[start + offset] != text.utf8Start[offset] { return false }
        return true
    }

    private mutating func beginListed() {
        if lineClass == .sky { satellites.seen += 1 }
        if lineClass == .devices { devices.append(length..<length) }
    }

    private mutating func close() {
        if depth == 3, lineClass == .devices, let open = devices.popLast() {
            devices.append(open.lowerBound..<length)
        }
        if depth == 2, isEmptyList {
            append(UInt8(ascii: "]"))
            isEmptyList = false
        }
        depth -= 1
    }

    private mutating func copy(upTo end: Int) {
        defer { copied = end }
        guard !isLeavingOut, copied < end else { return }
        UnsafeMutableRawBufferPointer(start: copy + length, count: end - copied)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: line[copied..<end]))
        length += end - copied
    }

    private mutating func append(_ byte: UInt8) {
        copy[length] = byte
        length += 1
    }

    private func endOfString(from start: Int) -> Int? {
        guard hasEscapes else { return line.offset(of: UInt8(ascii: "\""), from: start + 1).map { $0 + 1 } }
        var index = start + 1
        while index < line.count {
            let byte = line[index]
            if byte == UInt8(ascii: "\"") { return index + 1 }
            index += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    // The first `"class":"NAME"` at the top, in the very form that libgps looks for.
    private mutating func noteClass(at start: Int, end: Int) {
        guard depth == 1, lineClass == nil, matches("\"class\"", start..<end), end + 1 < line.count,
            line[end] == UInt8(ascii: ":"), line[end + 1] == UInt8(ascii: "\""),
            let nameEnd = endOfString(from: end + 1)
        else { return }
        let name = end + 2..<nameEnd - 1
        lineClass = classNamed(name)
        let shift = length - copied
        className = name.lowerBound + shift..<name.upperBound + shift
    }

    private mutating func noteTime(at start: Int, end: Int) {
        guard depth == 1, matches("\"time\"", start..<end), end + 1 < line.count, line[end] == UInt8(ascii: ":"),
            line[end + 1] == UInt8(ascii: "\""), let textEnd = endOfString(from: end + 1)
        else { return }
        let text = UnsafeRawBufferPointer(rebasing: line[end + 2..<textEnd - 1]).assumingMemoryBound(to: UInt8.self)
        isTimeUsable = WallTime(rfc3339: text) != nil
    }

    private mutating func noteSatellite(at start: Int, end: Int) {
        guard depth == 3, lineClass == .sky, end + 5 <= line.count else { return }
        if matches("\"used\"", start..<end), matches(":true", end..<end + 5) { satellites.used += 1 }
        // gpsd writes 0 for a satellite that is known to be there and not heard.
        let isHeard = (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(line[end + 1])
        if isHeard, matches("\"ss\"", start..<end) { satellites.heard += 1 }
    }

    private func classNamed(_ range: Range<Int>) -> GPSDLineScan.LineClass {
        if matches("TPV", range) { return .tpv }
        if matches("SKY", range) { return .sky }
        if matches("GST", range) { return .gst }
        if matches("ATT", range) { return .att }
        if matches("VERSION", range) { return .version }
        if matches("DEVICES", range) { return .devices }
        if matches("DEVICE", range) { return .device }
        if matches("WATCH", range) { return .watch }
        if matches("ERROR", range) { return .error }
        return .other
    }

    private func matches(_ text: StaticString, _ range: Range<Int>) -> Bool {
        guard text.utf8CodeUnitCount == range.count else { return false }
        for offset in 0..<range.count where line[range.lowerBound + offset] != text.utf8Start[offset] { return false }
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of the first `byte` that is not before `start`; nil: there is none.
    func offset(of byte: UInt8, from start: Int = 0) -> Int? {
        guard start < count, let base = baseAddress, let found = memchr(base + start, Int32(byte), count - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }
}
