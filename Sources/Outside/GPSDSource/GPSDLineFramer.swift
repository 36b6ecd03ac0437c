// SPDX-License-Identifier: Apache-2.0

/// Cuts the bytes of a stream into lines, wherever the reads happen to split it.
///
/// A line ends with LF; a CR before it is dropped; empty lines are not handed on. A line longer than `maximumLength` is
/// skipped as a whole and counted: a stream never becomes unusable because of one line.
package struct GPSDLineFramer {
    /// Longest line taken, bytes without its end. gpsd's own limit is near 40 KB.
    package static let maximumLength = 65_536

    /// Lines skipped because they were longer than `maximumLength`.
    package private(set) var skippedLines = 0

    private var partial: [UInt8] = []
    private var isSkipping = false

    /// At the start of a stream.
    package init() {}

    /// Takes the next bytes of the stream and calls `body` once for each line they complete.
    ///
    /// The pointer is valid during the call only. A line that lies within `bytes` is not copied.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let end = rest.offset(of: UInt8(ascii: "\n")) else { return keep(rest) }
            finish(UnsafeRawBufferPointer(rebasing: rest[..<end]), body)
            start += end + 1
        }
    }

    /// Forgets an unfinished line: the stream broke off.
    package mutating func reset() {
        partial.removeAll(keepingCapacity: true)
        isSkipping = false
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        guard !isSkipping else { return }
        // One byte more than the limit, for a CR that does not count.
        if partial.count + bytes.count > Self.maximumLength + 1 {
            skippedLines += 1
            isSkipping = true
            partial.removeAll(keepingCapacity: true)
        } else {
            partial.append(contentsOf: bytes)
        }
    }

    private mutating func finish(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard !isSkipping, !partial.isEmpty else {
            if !isSkipping { deliver(bytes, body) }
            isSkipping = false
            return
        }
        keep(bytes)
        var line: [UInt8] = []
        swap(&line, &partial)
        if !isSkipping { line.withUnsafeBytes { deliver($0, body) } }
        swap(&line, &partial)
        reset()
    }

    private mutating func deliver(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        let length = bytes.last == UInt8(ascii: "\r") ? bytes.count - 1 : bytes.count
        guard length > 0 else { return }
        guard length <= Self.maximumLength else {
            skippedLines += 1
            return
        }
        body(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
    }
}
