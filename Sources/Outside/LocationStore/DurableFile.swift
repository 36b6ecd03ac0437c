// SPDX-License-Identifier: Apache-2.0
import Glibc

extension MappedFile {
    /// Writes everything to `path`, see `replaceFile`.
    func copy(to path: String) throws(StoreError) {
        try replaceFile(path, with: UnsafeRawBufferPointer(start: base, count: length))
    }
}

/// Writes a file so that a power cut leaves the old one or the whole new one: temporary file, fsync, rename, fsync of the directory.
func replaceFile(_ path: String, with bytes: UnsafeRawBufferPointer) throws(StoreError) {
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw StoreError(cannot: "create \(temporary)") }
    do throws(StoreError) {
        try writeAll(bytes, to: descriptor, temporary)
        guard fsync(descriptor) == 0 else { throw StoreError(cannot: "write \(temporary) to the disk") }
    } catch {
        close(descriptor)
        unlink(temporary)
        throw error
    }
    close(descriptor)
    guard rename(temporary, path) == 0 else {
        let error = StoreError(cannot: "rename \(temporary) to \(path)")
        unlink(temporary)
        throw error
    }
    try syncDirectory(of: path)
}

private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, _ path: String) throws(StoreError) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw StoreError(cannot: "write \(path)", code: count < 0 ? errno : ENOSPC) }
        rest = rest.dropFirst(count)
    }
}

/// Opens the file at `path`; nil: there is none. Throws for what cannot be opened, and for what is no regular file: a pipe would not be
/// opened before somebody else opens it, too.
func openRegularFile(_ path: String, _ flags: CInt) throws(StoreError) -> CInt? {
    let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
        guard errno == ENOENT else { throw StoreError(cannot: "open \(path)") }
        return nil
    }
    var attributes = stat()
    guard fstat(descriptor, &attributes) == 0, attributes.st_mode & S_IFMT == S_IFREG else {
        close(descriptor)
        throw StoreError("cannot open \(path): it is not a regular file")
    }
    return descriptor
}

/// Copies a file; what was at `target` is replaced. Power cuts are not cared for.
package func copyFile(_ source: String, to target: String) throws(StoreError) {
    guard let input = try openRegularFile(source, O_RDONLY) else { throw StoreError(cannot: "open \(source)") }
    defer { close(input) }
    unlink(target)
    let output = Glibc.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard output >= 0 else { throw StoreError(cannot: "create \(target)") }
    defer { close(output) }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(input, &chunk, chunk.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw StoreError(cannot: "read \(source)") }
        guard count > 0 else { return }
        try chunk.withUnsafeBufferPointer { content throws(StoreError) in
            try writeAll(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: content[..<count])), to: output, target)
        }
    }
}

/// Whether there is a file at `path`; nil: nobody can tell.
package func fileExists(_ path: String) -> Bool? {
    var status = stat()
    if lstat(path, &status) == 0 { return true }
    return errno == ENOENT ? false : nil
}

/// The same for bytes that are at hand.
package func replaceFile(_ path: String, with bytes: [UInt8]) throws(StoreError) {
    try bytes.withUnsafeBufferPointer { content throws(StoreError) in
        try replaceFile(path, with: UnsafeRawBufferPointer(content))
    }
}

/// Makes renames in the directory of `path` survive a power cut.
private func syncDirectory(of path: String) throws(StoreError) {
    let directory = directory(of: path)
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(cannot: "open \(directory)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StoreError(cannot: "write \(directory) to the disk") }
}

private func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// How many damaged files of one name are kept: the newest takes the last number when all are taken.
private let keptDamagedFiles = 8

/// The names of files that were set aside in favour of `path`, be they there or not.
func damagedFiles(of path: String) -> [String] { (1...keptDamagedFiles).map { "\(path).corrupt-\($0)" } }

/// Renames a file that cannot be used to `path.corrupt-N`, with its companions (`path` + suffix), and returns the new name.
func setAside(_ path: String, companions: [String] = []) throws(StoreError) -> String {
    let names = damagedFiles(of: path)
    let name = names.first { access($0, F_OK) != 0 } ?? names[names.count - 1]
    for suffix in companions {
        guard rename(path + suffix, name + suffix) != 0 else { continue }
        guard errno == ENOENT else { throw StoreError(cannot: "set aside \(path)\(suffix)") }
        unlink(name + suffix)
    }
    guard rename(path, name) == 0 else { throw StoreError(cannot: "set aside \(path)") }
    return name
}
