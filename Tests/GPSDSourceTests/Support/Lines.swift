// SPDX-License-Identifier: Apache-2.0
import GPSDSource

extension GPSDDecoder {
    /// Returns the report in the bytes of one line.
    func decode(_ line: [UInt8]) -> GPSDReport? { line.withUnsafeBytes { decode($0) } }
}

extension NMEAReader {
    /// Takes one line; returns the reports of the epoch that it ends.
    mutating func read(_ line: [UInt8]) -> [GPSDReport] {
        var reports: [GPSDReport] = []
        line.withUnsafeBytes { read($0, into: &reports) }
        return reports
    }
}
