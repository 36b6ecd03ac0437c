// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Writes all of `bytes` to a descriptor of any kind before the deadline.
func writeAll(_ bytes: [UInt8], to fd: Int32, deadline: Deadline) throws {
    var offset = 0
    while offset < bytes.count {
        guard deadline.wait(for: POLLOUT, on: fd) else {
            throw TestFailure("cannot write: the other side does not read")
        }
        let piece = bytes[offset...]
        var written = piece.withUnsafeBytes {
            send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if written < 0, errno == ENOTSOCK {
            // A pipe with room takes at least PIPE_BUF (4096) bytes without waiting.
            written = piece.prefix(4096).withUnsafeBytes { write(fd, $0.baseAddress, $0.count) }
        }
        if written < 0 {
            guard errno == EAGAIN || errno == EINTR else { throw TestFailure.system("write") }
            continue
        }
        offset += written
    }
}

/// Lines out of a stream of bytes, whose ends are LF or CR LF.
struct LineBuffer {
    private var bytes: [UInt8] = []

    /// What has come without an end yet.
    var unfinished: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ piece: some Sequence<UInt8>) { bytes += piece }

    mutating func nextLine() -> String? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        var line = bytes[..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let text = String(decoding: line, as: UTF8.self)
        bytes.removeSubrange(...end)
        return text
    }
}
