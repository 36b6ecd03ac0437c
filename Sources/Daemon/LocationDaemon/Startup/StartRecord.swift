// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import SystemSupport

/// The recent starts of the daemon that no orderly end followed. A daemon that dies at every start is not to keep the device busy with
/// being started: after a few deaths in a row it pauses before it begins again.
///
/// systemd counts the starts, too, but can only give up for good, or (since 254) wait longer after each death in the life of the device.
struct StartRecord: Equatable {
    /// So many of them within `window` make the daemon pause.
    static let mostStarts = 5
    /// How long a start counts.
    static let window = TimeSpan.seconds(120)
    /// How long the daemon pauses before each further start.
    static let pause = TimeSpan.seconds(30)

    private(set) var starts: [BootInstant]

    /// Reads what `text` wrote; starts that do not count at `now`, or that are no numbers, are left out.
    init(_ text: String = "", at now: BootInstant) {
        starts = text.split(separator: "\n").suffix(StartRecord.mostStarts).compactMap { line in
            guard let nanoseconds = Int64(line), nanoseconds >= 0 else { return nil }
            let start = BootInstant(nanoseconds: nanoseconds)
            return start <= now && now - start < StartRecord.window ? start : nil
        }
    }

    /// Whether the daemon is to pause before it begins.
    var asksForPause: Bool { starts.count >= StartRecord.mostStarts }

    /// The daemon begins.
    mutating func begin(at now: BootInstant) {
        starts.append(now)
        starts = starts.suffix(StartRecord.mostStarts)
    }

    /// A line for each start: nanoseconds on the boot-time clock.
    var text: String { starts.map { "\($0.nanoseconds)\n" }.joined() }
}

/// The file that has the record. It lies in the runtime directory and is gone with a reboot.
struct StartRecordFile {
    private let path: String

    init(runtimeDirectory: String) { path = "\(runtimeDirectory)/starts" }

    /// Returns the record; it has no starts if the file cannot be read.
    func read(at now: BootInstant) -> StartRecord {
        guard case .bytes(let bytes) = SmallFile(at: path) else { return StartRecord(at: now) }
        return StartRecord(String(decoding: bytes, as: UTF8.self), at: now)
    }

    /// Writes it anew. A directory that cannot be written has no record, and the daemon never pauses.
    func write(_ record: StartRecord) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(record.text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }

    /// The daemon ended in order: no start counts any more.
    func forget() { unlink(path) }
}
