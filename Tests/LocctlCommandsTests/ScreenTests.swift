// SPDX-License-Identifier: Apache-2.0
import TerminalScreen
import Testing

@Suite("A picture of characters")
struct ScreenTests {
    @Test func `what finds no room is left out, and nothing else is disturbed`() {
        var screen = Screen(rows: 2, columns: 5)
        screen.put("abcdefg", 0, 2)
        screen.put("xyz", 1, -1, .good)
        screen.put("never", 2, 0)
        screen.put("never", -1, 0)
        screen.put("12345", 1, 3, width: 1)
        #expect(screen.text == "  abc\nyz 1\n")
        #expect(screen[0, 2] == "a" && screen[7, 7] == " ")
    }

    @Test func `a row is told in runs of one tone, without the blanks at its end`() {
        var screen = Screen(rows: 1, columns: 12)
        screen.put("on", 0, 1, .good)
        screen.put("off", 0, 4, .bad)
        let runs = screen.runs(ofRow: 0)
        #expect(runs.map(\.text) == [" ", "on", " ", "off"])
        #expect(runs.map(\.column) == [0, 1, 3, 4])
        #expect(runs.map(\.tone) == [.plain, .good, .plain, .bad])
    }

    @Test func `a picture without room is one`() {
        #expect(Screen(rows: -1, columns: 5).text.isEmpty)
        #expect(Screen(rows: 2, columns: 0).text == "\n\n")
    }
}
