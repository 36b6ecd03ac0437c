// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Files")
struct FileTests {
    @Test("no source file is longer than 500 lines")
    func lengths() throws {
        for file in try SourceTree.files(in: "Sources", extensions: ["swift", "c", "h"]) {
            #expect(file.lines.count <= 501, "\(file.path) has \(file.lines.count - 1) lines")
        }
    }

    @Test("every source file starts with its licence", arguments: ["Sources", "Samples", "Tests"])
    func licences(directory: String) throws {
        let files = try SourceTree.files(in: directory, extensions: ["swift", "c", "h"])
        #expect(files.count >= 4)
        for file in files {
            #expect(
                file.lines.first == "// SPDX-License-Identifier: Apache-2.0", "\(file.path):1: the licence is missing")
        }
    }
}
