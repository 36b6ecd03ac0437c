// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// A directory for nobody else, which goes with its last user.
final class PrivateDirectory {
    private let path: String

    init() throws(TrackError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/locationd-track.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw TrackError(description: "cannot make a directory in \(parent): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { PrivateDirectory.remove(path) }

    // Only what the services made in it: nothing here follows a link out of it.
    private static func remove(_ path: String) {
        var about = stat()
        if lstat(path, &about) == 0, about.st_mode & S_IFMT == S_IFDIR, let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            closedir(directory)
        }
        Glibc.remove(path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: String, to name: String) throws(TrackError) {
        guard let stream = fopen(file(name), "we") else {
            throw TrackError(description: "cannot write \(file(name)): \(String(cString: strerror(errno)))")
        }
        fputs(text, stream)
        guard fclose(stream) == 0 else {
            throw TrackError(description: "cannot write \(file(name)): \(String(cString: strerror(errno)))")
        }
    }

    /// The last 4 KB that the program `name` wrote.
    func log(of name: String) -> String {
        guard let stream = fopen(file("\(name).log"), "re") else { return "" }
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        fseek(stream, 0, SEEK_END)
        fseek(stream, max(ftell(stream) - 4096, 0), SEEK_SET)
        let count = fread(&bytes, 1, bytes.count, stream)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

/// The variables of this process, each as NAME=VALUE.
func currentEnvironment() -> [String] {
    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
        variables.append(String(cString: variable))
        next += 1
    }
    return variables
}
