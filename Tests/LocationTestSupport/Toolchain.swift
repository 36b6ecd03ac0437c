// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The toolchain that built the tests: the one whose runtime they run with, which need not be the first one in PATH.
package enum Toolchain {
    /// The path of its program `name`.
    package static func program(_ name: String) throws -> String {
        guard let library = runtime else {
            throw TestFailure("cannot tell which toolchain's \(name) to run: the tests have no shared Swift runtime")
        }
        guard let directory = directory(ofRuntime: library) else {
            throw TestFailure("cannot find the toolchain of \(library): a toolchain has it in usr/lib/swift/linux")
        }
        let program = "\(directory)/bin/\(name)"
        guard access(program, X_OK) == 0 else {
            throw TestFailure(
                "cannot find \(program): the tests run with the runtime \(library), and only that toolchain's \(name) "
                    + "reads the modules that it built; run them with the toolchain that built them")
        }
        return program
    }

    /// The directory above `bin` and `lib` of the toolchain that has its runtime at `library`.
    private static func directory(ofRuntime library: String) -> String? {
        let components = library.split(separator: "/")
        guard components.dropLast().suffix(3) == ["lib", "swift", "linux"] else { return nil }
        return components.dropLast(4).map { "/\($0)" }.joined()
    }

    /// The file that the Swift runtime was loaded from; nil: it is part of the program.
    package static var runtime: String? {
        guard let maps = try? readFile("/proc/self/maps") else { return nil }
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            guard line.hasSuffix("/libswiftCore.so"), let path = line.firstIndex(of: "/") else { continue }
            return String(line[path...])
        }
        return nil
    }
}
