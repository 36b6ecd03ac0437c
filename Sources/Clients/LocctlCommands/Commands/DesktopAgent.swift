// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient

/// `locctl agent --desktop`: goes on as locationd-agent, a program of its own, so that locctl needs no library of the bus.
enum DesktopAgent {
    private static let name = "locationd-agent"

    /// Returns only the reason why that cannot be.
    static func run(_ address: DaemonAddress) -> LocctlError {
        // Where locctl was built it is beside it; where both are installed it is no command.
        let paths = [ownDirectory.map { "\($0)/\(name)" }, "/usr/libexec/\(name)"].compactMap { $0 }
        guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
            return LocctlError("cannot find \(name): looked for \(paths.joined(separator: ", "))", .refused)
        }
        let words: [String] = [path, "--socket", address.path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        execv(path, &arguments)
        return LocctlError("cannot run \(path): \(String(cString: strerror(errno)))", .refused)
    }

    private static var ownDirectory: String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &bytes, bytes.count - 1)
        guard count > 0 else { return nil }
        let path = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
}
