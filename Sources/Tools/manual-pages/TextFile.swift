// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why the pages cannot be made.
struct PageError: Error, CustomStringConvertible {
    /// "cannot …" and why.
    let description: String
}

/// Small files of text.
enum TextFile {
    /// The lines of the file at `path`.
    static func lines(of path: String) throws(PageError) -> [String] {
        guard let file = fopen(path, "r") else {
            throw PageError(description: "cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// Writes `lines` to the file at `path`, in place of what it was.
    static func write(_ lines: [String], to path: String) throws(PageError) {
        guard let file = fopen(path, "w") else {
            throw PageError(description: "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        fputs(lines.joined(separator: "\n"), file)
        guard fclose(file) == 0 else {
            throw PageError(description: "cannot write \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// Writes a line to standard error.
    static func complain(_ line: String) {
        _ = (line + "\n").withCString { Glibc.write(2, $0, strlen($0)) }
    }
}
