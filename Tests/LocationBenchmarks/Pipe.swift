// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What a program writes to whoever started it.
final class Pipe {
    let reading: Int32
    private(set) var writing: Int32
    private var pending: [UInt8] = []

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BenchmarkError(cannot: "make a pipe") }
        // Other programs that are started must not hold it open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        closeWriting()
        close(reading)
    }

    /// When the program has its end: so that it is the only one.
    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// The next line, waited for; nil: the program has ended.
    func nextLine() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeSubrange(0...end) }
                return String(decoding: pending[0..<end], as: UTF8.self)
            }
            let count = read(reading, &buffer, buffer.count)
            guard count > 0 else { return nil }
            pending += buffer[..<count]
        }
    }
}
