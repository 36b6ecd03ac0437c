// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The content of a file that is read at once.
package enum SmallFile {
    /// There is none.
    case missing
    /// All of it.
    case bytes([UInt8])
    /// It cannot be used; the reason completes "cannot use PATH: ".
    case refused(String)

    /// Reads the file at `path`, which may have `limit` bytes: with more it is something else.
    package init(at path: String, limit: Int = 1 << 20) {
        // Not waiting: a named pipe must hold nobody up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            self = errno == ENOENT ? .missing : .lastError
            return
        }
        defer { close(descriptor) }
        self = SmallFile.read(descriptor, limit)
    }

    private static var lastError: SmallFile { .refused(String(cString: strerror(errno))) }

    private static func read(_ descriptor: Int32, _ limit: Int) -> SmallFile {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return lastError }
        guard status.st_mode & S_IFMT == S_IFREG else { return .refused("it is not a file") }
        guard let bytes = content(of: descriptor, limit) else { return lastError }
        return bytes.count > limit ? .refused("it has more than \(limit) bytes") : .bytes(bytes)
    }

    /// All that can still be read from a descriptor, or more than `limit` bytes of it; nil: `errno` says why it cannot be read.
    package static func content(of descriptor: Int32, _ limit: Int = .max) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }

    /// The file as text; nil: it is missing, or refused.
    package var text: String? {
        if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
}
