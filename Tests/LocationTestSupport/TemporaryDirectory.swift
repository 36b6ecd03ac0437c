// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A directory of its own for a test, removed with all it holds when the test lets go of it.
package final class TemporaryDirectory: Sendable {
    /// Its absolute path: short, so that a Unix socket's path fits.
    package let path: String

    /// Makes an empty directory that only this user can enter.
    package init() throws {
        var template = Array("/tmp/locationd-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure.system("make a directory in /tmp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { removeTree(path) }

    /// The path of `name` in it.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file with `bytes`; returns its path.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let path = file(name)
        guard let stream = fopen(path, "we") else { throw TestFailure.system("write \(path)") }
        defer { fclose(stream) }
        let bytes = Array(bytes)
        guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw TestFailure.system("write \(path)") }
        return path
    }

    /// Writes a file with `text`; returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String { try write(text.utf8, to: name) }
}

/// All bytes of the file at `path`.
package func readFile(_ path: String) throws -> [UInt8] {
    guard let stream = fopen(path, "re") else { throw TestFailure.system("read \(path)") }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&piece, 1, piece.count, stream), count > 0 { bytes += piece[..<count] }
    return bytes
}

// Symbolic links are removed, never followed.
private func removeTree(_ path: String) {
    if let directory = opendir(path) {
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            let child = "\(path)/\(name)"
            var status = stat()
            if lstat(child, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                removeTree(child)
            } else {
                unlink(child)
            }
        }
        closedir(directory)
    }
    rmdir(path)
}
