// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A file that is whole or not there: it is written without a name, so that nothing of it stays whatever ends this program, and gets its
/// name when it is on the disk. Where a file system has no files without names, it is written under another name beside its own.
///
/// A path that is there already and no regular file (a pipe, a terminal) is written as it comes.
final class OutputFile {
    private let path: String?
    private let descriptor: Int32
    /// The file that it becomes when it is whole; nil: it is written in its place.
    private let target: String?
    /// Its name until then; nil: it has none.
    private var temporary: String?

    /// The file at `path`; nil: standard output.
    init(_ path: String?) throws(LocctlError) {
        self.path = path
        guard let path else {
            (descriptor, target) = (STDOUT_FILENO, nil)
            return
        }
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            (descriptor, target) = (open(path, O_WRONLY | O_CLOEXEC), nil)
        } else {
            // A link goes on leading to its file.
            let name = realpath(path, nil).map { name in
                defer { free(name) }
                return String(cString: name)
            }
            target = name ?? path
            // While the new file has not yet the permissions of the file that it replaces, only its owner may read it.
            (descriptor, temporary) = OutputFile.draft(of: name ?? path, mode: isThere ? 0o600 : 0o666)
        }
        guard descriptor >= 0, target == nil || !isThere || fchmod(descriptor, status.st_mode & 0o777) == 0 else {
            let error = OutputFile.error("write", path)
            if descriptor < 0 { temporary = nil }
            throw error
        }
    }

    private static func draft(of path: String, mode: mode_t) -> (descriptor: Int32, name: String?) {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        // O_TMPFILE, which Swift hides.
        let nameless = open(directory, O_WRONLY | O_CLOEXEC | 0o20000000 | O_DIRECTORY, mode)
        guard nameless < 0, errno == EOPNOTSUPP || errno == EISDIR else { return (nameless, nil) }
        let name = partName(of: path)
        return (open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode), name)
    }

    private static func partName(of path: String) -> String { "\(path).\(getpid()).part" }

    deinit {
        if let temporary { unlink(temporary) }
        if path != nil, descriptor >= 0 { close(descriptor) }
    }

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8]) throws(LocctlError) {
        guard path != nil else {
            let code = Console.write(bytes, to: descriptor)
            guard code == 0 || code == EPIPE else { throw Console.outputError(code) }
            return
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw OutputFile.error("write", path ?? "") }
            rest = rest.dropFirst(count)
        }
    }

    /// Everything is written: the file gets its name.
    func finish() throws(LocctlError) {
        guard let path, let target else { return }
        guard fsync(descriptor) == 0 else { throw OutputFile.error("write", path) }
        let name = temporary ?? OutputFile.partName(of: target)
        if temporary == nil {
            // A link takes no name that there is, and a name is replaced by another.
            guard linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else {
                throw OutputFile.error("write", path)
            }
            temporary = name
        }
        guard rename(name, target) == 0 else { throw OutputFile.error("replace", path) }
        temporary = nil
    }

    private static func error(_ verb: String, _ path: String) -> LocctlError {
        let reason = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
        return LocctlError("cannot \(verb) \(printable(path)): \(reason)", .refused)
    }
}
