// SPDX-License-Identifier: Apache-2.0
import CInih

/// The bytes of one file, taken apart by inih, with the line of each assignment.
///
/// inih alone cuts long lines and section names in silence, takes `Key: Value` and text behind `]`, and tells no line
/// numbers: lines reach it one by one, and only those that it reads as they were meant.
package struct ConfigurationText {
    /// One `Key=Value`.
    package struct Assignment: Equatable {
        /// Where it stands, from 1.
        package var line: Int
        /// The name in brackets above it.
        package var section: String
        /// The key.
        package var name: String
        /// Behind the sign, without blanks around it; may be empty.
        package var value: String
    }

    /// A line that is none of what a file may hold.
    package struct Fault: Equatable {
        /// Where it stands, from 1.
        package var line: Int
        /// A clause to follow the place.
        package var reason: String
    }

    /// In the order of the lines.
    package private(set) var assignments: [Assignment] = []
    /// In the order of the lines.
    package private(set) var faults: [Fault] = []

    /// Bytes of a line that inih is given: its buffer has 200, with the line's end, a zero and one to spare.
    package static let longestLine = 190
    /// inih keeps so many bytes of a section's name.
    private static let longestSection = 48

    private static let strictness: Void = cinih_be_strict()

    /// Reads all of `bytes`.
    package init(_ bytes: [UInt8]) {
        ConfigurationText.strictness
        let parse = Parse(bytes)
        withExtendedLifetime(parse) {
            let context = Unmanaged.passUnretained(parse).toOpaque()
            // Its result is the line of the first error, which Parse knows better.
            _ = ini_parse_stream(
                { buffer, room, context in
                    guard let buffer, let context else { return nil }
                    let parse = Unmanaged<Parse>.fromOpaque(context).takeUnretainedValue()
                    return parse.giveLine(to: buffer, room: Int(room)) ? buffer : nil
                }, context,
                { context, section, name, value in
                    guard let context, let section, let name, let value else { return 0 }
                    Unmanaged<Parse>.fromOpaque(context).takeUnretainedValue().take(
                        section: String(cString: section), name: String(cString: name), value: String(cString: value))
                    return 1
                }, context)
        }
        assignments = parse.assignments
        faults = parse.faults
    }

    /// `cannot use PATH:LINE: …` for each line that is a fault, or is not taken for the reason that `take` returns.
    package func problems(in path: String, _ take: (Assignment) -> String?) -> [String] {
        let refused = assignments.compactMap { assignment in
            take(assignment).map { Fault(line: assignment.line, reason: $0) }
        }
        return (faults + refused).sorted { $0.line < $1.line }.map { "cannot use \(path):\($0.line): \($0.reason)" }
    }

    /// The state of one run of inih, which calls back for each line and for each assignment.
    private final class Parse {
        private let lines: [ArraySlice<UInt8>]
        private var next = 0
        private(set) var assignments: [Assignment] = []
        private(set) var faults: [Fault] = []
        /// After a section header that was refused, what follows it is not blamed on the section before.
        private var isSectionUsable = true

        init(_ bytes: [UInt8]) {
            lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        }

        /// Hands inih the next line, or an empty one for a comment or a line that it would not read as it was meant.
        func giveLine(to buffer: UnsafeMutablePointer<CChar>, room: Int) -> Bool {
            guard next < lines.count else { return false }
            let line = trimmed(lines[next])
            next += 1
            var given = line[...]
            if line.isEmpty || line.first == UInt8(ascii: "#") || line.first == UInt8(ascii: ";") {
                if let reason = faultOfBytes(line) { fault(reason) }
                given = []
            } else if let reason = self.fault(of: line, room: room) {
                fault(reason)
                given = []
            } else if line.first == UInt8(ascii: "[") {
                isSectionUsable = true
            }
            for (index, byte) in given.enumerated() { buffer[index] = CChar(truncatingIfNeeded: byte) }
            buffer[given.count] = CChar(truncatingIfNeeded: UInt8(ascii: "\n"))
            buffer[given.count + 1] = 0
            return true
        }

        func take(section: String, name: String, value: String) {
            guard isSectionUsable else { return }
            if section.isEmpty { return fault("\(name) stands before the first [Section]") }
            assignments.append(Assignment(line: next, section: section, name: name, value: value))
        }

        private func fault(_ reason: String) { faults.append(Fault(line: next, reason: reason)) }

        private func fault(of line: ArraySlice<UInt8>, room: Int) -> String? {
            let isHeader = line.first == UInt8(ascii: "[")
            let reason = faultOfBytes(line) ?? faultOfLength(line, room) ?? faultOfForm(line, isHeader: isHeader)
            if reason != nil, isHeader { isSectionUsable = false }
            return reason
        }

        private func faultOfBytes(_ line: ArraySlice<UInt8>) -> String? {
            if line.contains(0) { return "the line contains a zero byte; it must be text" }
            if String(validating: line, as: UTF8.self) == nil { return "the line is not UTF-8 text" }
            return nil
        }

        private func faultOfLength(_ line: ArraySlice<UInt8>, _ room: Int) -> String? {
            let longest = min(longestLine, room - 2)
            guard line.count > longest else { return nil }
            return "the line has \(line.count) bytes; at most \(longest) are allowed"
        }

        private func faultOfForm(_ line: ArraySlice<UInt8>, isHeader: Bool) -> String? {
            let text = String(decoding: line, as: UTF8.self)
            if isHeader {
                let name = line.dropFirst().dropLast()
                let isPlain = !name.contains { $0 == UInt8(ascii: "]") || $0 == UInt8(ascii: "[") }
                guard line.last == UInt8(ascii: "]"), line.count > 2, isPlain, name.count <= longestSection else {
                    return "\(text) is not a [Section]"
                }
                return nil
            }
            let separator = line.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }
            guard let separator, line[separator] == UInt8(ascii: "="), separator > line.startIndex else {
                return "\(text) is neither a [Section], nor Key=Value, nor a comment"
            }
            return nil
        }

        private func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
            var line = line.drop(while: isBlank)
            while let last = line.last, isBlank(last) { line.removeLast() }
            return line
        }
    }
}
