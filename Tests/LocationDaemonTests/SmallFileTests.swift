// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import SystemSupport
import Testing

@Suite("Files that are read at once")
struct SmallFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func read(_ name: String) -> SmallFile { SmallFile(at: directory.file(name), limit: 20_000) }

    @Test(arguments: [0, 1, 16_384, 20_000])
    func `all of a file is read that is not too long`(length: Int) throws {
        let text = String(repeating: "x", count: length)
        try directory.write(text, to: "a")
        #expect(read("a").text == text)
    }

    @Test func `a longer one, a directory and a pipe are refused, with the reason`() throws {
        try directory.write(String(repeating: "x", count: 20_001), to: "long")
        mkdir(directory.file("directory"), 0o700)
        // Nobody writes into it.
        mkfifo(directory.file("pipe"), 0o600)
        for (name, reason) in [
            ("long", "it has more than 20000 bytes"), ("directory", "it is not a file"), ("pipe", "it is not a file"),
            ("long/a", "Not a directory"),
        ] {
            guard case .refused(reason) = read(name) else {
                Issue.record("\(name) is \(read(name))")
                continue
            }
            #expect(read(name).text == nil)
        }
    }

    @Test func `one that is not there is missing, which is no refusal`() {
        if case .missing = read("a") { return }
        Issue.record("it is \(read("a"))")
    }
}
