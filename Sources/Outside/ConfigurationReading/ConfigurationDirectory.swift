// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A directory with files of settings.
package enum ConfigurationDirectory {
    /// The paths of all `*.conf` of a directory, ordered by the bytes of their names. One that is missing has none.
    package static func files(in directory: String) -> (paths: [String], problem: String?) {
        guard let stream = opendir(directory) else {
            return ([], errno == ENOENT ? nil : "cannot use \(directory): \(String(cString: strerror(errno)))")
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
}
