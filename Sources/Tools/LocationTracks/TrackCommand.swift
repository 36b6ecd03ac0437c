// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel

/// The command line of `locationd-track`.
package enum TrackCommand {
    /// Runs with the program's `arguments` (the name first); returns the exit status: 0 done, 1 cannot, 64 usage.
    package static func run(_ arguments: [String]) -> Int32 {
        clinux_ignore_sigpipe()
        do {
            switch try TrackOptions.parse(arguments) {
            case .help:
                write(TrackOptions.help, to: STDOUT_FILENO)
                return 0
            case .run(let options):
                switch options.purpose {
                case .write: writeAll(options)
                case .serve(let port): try TrackServer(options: options, port: port).run()
                case .run(let command): return try CommandRun(options, command).run(arguments)
                }
                return 0
            }
        } catch {
            write("locationd-track: \(error)\n", to: STDERR_FILENO)
            guard error.isUsage else { return 1 }
            write(TrackOptions.usage, to: STDERR_FILENO)
            return 64
        }
    }

    // As fast as the reader takes it, in large pieces.
    private static func writeAll(_ options: TrackOptions) {
        let from = options.from ?? WallTime(milliseconds: clinux_realtime_milliseconds())
        var bytes: [UInt8] = []
        for point in options.journey.points(from: from, duration: options.duration) {
            options.append(point, to: &bytes)
            if bytes.count > 60_000 {
                guard write(bytes, to: STDOUT_FILENO) else { return }
                bytes.removeAll(keepingCapacity: true)
            }
        }
        write(bytes, to: STDOUT_FILENO)
    }

    static func write(_ text: String, to fd: Int32) { write(Array(text.utf8), to: fd) }

    // False when nobody reads any more.
    @discardableResult
    private static func write(_ bytes: [UInt8], to fd: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let written = bytes[offset...].withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { return false }
                continue
            }
            offset += written
        }
        return true
    }
}

/// Why `locationd-track` did not run.
struct TrackError: Error, CustomStringConvertible {
    var description: String
    /// The command line was wrong.
    var isUsage = false

    static func usage(_ text: String) -> TrackError { TrackError(description: text, isUsage: true) }
}
