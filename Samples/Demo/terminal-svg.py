#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what a terminal shows, as `tmux capture-pane -e -p` tells it, as SVG: terminal-svg.py COLUMNS ROWS <screen >picture."""

import re
import sys
from html import escape

WIDTH, HEIGHT, MARGIN = 8, 17, 12
COLORS = {31: "#ff7b72", 32: "#56d364", 33: "#e3b341", 36: "#76e3ea"}
PLAIN, BACKGROUND = "#d0d7de", "#0d1117"


class Pen:
    """How the terminal writes, which goes on from line to line."""

    def __init__(self):
        self.color, self.bold, self.dim = PLAIN, False, False

    def obey(self, code):
        if code in (0, 39):
            self.color = PLAIN
        if code in (0, 22):
            self.bold, self.dim = False, False
        self.bold, self.dim = self.bold or code == 1, self.dim or code == 2
        self.color = COLORS.get(code, self.color)

    def runs(self, line):
        """The runs of a line: column, text, and how they look."""
        column = 0
        for part in re.split(r"(\x1b\[[0-9;]*m|[\x0e\x0f])", line):
            if part.startswith("\x1b["):
                for code in part[2:-1].split(";"):
                    self.obey(int(code or 0))
            elif part and part not in "\x0e\x0f":
                yield column, part, self.look()
                column += len(part)

    def look(self):
        weight = ' font-weight="bold"' if self.bold else ""
        faint = ' opacity=".6"' if self.dim else ""
        return f'fill="{self.color}"{weight}{faint}'


def words(text):
    """Stretches without wide gaps, so that no font moves what stands behind one."""
    for match in re.finditer(r"\S+(?: \S+)*", text):
        yield match.start(), match.group()


columns, rows = int(sys.argv[1]), int(sys.argv[2])
width, height = columns * WIDTH + 2 * MARGIN, rows * HEIGHT + 2 * MARGIN
print(
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="monospace" font-size="13">'
    f"<title>locctl top</title>"
    f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>'
)
pen = Pen()
for row, line in enumerate(sys.stdin.read().split("\n")[:rows]):
    for column, text, look in pen.runs(line):
        for offset, word in words(text):
            x, y = MARGIN + (column + offset) * WIDTH, MARGIN + (row + 1) * HEIGHT - 4
            length = f' textLength="{len(word) * WIDTH}"' if len(word) > 1 else ""
            print(f'<text x="{x}" y="{y}" {look}{length}>{escape(word)}</text>')
print("</svg>")
