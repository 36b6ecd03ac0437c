// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import Glibc
import LocationModel
import SystemSupport

/// A report, and the line that it is from.
struct TrackReport {
    let report: GPSDReport
    let line: Int

    /// The time that `receiver` tells in it; nil: none.
    func time(by receiver: ReceiverID) -> WallTime? {
        if case .tpv(let told) = report, told.receiver == receiver { told.time } else { nil }
    }
}

/// Reads a recorded or generated track, a piece at a time: NMEA sentences or gpsd's JSON lines, told apart by each line's first byte.
struct TrackReader {
    private let file: Int32
    private let decoder = GPSDDecoder()
    private var nmea = NMEAReader()
    private var framer = GPSDLineFramer()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var isAtEnd = false
    private var hasLineEnded = true
    private var found: [GPSDReport] = []
    /// The number of the line that is being read.
    private var line = 1
    /// Lines that are not used as they stand.
    var faults = TrackFaults()

    /// `-` is standard input.
    init(path: String) throws(SystemError) {
        file = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError(cannot: "read the track \(path)") }
    }

    /// Appends the reports of the next piece; false at the end of the track.
    mutating func next(into reports: inout [TrackReport]) throws(SystemError) -> Bool {
        guard !isAtEnd else { return false }
        var count = read(file, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw SystemError(cannot: "read the track") }
        isAtEnd = count == 0
        if isAtEnd, !hasLineEnded {
            buffer[0] = UInt8(ascii: "\n")
            count = 1
        }
        var rest = UnsafeRawBufferPointer(rebasing: buffer[0..<count])
        hasLineEnded = rest.last == UInt8(ascii: "\n")
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            receive(UnsafeRawBufferPointer(rebasing: rest[...end]), into: &reports)
            line += 1
            rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
        }
        receive(rest, into: &reports)
        guard isAtEnd else { return true }
        nmea.finish(into: &found)
        hand(from: line - 1, to: &reports)
        buffer.deallocate()
        if file > 0 { close(file) }
        return !reports.isEmpty
    }

    /// Takes a part of one line.
    private mutating func receive(_ part: UnsafeRawBufferPointer, into reports: inout [TrackReport]) {
        var framer = GPSDLineFramer()
        swap(&framer, &self.framer)
        let (skipped, bad) = (framer.skippedLines, nmea.badLines)
        framer.receive(part) { text in
            switch text.first {
            case UInt8(ascii: "{"):
                if let report = decoder.decode(text) { found.append(report) } else { faults.note(.report, line: line) }
                hand(from: line, to: &reports)
            case UInt8(ascii: "$"), UInt8(ascii: "!"):
                nmea.read(text, into: &found)
                // An epoch ends with the sentence before.
                hand(from: line - 1, to: &reports)
            case nil, UInt8(ascii: "#"): break
            default: faults.note(.foreign, line: line)
            }
        }
        if nmea.badLines > bad { faults.note(.sentence, line: line) }
        if framer.skippedLines > skipped { faults.note(.length, line: line) }
        swap(&framer, &self.framer)
    }

    private mutating func hand(from line: Int, to reports: inout [TrackReport]) {
        for report in found {
            if case .tpv(let told) = report, told.time == nil, told.position != nil { faults.note(.noTime, line: line) }
            reports.append(TrackReport(report: report, line: line))
        }
        found.removeAll(keepingCapacity: true)
    }
}
