// SPDX-License-Identifier: Apache-2.0

/// A picture of characters in rows and columns, each of which takes one column.
package struct Screen: Sendable, Hashable {
    /// How a character looks where the terminal can; every picture is readable without.
    package enum Tone: Int, Sendable, CaseIterable {
        case plain, heading, aside, good, caution, bad, accent
    }

    private struct Cell: Sendable, Hashable {
        var character: Character = " "
        var tone = Tone.plain
    }

    /// Characters that look the same.
    package struct Run: Sendable, Hashable {
        package var column: Int
        package var text: String
        package var tone: Tone
    }

    package let rows: Int
    package let columns: Int
    private var cells: [Cell]

    /// An empty picture.
    package init(rows: Int, columns: Int) {
        (self.rows, self.columns) = (max(0, rows), max(0, columns))
        cells = [Cell](repeating: Cell(), count: self.rows * self.columns)
    }

    /// Puts `text` where there is room for it: at most `width` columns, and nothing outside.
    package mutating func put(_ text: String, _ row: Int, _ column: Int, width: Int = .max, _ tone: Tone = .plain) {
        guard (0..<rows).contains(row) else { return }
        for (offset, character) in text.prefix(max(0, width)).enumerated() {
            let place = column + offset
            guard (0..<columns).contains(place) else { continue }
            cells[row * columns + place] = Cell(character: character, tone: tone)
        }
    }

    /// The character at a place; a blank outside.
    package subscript(row: Int, column: Int) -> Character {
        guard (0..<rows).contains(row), (0..<columns).contains(column) else { return " " }
        return cells[row * columns + column].character
    }

    /// A row as runs, without the blanks at its end.
    package func runs(ofRow row: Int) -> [Run] {
        var runs: [Run] = []
        for column in 0..<columns {
            let cell = cells[row * columns + column]
            if let last = runs.last, last.tone == cell.tone {
                runs[runs.count - 1].text.append(cell.character)
            } else {
                runs.append(Run(column: column, text: String(cell.character), tone: cell.tone))
            }
        }
        while runs.last?.text.allSatisfy({ $0 == " " }) == true { runs.removeLast() }
        return runs
    }

    /// The picture as lines of text, without blanks at their ends.
    package var text: String {
        (0..<rows).map { row in
            let line = String((0..<columns).map { cells[row * columns + $0].character })
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }
}
