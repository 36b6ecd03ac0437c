// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemSupport

/// A small file that is whole at any time: the old content or the new one.
struct AtomicFile {
    let path: String
    /// Whether a power cut may not take the new content back.
    let isDurable: Bool
    let mode: mode_t

    /// Writes `bytes` in place of what there was.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        let draft = "\(path).new"
        let fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode)
        guard fd >= 0 else { throw SystemError(cannot: "write \(draft)") }
        do throws(SystemError) {
            try writeAll(bytes, to: fd, draft)
            // The umask has its say in open().
            guard fchmod(fd, mode) == 0 else { throw SystemError(cannot: "set the mode of \(draft)") }
            if isDurable, fsync(fd) != 0 { throw SystemError(cannot: "write \(draft)") }
        } catch {
            close(fd)
            unlink(draft)
            throw error
        }
        guard close(fd) == 0, rename(draft, path) == 0 else { throw SystemError(cannot: "write \(path)") }
        if isDurable { try syncDirectory() }
    }

    private func writeAll(_ bytes: [UInt8], to fd: Int32, _ draft: String) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(cannot: "write \(draft)") }
            rest = rest.dropFirst(count)
        }
    }

    // Else the name may still mean the old file after a power cut.
    private func syncDirectory() throws(SystemError) {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let fd = open(directory.isEmpty ? "/" : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard fd >= 0 else { throw SystemError(cannot: "open \(directory)") }
        defer { close(fd) }
        guard fsync(fd) == 0 else { throw SystemError(cannot: "write \(directory)") }
    }
}
