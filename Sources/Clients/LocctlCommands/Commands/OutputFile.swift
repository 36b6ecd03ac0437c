// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A file that is whole or not there: it is written under another name beside its own, and gets its own when it is on the disk.
///
/// What is there already and no regular file (a pipe, a terminal) is written as it comes.
final class OutputFile {
    private let path: String?
    private let descriptor: Int32
    /// Where it is written until it is whole; nil: in its place.
    private var temporary: String?

    /// The file at `path`; nil: standard output.
    init(_ path: String?) throws(LocctlError) {
        self.path = path
        guard let path else {
            descriptor = STDOUT_FILENO
            return
        }
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            // A link goes on leading to its file.
            let target = realpath(path, nil).map { name in
                defer { free(name) }
                return String(cString: name)
            }
            let name = "\(target ?? path).\(getpid()).part"
            temporary = name
            // Who may not read the file that is replaced reads nothing of the new one.
            descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isThere ? 0o600 : 0o666)
        }
        guard descriptor >= 0, temporary == nil || !isThere || fchmod(descriptor, status.st_mode & 0o777) == 0 else {
            let error = OutputFile.error("write", temporary ?? path)
            if descriptor < 0 { temporary = nil }
            throw error
        }
    }

    deinit {
        if let temporary { unlink(temporary) }
        if path != nil, descriptor >= 0 { close(descriptor) }
    }

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8]) throws(LocctlError) {
        guard path != nil else {
            errno = Console.write(bytes, to: descriptor)
            guard errno == 0 || errno == EPIPE else { throw OutputFile.error("write", "standard output") }
            return
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw OutputFile.error("write", temporary ?? path ?? "") }
            rest = rest.dropFirst(count)
        }
    }

    /// Everything is written: the file gets its name.
    func finish() throws(LocctlError) {
        guard let path, let temporary else { return }
        guard fsync(descriptor) == 0 else { throw OutputFile.error("write", temporary) }
        let target = String(temporary.dropLast(".\(getpid()).part".count))
        guard rename(temporary, target) == 0 else { throw OutputFile.error("replace", path) }
        self.temporary = nil
    }

    private static func error(_ verb: String, _ path: String) -> LocctlError {
        let reason = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
        return LocctlError("cannot \(verb) \(printable(path)): \(reason)", .refused)
    }
}
