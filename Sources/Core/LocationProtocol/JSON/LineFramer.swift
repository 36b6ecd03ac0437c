// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Cuts a stream of bytes into lines, whatever pieces it arrives in.
///
/// Bytes are pushed in and lines are pulled out, so that a server can take a few lines of one client and turn to the
/// next. Each byte is searched once and moved at most twice. The memory held is bounded by `limit` and by what was
/// appended and not yet taken; nothing is held while nothing is pending.
package struct LineFramer: Sendable {
    /// The next line, or why there is none.
    package enum Output: Sendable, Hashable {
        /// A line without its LF and the CR before it; never blank. Drop it before the next `append`, else that copies.
        case line(ArraySlice<UInt8>)
        /// A line is longer than the limit. Said once; no line follows.
        case overlong
        /// No complete line is there.
        case needsMore
    }

    /// The longest line, in bytes without its ending.
    package let limit: Int
    private var buffer: [UInt8] = []
    // The bytes before `start` are taken, those from `start` to `searched` hold no LF.
    private var start = 0
    private var searched = 0
    private var hasOverflowed = false
    private var isFinished = false

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == carriageReturn }
    // An idle connection keeps no more than this.
    private static let keptCapacity = 512

    /// A framer for lines of at most `limit` bytes.
    package init(limit: Int = 65_536) { self.limit = max(1, limit) }

    /// The bytes that wait to be taken as lines or to become one.
    package var pendingBytes: ArraySlice<UInt8> { buffer[start...] }

    /// Takes bytes of the stream. After an overlong line or `finish` they are dropped.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !hasOverflowed, !isFinished, !bytes.isEmpty else { return }
        compact()
        buffer.append(contentsOf: bytes)
    }

    /// Takes bytes of the stream. After an overlong line or `finish` they are dropped.
    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Says that the stream has ended: what is left counts as a line.
    package mutating func finish() { isFinished = true }

    /// The next line, if there is one.
    package mutating func next() -> Output {
        guard !hasOverflowed else { return .needsMore }
        while let end = endOfLine() {
            let line = trimmed(start..<end)
            start = min(end + 1, buffer.count)
            searched = start
            if line.count > limit { return overflow() }
            if buffer[line].contains(where: { !LineFramer.isBlank($0) }) { return .line(buffer[line]) }
        }
        // One more byte than the limit may still be the CR of a line that is not too long.
        if trimmed(start..<buffer.count).count > limit { return overflow() }
        compact()
        return .needsMore
    }

    private mutating func endOfLine() -> Int? {
        let from = searched
        let found = buffer.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress, from < bytes.count else { return nil }
            guard let hit = memchr(base + from, Int32(LineFramer.lineFeed), bytes.count - from) else { return nil }
            return UnsafeRawPointer(hit) - base
        }
        searched = found ?? buffer.count
        if let found { return found }
        return isFinished && start < buffer.count ? buffer.count : nil
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        guard let last = range.last, buffer[last] == LineFramer.carriageReturn else { return range }
        return range.lowerBound..<last
    }

    private mutating func overflow() -> Output {
        hasOverflowed = true
        buffer = []
        start = 0
        searched = 0
        return .overlong
    }

    // Moving what is left only when it is the smaller part keeps the cost per byte constant.
    private mutating func compact() {
        if start == buffer.count {
            if buffer.capacity > LineFramer.keptCapacity {
                buffer = []
            } else {
                buffer.removeAll(keepingCapacity: true)
            }
            start = 0
            searched = 0
        } else if start > 0, start >= buffer.count - start {
            buffer.removeSubrange(0..<start)
            searched -= start
            start = 0
        }
    }
}
