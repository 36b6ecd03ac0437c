// SPDX-License-Identifier: Apache-2.0
#pragma once
// Much of curses is macros over one global window, which Swift does not see.
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <ncurses.h>
#include <stdio.h>

static inline SCREEN *cncurses_begin(void) {
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (!screen) return NULL;
    set_term(screen);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    curs_set(0);
    return screen;
}

static inline bool cncurses_begin_colors(void) {
    return has_colors() && start_color() == OK && use_default_colors() == OK;
}

static inline int cncurses_rows(void) { return getmaxy(stdscr); }
static inline int cncurses_columns(void) { return getmaxx(stdscr); }

// `pair` 0: the terminal's own colours.
static inline void cncurses_put(int row, int column, const char *text, int length, bool bold, bool dim, short pair) {
    attr_t attributes = (bold ? A_BOLD : 0) | (dim ? A_DIM : 0);
    attr_set(attributes, pair, NULL);
    mvaddnstr(row, column, text, length);
}

static inline void cncurses_erase(void) { werase(stdscr); }
static inline void cncurses_redraw(void) { clearok(stdscr, TRUE); }
static inline void cncurses_show(void) { wrefresh(stdscr); }
// ERR: no key waits.
static inline int cncurses_key(void) { return wgetch(stdscr); }

static inline void cncurses_end(SCREEN *screen) {
    endwin();
    delscreen(screen);
}
