// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import Glibc
import LocationModel
import SystemSupport

/// Reads a recorded or generated track, a piece at a time: NMEA sentences or gpsd's JSON lines, told apart by each line's first byte.
struct TrackReader {
    private let file: Int32
    private let decoder = GPSDDecoder()
    private var nmea = NMEAReader()
    private var framer = GPSDLineFramer()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var isAtEnd = false
    private var foreignLines = 0

    /// `-` is standard input.
    init(path: String) throws(SystemError) {
        file = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError(cannot: "read the track \(path)") }
    }

    /// Lines that were no NMEA sentence and no JSON of gpsd's, or damaged ones.
    var unusableLines: Int { foreignLines + nmea.badLines + decoder.malformedLines + framer.skippedLines }

    /// Appends the reports of the next piece; false at the end of the track.
    mutating func next(into reports: inout [GPSDReport]) throws(SystemError) -> Bool {
        guard !isAtEnd else { return false }
        let count = read(file, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw SystemError(cannot: "read the track") }
        if count == 0 {
            isAtEnd = true
            nmea.finish(into: &reports)
            buffer.deallocate()
            if file > 0 { close(file) }
            return !reports.isEmpty
        }
        var framer = GPSDLineFramer()
        swap(&framer, &self.framer)
        let (decoder, bytes) = (decoder, UnsafeRawBufferPointer(rebasing: buffer[0..<count]))
        var foreign = 0
        framer.receive(bytes) { line in
            switch line.first {
            case UInt8(ascii: "{"):
                if let report = decoder.decode(line) { reports.append(report) }
            case UInt8(ascii: "$"), UInt8(ascii: "!"): nmea.read(line, into: &reports)
            case nil, UInt8(ascii: "#"): break
            default: foreign += 1
            }
        }
        foreignLines += foreign
        swap(&framer, &self.framer)
        return true
    }
}
