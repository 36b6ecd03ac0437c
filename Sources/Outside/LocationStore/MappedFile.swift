// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// Memory that the kernel keeps when this process is killed: a file mapped whole, locked against a second process.
/// Or, where no file can be had, memory of this process with the same face.
final class MappedFile {
    /// The result of opening a file that may be missing.
    enum Found {
        case missing
        case unusable(reason: String)
        case mapped(MappedFile)
    }

    private(set) var base: UnsafeMutableRawPointer
    private(set) var length: Int
    /// -1: memory of this process only.
    private let descriptor: CInt
    private let path: String

    private init(base: UnsafeMutableRawPointer, length: Int, descriptor: CInt, path: String) {
        self.base = base
        self.length = length
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        release(base, length)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Zeroed memory without a file.
    static func anonymous(length: Int) throws(StoreError) -> MappedFile {
        guard let base = calloc(1, length) else { throw StoreError(cannot: "set aside \(length) bytes of memory") }
        return MappedFile(base: base, length: length, descriptor: -1, path: "")
    }

    /// Maps an existing file as long as it is. Files too short for a header are `unusable`; errors of the system are thrown.
    static func open(path: String) throws(StoreError) -> Found {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return .missing }
            throw StoreError(cannot: "open \(path)")
        }
        do throws(StoreError) {
            try lock(descriptor, path)
            let length = try regularLength(descriptor, path)
            guard length >= FileHeader.length else {
                close(descriptor)
                return .unusable(reason: "it has only \(length) bytes")
            }
            return .mapped(try map(descriptor, length: length, path: path))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// A zeroed file under a temporary name beside `path`; `publish()` gives it its name when it is worth having.
    static func create(path: String, length: Int) throws(StoreError) -> MappedFile {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = Glibc.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreError(cannot: "create \(temporary)") }
        do throws(StoreError) {
            try lock(descriptor, path)
            return try map(descriptor, length: length, path: path)
        } catch {
            unlink(temporary)
            close(descriptor)
            throw error
        }
    }

    /// Moves a created file to its own name, over what is there.
    func publish() throws(StoreError) {
        guard descriptor >= 0, rename(path + ".new", path) != 0 else { return }
        let error = StoreError(cannot: "rename \(path).new to \(path)")
        unlink(path + ".new")
        throw error
    }

    /// The contents of a file in memory of this process; nil if there is none.
    static func contents(of path: String) throws(StoreError) -> MappedFile? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StoreError(cannot: "open \(path)")
        }
        defer { close(descriptor) }
        let length = try regularLength(descriptor, path)
        let memory = try anonymous(length: max(length, FileHeader.length))
        var done = 0
        while done < length {
            let count = read(descriptor, memory.base + done, length - done)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StoreError(cannot: "read \(path)") }
            guard count > 0 else { break }
            done += count
        }
        return memory
    }

    /// Makes room for `newLength` bytes; `base` moves. Without room nothing has changed.
    func grow(to newLength: Int) throws(StoreError) {
        if descriptor < 0 {
            guard let moved = calloc(1, newLength) else {
                throw StoreError(cannot: "set aside \(newLength) bytes of memory")
            }
            moved.copyMemory(from: base, byteCount: length)
            release(base, length)
            base = moved
        } else {
            guard let moved = clinux_map_file(descriptor, newLength) else {
                throw StoreError(cannot: "reserve \(newLength) bytes for \(path)")
            }
            release(base, length)
            base = moved
        }
        length = newLength
    }

    private func release(_ base: UnsafeMutableRawPointer, _ length: Int) {
        if descriptor < 0 { free(base) } else { munmap(base, length) }
    }

    private static func map(_ descriptor: CInt, length: Int, path: String) throws(StoreError) -> MappedFile {
        guard let base = clinux_map_file(descriptor, length) else {
            throw StoreError(cannot: "reserve \(length) bytes for \(path)")
        }
        return MappedFile(base: base, length: length, descriptor: descriptor, path: path)
    }

    /// A record lock, which belongs to this process alone; one of flock's would live on in a child that is just being started.
    private static func lock(_ descriptor: CInt, _ path: String) throws(StoreError) {
        var whole = flock()
        whole.l_type = Int16(F_WRLCK)
        whole.l_whence = Int16(SEEK_SET)
        guard fcntl(descriptor, F_SETLK, &whole) != 0 else { return }
        if errno == EAGAIN || errno == EACCES { throw StoreError("cannot use \(path): another process uses it") }
        throw StoreError(cannot: "lock \(path)")
    }

    private static func regularLength(_ descriptor: CInt, _ path: String) throws(StoreError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StoreError(cannot: "examine \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw StoreError("cannot use \(path): it is not a file") }
        return Int(status.st_size)
    }
}
