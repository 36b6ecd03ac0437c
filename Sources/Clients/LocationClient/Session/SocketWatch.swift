// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc

/// Notices that something of a name appears in the directory where a socket belongs. While that directory is not there, the
/// nearest one above it is watched for the next one on the way.
final class SocketWatch: @unchecked Sendable {
    private let components: [String]
    private let isAbsolute: Bool
    private let fd: Int32
    private let source: any DispatchSourceRead
    private let handler: @Sendable () -> Void
    // The watched directory: it holds the component of this index, which is watched for.
    private var awaited = 0
    private var watch: Int32 = -1

    /// Nil: this system lets no more files be watched.
    init?(for path: String, on queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
        let fd = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard fd >= 0 else { return nil }
        self.fd = fd
        self.handler = handler
        isAbsolute = path.hasPrefix("/")
        components = path.split(separator: "/").map(String.init)
        source = DispatchSource.makeReadSource(fileDescriptor: fd, queue: queue)
        source.setCancelHandler { close(fd) }
        source.setEventHandler { [weak self] in self?.read() }
        place()
        source.activate()
        guard watch >= 0 else { return nil }
    }

    deinit { source.cancel() }

    private func directory(of index: Int) -> String {
        let path = components[..<index].joined(separator: "/")
        return isAbsolute ? "/\(path)" : path.isEmpty ? "." : path
    }

    /// Watches the deepest directory on the way that is there and may be read.
    private func place() {
        if watch >= 0 { inotify_rm_watch(fd, watch) }
        watch = -1
        awaited = components.count - 1
        while awaited >= 0 {
            watch = watchDirectory(of: awaited)
            if watch >= 0 { break }
            awaited -= 1
        }
        // No event is told of a file that appeared between the two looks.
        while watch >= 0, awaited < components.count - 1 {
            let deeper = watchDirectory(of: awaited + 1)
            guard deeper >= 0 else { return }
            inotify_rm_watch(fd, watch)
            watch = deeper
            awaited += 1
        }
    }

    private func watchDirectory(of index: Int) -> Int32 {
        let mask = IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_ONLYDIR
        return inotify_add_watch(fd, directory(of: index), UInt32(mask))
    }

    private func read() {
        var isRelevant = false
        var isMisplaced = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(fd, &buffer, buffer.count)
            guard count > 0 else { break }
            forEachEvent(buffer[..<count]) { event, name in
                // The kernel dropped events, and one of them may have been of the socket.
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { isMisplaced = true }
                guard event.wd == watch else { return }
                if event.mask & UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB) != 0 {
                    // Permissions may have been what was in the way; of the directory itself no name is told.
                    isRelevant = isRelevant || name == components[awaited] || name.isEmpty
                } else {
                    isMisplaced = true
                }
            }
        }
        guard isRelevant || isMisplaced else { return }
        if isMisplaced || awaited < components.count - 1 { place() }
        handler()
    }

    private func forEachEvent(_ bytes: ArraySlice<UInt8>, _ body: (inotify_event, String) -> Void) {
        let header = MemoryLayout<inotify_event>.size
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + header <= bytes.count {
                let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let name = bytes[(offset + header)...].prefix(Int(event.len)).prefix { $0 != 0 }
                body(event, String(decoding: name, as: UTF8.self))
                offset += header + Int(event.len)
            }
        }
    }
}
