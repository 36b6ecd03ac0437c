// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("locctl top", .blocking)
struct TopCommandTests {
    private let run: LocctlRun

    init() throws {
        run = try LocctlRun()
        run.daemon.stop()
    }

    @Test(
        "a key and Ctrl-C end it, and the terminal is put back", arguments: [Array("q".utf8), [3]])
    func ends(keys: [UInt8]) throws {
        let top = try run.startAtTerminal("top")
        try waitUntil("the picture is there") { top.standardOutput.contains("No locationd: cannot connect") }
        try top.write(keys)
        #expect(try top.waitForExit() == .exited(0))
        let text = top.standardOutput
        #expect(text.contains("\u{1B}[?1049h"), "the program has a screen of its own")
        #expect(text.suffix(60).contains("\u{1B}[?1049l"), "the former screen is back")
        // The cursor was hidden, and is shown again.
        #expect(text.contains("\u{1B}[?25l") && text.suffix(60).contains("\u{1B}[?25h"))
    }

    @Test("a terminal that can do nothing, and one that nobody knows, get text", arguments: ["dumb", "nonsense"])
    func text(terminal: String) throws {
        let top = try run.startAtTerminal("top", as: terminal)
        #expect(try top.waitForExit() == .exited(3))
        #expect(top.standardOutput.contains("No locationd: cannot connect"))
        #expect(!top.standardOutput.contains("\u{1B}") && !top.standardOutput.contains("quit"))
    }

    @Test func `what is no terminal gets one picture, as text`() throws {
        let top = try run.start("top")
        #expect(try top.waitForExit() == .exited(3))
        #expect(top.standardOutput.hasPrefix("locctl top  20"))
        #expect(top.standardOutput.split(separator: "\n", omittingEmptySubsequences: false).count == 41)
        #expect(!top.standardOutput.contains("\u{1B}"))
    }
}
