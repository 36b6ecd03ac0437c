// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport

/// What of a drive's fixes was accepted and what the other side has, told bit by bit: a long drive has tens of thousands.
struct DriveAccount {
    /// Fixes that the witness has heard of as they came.
    private(set) var heard: Set<UInt64> = []
    /// Fixes of which it was told that they are the last known ones: a power cut may have taken them since.
    private(set) var lastKnown: Set<UInt64> = []
    /// Fixes that the other side has, and the identifiers of their messages.
    private(set) var sent: Set<UInt64> = []
    private(set) var identifiers: Set<String> = []
    /// Fixes that were heard of, and that the other side has not, though no power cut has taken them.
    private(set) var missing: Set<UInt64> = []
    /// Fixes that were heard of since the last power cut.
    private(set) var young: Set<UInt64> = []

    /// The witness writes a line.
    mutating func hear(_ line: String) {
        guard line.contains("didUpdateLocations"), let update = (try? JSON(parsing: line))?["params"] else { return }
        let sequences = (update["locations"]?.array ?? []).compactMap { $0["sequence"]?.int }.map { UInt64($0) }
        guard update["cached"] == nil else { return lastKnown.formUnion(sequences) }
        for sequence in sequences {
            guard heard.insert(sequence).inserted else { continue }
            young.insert(sequence)
            if !sent.contains(sequence) { missing.insert(sequence) }
        }
    }

    /// The other side has the message `identifier`, a location.
    mutating func arrive(_ identifier: String) {
        identifiers.insert(identifier)
        guard let sequence = identifier.split(separator: "-").last.flatMap({ UInt64($0) }) else { return }
        sent.insert(sequence)
        missing.remove(sequence)
    }

    /// Fixes that the other side has and nobody heard of.
    var unheard: Set<UInt64> { sent.subtracting(heard).subtracting(lastKnown) }

    /// A power cut has left only those of the young that were `kept`, or that are settled up to `cursor`. Returns which it took.
    mutating func cutPower(cursor: UInt64, kept: Set<UInt64>) -> Set<UInt64> {
        let lost = young.filter { $0 > cursor && !kept.contains($0) }
        missing.subtract(lost)
        young.removeAll()
        return lost
    }
}

extension ChildProcess {
    /// The finished lines of standard output behind its first `read` bytes, which counts them, too, from then on.
    func newLines(after read: inout Int) -> [String] {
        let text = standardOutput.utf8
        let new = text[text.index(text.startIndex, offsetBy: read)...]
        guard let end = new.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        read = text.distance(from: text.startIndex, to: end) + 1
        return new[..<end].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }
}
