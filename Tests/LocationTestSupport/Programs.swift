// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The path of a program that the test needs, from PATH and the directories of system programs, or else from `directory`.
package func requireProgram(_ name: String, in directory: String? = nil) throws -> String {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let directories =
        path.split(separator: ":").map(String.init)
        + ["/usr/local/sbin", "/usr/sbin", "/sbin", directory].compactMap { $0 }
    for directory in directories where access("\(directory)/\(name)", X_OK) == 0 { return "\(directory)/\(name)" }
    throw TestFailure("cannot run this test without the program \(name): install it")
}

/// What the build made, and where it made it from.
package enum BuildProducts {
    /// The path of the built program `name`, next to the program that runs the tests or in `.build/debug` above it.
    package static func program(_ name: String) throws -> String {
        let candidates = [directory(of: testProgram)] + ancestors.map { "\($0)/.build/debug" }
        for candidate in candidates where access("\(candidate)/\(name)", X_OK) == 0 { return "\(candidate)/\(name)" }
        throw TestFailure("cannot find the built program \(name) in \(candidates.joined(separator: ", "))")
    }

    /// The directory that holds Package.swift.
    package static func packageDirectory() throws -> String {
        for candidate in ancestors where access("\(candidate)/Package.swift", R_OK) == 0 { return candidate }
        throw TestFailure("cannot find Package.swift above \(testProgram)")
    }

    // The running program, links resolved.
    private static let testProgram: String = {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                characters.baseAddress.map { readlink("/proc/self/exe", $0, characters.count) } ?? 0
            }
        }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }()

    // The directories above the running program and above the working directory, nearest first.
    private static let ancestors: [String] = {
        var found: [String] = []
        let working = getcwd(nil, 0)
        defer { free(working) }
        for start in [directory(of: testProgram), working.map { String(cString: $0) } ?? "/"] {
            var path = start
            while !path.isEmpty {
                found.append(path)
                path = directory(of: path)
            }
        }
        return found
    }()

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[..<slash])
    }
}
