// SPDX-License-Identifier: Apache-2.0

/// Cuts one value out of a JSON text as it stands there, so that scripts see what the daemon wrote and nothing is lost
/// that this program does not know. The text has been read by a decoder before.
package enum JSONSlice {
    /// The text of the value at `path`: names of members, and `0` for the first element of an array.
    package static func value(at path: [String], in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let name = path.first else { return text }
        let start = skipBlanks(text, text.startIndex)
        guard start < text.endIndex else { return nil }
        let inner: ArraySlice<UInt8>?
        switch text[start] {
        case UInt8(ascii: "{"): inner = member(name, text[(start + 1)...])
        case UInt8(ascii: "[") where name == "0": inner = firstElement(text[(start + 1)...])
        default: inner = nil
        }
        return inner.flatMap { value(at: Array(path.dropFirst()), in: $0) }
    }

    private static func member(_ name: String, _ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var index = skipBlanks(text, text.startIndex)
        while index < text.endIndex, text[index] == UInt8(ascii: "\"") {
            let nameEnd = endOfValue(text, index)
            let found = text[index..<nameEnd]
            index = skipBlanks(text, nameEnd)
            guard index < text.endIndex, text[index] == UInt8(ascii: ":") else { return nil }
            index = skipBlanks(text, index + 1)
            let end = endOfValue(text, index)
            if found.dropFirst().dropLast().elementsEqual(name.utf8) { return text[index..<end] }
            index = skipBlanks(text, end)
            guard index < text.endIndex, text[index] == UInt8(ascii: ",") else { return nil }
            index = skipBlanks(text, index + 1)
        }
        return nil
    }

    private static func firstElement(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let start = skipBlanks(text, text.startIndex)
        guard start < text.endIndex, text[start] != UInt8(ascii: "]") else { return nil }
        return text[start..<endOfValue(text, start)]
    }

    private static func skipBlanks(_ text: ArraySlice<UInt8>, _ from: Int) -> Int {
        text[from...].firstIndex { $0 > 0x20 } ?? text.endIndex
    }

    // The index behind the value that begins at `start`.
    private static func endOfValue(_ text: ArraySlice<UInt8>, _ start: Int) -> Int {
        var depth = 0
        var index = start
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "\""): index = endOfString(text, index) - 1
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                // The end of what this value stands in.
                if depth < 0 { return index }
            case UInt8(ascii: ",") where depth == 0, UInt8(ascii: ":") where depth == 0: return index
            case 0...0x20 where depth == 0: return index
            default: break
            }
            index += 1
            if depth == 0, [UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(text[index - 1]) {
                return index
            }
        }
        return text.endIndex
    }

    private static func endOfString(_ text: ArraySlice<UInt8>, _ start: Int) -> Int {
        var index = start + 1
        while index < text.endIndex, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, text.endIndex)
    }
}
