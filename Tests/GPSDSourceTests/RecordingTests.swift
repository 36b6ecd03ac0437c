// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import Glibc
import LocationModel
import Testing

/// gpsd's own recordings, if they are at hand: they are not part of this package.
private enum Recordings {
    static let directory: String? = {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let shared = getenv("LOCATIOND_SHARED").map { String(cString: $0) } ?? "/\(root)/../shared"
        let directory = "\(shared)/gpsd-logs"
        return access(directory, R_OK) == 0 ? directory : nil
    }()
    static let areUsable = directory != nil && access(RealGPSD.path, X_OK) == 0

    /// The recording without the comments before it: sentences, or small pieces of a binary protocol.
    static func packets(_ name: String) throws -> [ArraySlice<UInt8>] {
        var bytes = try contents("\(directory ?? "")/\(name).log")[...]
        while bytes.first == UInt8(ascii: "#"), let end = bytes.firstIndex(of: 0x0A) { bytes = bytes[(end + 1)...] }
        let isText = bytes.prefix(2000).allSatisfy { $0 < 0x7F }
        guard isText else {
            let size = max(64, bytes.count / 600)
            return stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map {
                bytes[$0..<min($0 + size, bytes.endIndex)]
            }
        }
        return bytes.split(separator: 0x0A).filter { $0.first != UInt8(ascii: "#") }.map { Array($0) + [0x0A] }.map {
            $0[...]
        }
    }

    private static func contents(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw RealGPSD.Failure("read \(path)") }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        return bytes
    }
}

/// What a recording shows, and what its radii may be, metres.
struct Recording: Sendable, CustomTestStringConvertible {
    var name: String
    var epochs: Int
    var accuracy: ClosedRange<Double> = 3...30
    var testDescription: String { name }

    static let all = [
        Recording(name: "haicom-305N", epochs: 67, accuracy: 3...110),
        Recording(name: "bu303-moving", epochs: 12),
        Recording(name: "quectel-eg25-g", epochs: 26, accuracy: 3...150),
        Recording(name: "humminbird-M37", epochs: 31, accuracy: 1.5...150),
        Recording(name: "navisys-gr701w", epochs: 60, accuracy: 1.5...50),
        Recording(name: "ublox-neo-m8n", epochs: 24, accuracy: 0.5...2),
        Recording(name: "bu303-nofix", epochs: 0),
        // Its first epoch comes as three reports without time: one epoch here.
        Recording(name: "telit-he910", epochs: 188),
        Recording(name: "ublox-zed-f9p_hpg1.11", epochs: 654, accuracy: 3...10),
        Recording(name: "rst39", epochs: 40, accuracy: 1.5...150),
        Recording(name: "trimble-lassen_iq-3dfix", epochs: 42, accuracy: 3...50),
        Recording(name: "garmin18x-bin", epochs: 29, accuracy: 5...12),
    ]
}

@Suite(
    "Recordings through a real gpsd (extra: they need ../shared/gpsd-logs and gpsd)", .enabled(if: Recordings.areUsable)
)
struct RecordingTests {
    @Test("every epoch of a recording becomes exactly one fix with a sane radius", arguments: Recording.all)
    func epochs(recording: Recording) throws {
        var outcome = try RealGPSD.replay(Recordings.packets(recording.name))
        // A gpsd that opens the receiver late on a busy machine never saw the first epoch.
        if runsOfTime(outcome.lines).count < recording.epochs {
            outcome = try RealGPSD.replay(Recordings.packets(recording.name))
        }
        let expected = runsOfTime(outcome.lines)
        #expect(outcome.fixes.map { $0.hasReceiverTime ? $0.location.timestamp.rfc3339 : "" } == expected)
        #expect(outcome.fixes.count == recording.epochs)
        for fix in outcome.fixes {
            #expect(recording.accuracy.contains(fix.location.horizontalAccuracy))
            #expect(fix.location.coordinate.isValid)
            #expect(fix.location.verticalAccuracy.map { $0 > 0 && $0 < 300 } ?? true)
            #expect(fix.location.altitude == nil || fix.mode == 3)
            #expect(fix.location.course.map { $0 >= 0 && $0 < 360 } ?? true)
        }
        #expect(outcome.unusableLines == 0)
        #expect(outcome.receivers.contains { $0.driver != nil })
    }

    // The times of the reports with a fix, a run of equal ones counted once, "" for none; read without the decoder.
    private func runsOfTime(_ lines: [String]) -> [String] {
        var runs: [String] = []
        var mayContinue = false
        for line in lines where line.hasPrefix("{\"class\":\"TPV\"") {
            let time = text(of: "\"time\":\"", in: line, until: "\"") ?? ""
            guard let mode = text(of: "\"mode\":", in: line, until: ",").flatMap({ Int($0) }), mode >= 2 else {
                if time.isEmpty { mayContinue = false }
                continue
            }
            if !mayContinue || runs.last != time { runs.append(time) }
            mayContinue = true
        }
        return runs
    }

    private func text(of key: String, in line: String, until end: Character) -> String? {
        let bytes = Array(line.utf8)
        let wanted = Array(key.utf8)
        guard bytes.count > wanted.count else { return nil }
        for start in 0..<(bytes.count - wanted.count) where bytes[start..<start + wanted.count].elementsEqual(wanted) {
            let value = bytes[(start + wanted.count)...].prefix { $0 != end.asciiValue && $0 != UInt8(ascii: "}") }
            return String(decoding: value, as: UTF8.self)
        }
        return nil
    }
}
