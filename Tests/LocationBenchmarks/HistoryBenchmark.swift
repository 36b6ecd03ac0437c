// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel
import LocationStore
import LocationTracks

/// A year of fixes, one a second: the size of its file, what it costs to write, and what the daemon takes while a day of it is read.
enum HistoryBenchmark {
    /// Fixes of one write at 1 Hz, as `Sync=` has it unless said otherwise.
    private static let batch = 300
    private static let day = 86_400
    /// Days that are written in such batches; the rest in larger ones, since its size is the same.
    private static let measuredDays = 3
    private static let largeBatch = 2000

    static func run(programs: String, days: Int) throws {
        print("history: \(days) days of a drive at 1 Hz")
        let directory = try TemporaryState()
        let begin = WallTime(milliseconds: clinux_realtime_milliseconds() - Int64(days) * 86_400_000)
        try write(days: days, from: begin, directory.path("state/history.sqlite"))
        try read(programs: programs, days: days, from: begin, directory)
        print("")
    }

    private static func write(days: Int, from begin: WallTime, _ path: String) throws {
        let file = try HistoryFile(path: path, startingAfter: 0)
        let track = Track(.drive, from: begin, duration: .seconds(Double(days * day)), rate: 1, seed: 1)
        var entries: [LogEntry] = []
        var (sequence, longest, spent, batches) = (UInt64(0), 0.0, 0.0, 0)
        func flush() throws {
            let start = nanoseconds()
            try file.append(entries, HistoryFile.Limits())
            if entries.count == batch {
                let time = Double(nanoseconds() - start)
                (longest, spent, batches) = (max(longest, time), spent + time, batches + 1)
            }
            entries.removeAll(keepingCapacity: true)
        }
        for point in track {
            guard let location = location(point, sequence + 1) else { continue }
            sequence += 1
            entries.append(LogEntry(location: location, odometer: 0, flags: sequence % 900 == 1 ? 1 : 0))
            if entries.count == (sequence <= UInt64(measuredDays * day) ? batch : largeBatch) { try flush() }
        }
        if !entries.isEmpty { try flush() }
        let size = try file.size
        print("  fixes                    \(sequence)")
        print("  file, MB                 \(fixed(Double(size) / 1e6, 1))")
        print("  bytes a fix              \(fixed(Double(size) / Double(max(sequence, 1)), 2))")
        print(
            "  a batch of \(batch), ms        \(fixed(spent / Double(max(batches, 1)) / 1e6, 2)) (longest \(fixed(longest / 1e6, 1)))"
        )
    }

    /// What gpsd's fix of a usual receiver has.
    static func location(_ point: TrackPoint, _ sequence: UInt64) -> Location? {
        guard let place = point.measured else { return nil }
        let rounded = Coordinate(
            latitude: (place.latitude * 1e9).rounded() / 1e9, longitude: (place.longitude * 1e9).rounded() / 1e9)
        return Location(
            coordinate: rounded, horizontalAccuracy: point.hdop * 5, timestamp: point.time, sequence: sequence,
            altitude: point.altitude, ellipsoidalAltitude: point.altitude + 47, verticalAccuracy: point.hdop * 8,
            speed: point.speed, speedAccuracy: point.hdop * 0.5, course: point.course,
            courseAccuracy: point.course.map { _ in point.hdop })
    }

    private static func read(programs: String, days: Int, from begin: WallTime, _ directory: TemporaryState) throws {
        let source = try PositionSource()
        try directory.write("conf", "[History]\nKeep=36500\nMaximumSize=102400M\n")
        let started = nanoseconds()
        let program = try Program(
            "\(programs)/locationd",
            [
                "--config", directory.path("conf"), "--socket", directory.path("s"), "--gpsd",
                "127.0.0.1:\(source.port)", "--runtime-directory", directory.path("run"), "--state-directory",
                directory.path("state"),
            ])
        try awaitSocket(directory.path("s"))
        print("  start of the daemon, ms  \(fixed(Double(nanoseconds() - started) / 1e6, 0))")
        let before = program.memory
        let middle = WallTime(milliseconds: begin.milliseconds + Int64(days / 2) * 86_400_000)
        let end = WallTime(milliseconds: middle.milliseconds + 86_400_000)
        for format in ["gpx", "csv"] {
            let start = nanoseconds()
            let exporter = try Program(
                "\(programs)/locctl",
                [
                    "--socket", directory.path("s"), "export", "--format", format, "--from", middle.rfc3339, "--to",
                    end.rfc3339, "-o", directory.path("day.\(format)"),
                ])
            exporter.wait()
            print("  a day as \(format), s          \(fixed(Double(nanoseconds() - start) / 1e9, 2))")
        }
        let after = program.memory
        print(
            "  daemon, KiB              \(before.resident) before, \(after.resident) after (anonymous \(before.anonymous), \(after.anonymous))"
        )
    }
}

/// A directory that is gone when the benchmark is.
final class TemporaryState {
    private let directory: String

    init() throws {
        var template = Array("/var/tmp/locationd-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchmarkError(cannot: "make a directory") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for name in ["run", "state"] { mkdir(path(name), 0o700) }
    }

    deinit {
        for name in ["run", "state", "."] {
            guard let entries = opendir(path(name)) else { continue }
            defer { closedir(entries) }
            while let entry = readdir(entries) {
                let file = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                unlink(path("\(name)/\(file)"))
            }
        }
        for name in ["run", "state"] { rmdir(path(name)) }
        rmdir(directory)
    }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func write(_ name: String, _ text: String) throws {
        let file = open(path(name), O_WRONLY | O_CREAT, 0o600)
        guard file >= 0 else { throw BenchmarkError(cannot: "write \(name)") }
        _ = text.withCString { Glibc.write(file, $0, strlen($0)) }
        close(file)
    }
}
