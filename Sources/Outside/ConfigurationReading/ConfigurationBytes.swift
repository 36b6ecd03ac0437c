// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Files with settings, before they are understood.
package enum ConfigurationBytes {
    /// Bytes that a file may have: more is something else.
    package static let longestFile = 1 << 20

    /// The result of reading a file; `refused` with a sentence that names it and why.
    package enum Contents {
        /// There is none.
        case missing
        /// All of it.
        case bytes([UInt8])
        /// It cannot be used.
        case refused(String)
    }

    /// All bytes of the file at `path`.
    package static func contents(of path: String) -> Contents {
        // Not waiting: a named pipe must not hold the daemon up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return errno == ENOENT ? .missing : .refused(problem(path)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .refused(problem(path)) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .refused("cannot use \(path): it is not a file") }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while bytes.count <= longestFile {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .refused(problem(path)) }
            if count == 0 { return .bytes(bytes) }
            bytes.append(contentsOf: chunk[..<count])
        }
        return .refused("cannot use \(path): it has more than \(longestFile) bytes")
    }

    /// The paths of all `*.conf` of a directory, ordered by the bytes of their names. One that is missing has none.
    package static func files(in directory: String) -> (paths: [String], problem: String?) {
        guard let stream = opendir(directory) else {
            return ([], errno == ENOENT ? nil : problem(directory))
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".conf"), !name.hasPrefix(".") { names.append(name) }
        }
        names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return (names.map { "\(directory)/\($0)" }, nil)
    }

    /// The sentence for `path`, with the system's words for `errno`.
    package static func problem(_ path: String) -> String { "cannot use \(path): \(String(cString: strerror(errno)))" }
}
