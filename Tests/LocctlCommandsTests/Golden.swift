// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

/// A text that stands in Goldens/ as it should be. `LOCATIOND_RECORD=1` writes it there, and such a run fails, so that
/// nobody passes by recording.
enum Golden {
    /// Expects `text` to be that of the file `name`.
    static func expect(
        _ text: String, _ name: String, width: Int? = 80, filePath: String = #filePath,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let path = filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Goldens/\(name).txt"
        if getenv("LOCATIOND_RECORD") != nil {
            guard let stream = fopen(path, "we") else { throw TestFailure("cannot write \(path)") }
            defer { fclose(stream) }
            fputs(text, stream)
            Issue.record("recorded \(path): look at it, and run again without LOCATIOND_RECORD")
            return
        }
        let expected = String(decoding: try readFile(path), as: UTF8.self)
        #expect(text == expected, "\(name) differs from its golden", sourceLocation: sourceLocation)
        for line in text.split(separator: "\n") where line.count > width ?? .max {
            Issue.record("\(name): longer than \(width ?? 0) columns: \(line)", sourceLocation: sourceLocation)
        }
    }
}
