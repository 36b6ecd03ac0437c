// SPDX-License-Identifier: Apache-2.0
import CNcurses
import Glibc

/// The terminal of this process while a program has all of it. There is one at a time, on one thread.
///
/// Ctrl-Z gives the terminal back and `fg` takes it again, as curses has it. What ends the process has to call `end` first.
package final class Terminal {
    /// A key, or what curses calls one.
    package enum Key: Sendable, Hashable {
        case character(Character)
        /// The terminal has another size.
        case resize
        /// One that means nothing here.
        case other
    }

    private let screen: OpaquePointer
    private let usesColor: Bool
    private var hasEnded = false

    /// Takes the terminal; nil: standard output is none, or curses cannot use it.
    package init?(usesColor: Bool) {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, let screen = cncurses_begin() else { return nil }
        self.screen = screen
        self.usesColor = usesColor && cncurses_begin_colors()
        guard self.usesColor else { return }
        for tone in Screen.Tone.allCases { if let color = tone.color { init_pair(Int16(tone.rawValue), color, -1) } }
    }

    deinit { end() }

    /// Whether this process may write more than ASCII.
    package static var showsUnicode: Bool {
        setlocale(LC_CTYPE, "")
        return String(cString: nl_langinfo(Int32(CODESET))) == "UTF-8"
    }

    package var rows: Int { Int(cncurses_rows()) }
    package var columns: Int { Int(cncurses_columns()) }

    /// Shows `picture` in place of what is there; curses writes only what differs.
    package func show(_ picture: Screen) {
        cncurses_erase()
        for row in 0..<min(picture.rows, rows) {
            for run in picture.runs(ofRow: row) {
                let pair = usesColor && run.tone.color != nil ? Int16(run.tone.rawValue) : 0
                let isBold = run.tone == .heading || run.tone == .bad && pair == 0
                cncurses_put(
                    Int32(row), Int32(run.column), run.text, Int32(run.text.utf8.count), isBold, run.tone == .aside,
                    pair)
            }
        }
        cncurses_show()
    }

    /// Draws everything anew with the next picture, whatever another program wrote meanwhile.
    package func redraw() { cncurses_redraw() }

    /// The next key that was pressed; nil: none waits.
    package func nextKey() -> Key? {
        let code = cncurses_key()
        switch code {
        case ERR: return nil
        case KEY_RESIZE: return .resize
        case 0x20..<0x7F: return .character(Character(Unicode.Scalar(UInt8(code))))
        case 0x0C: return .character("\u{0C}")
        default: return .other
        }
    }

    /// Gives the terminal back as it was.
    package func end() {
        guard !hasEnded else { return }
        hasEnded = true
        cncurses_end(screen)
    }
}

extension Screen.Tone {
    /// nil: the terminal's own.
    fileprivate var color: Int16? {
        switch self {
        case .plain, .heading, .aside: nil
        case .good: Int16(COLOR_GREEN)
        case .caution: Int16(COLOR_YELLOW)
        case .bad: Int16(COLOR_RED)
        case .accent: Int16(COLOR_CYAN)
        }
    }
}
