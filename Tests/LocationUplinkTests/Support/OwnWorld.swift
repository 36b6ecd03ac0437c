// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport

/// A network and mounts that are nobody else's: `make uplink-test` runs the tests there and says so in the environment.
enum OwnWorld {
    static let isHere = getenv("LOCATIOND_OWN_WORLD") != nil

    private static func run(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let process = try ChildProcess(try requireProgram(words[0]), Array(words.dropFirst()))
        guard try process.waitForExit() == .exited(0) else {
            throw TestFailure("cannot run \(line): \(process.standardError)")
        }
    }

    /// Drops every packet to and from a port of TCP, without a word to either side.
    static func cutNetwork(at port: UInt16) throws {
        try run("nft add table inet cut\(port)")
        try run("nft add chain inet cut\(port) out { type filter hook output priority 0; }")
        for side in ["sport", "dport"] { try run("nft add rule inet cut\(port) out tcp \(side) \(port) drop") }
    }

    static func mendNetwork(at port: UInt16) throws { try run("nft delete table inet cut\(port)") }

    /// A disk of so many kilobytes at `path`, a directory.
    static func mountDisk(at path: String, kilobytes: Int) throws {
        try run("mount -t tmpfs -o size=\(kilobytes)k,mode=700 small \(path)")
    }

    static func unmountDisk(at path: String) throws { try run("umount --lazy \(path)") }

    /// Leaves no byte free at `path`, until the file that is returned is gone.
    static func fillDisk(at path: String) throws -> String {
        let file = "\(path)/fill"
        let fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard fd >= 0 else { throw TestFailure("cannot write \(file)") }
        defer { close(fd) }
        for size in [1 << 16, 512] {
            let bytes = [UInt8](repeating: 0, count: size)
            while write(fd, bytes, bytes.count) > 0 {}
        }
        return file
    }
}
