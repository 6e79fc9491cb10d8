/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "top.h"
#include "../util/memory.h"
#include "../format/clock.h"

#include <curses.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

struct screen {
    struct top *top;
    bool frozen;
    struct error message; /* shown in the last line until a key is pressed */
};

bool top_screen_is_possible(void) {
    int error;

    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
           setupterm(NULL, STDOUT_FILENO, &error) == OK && cursor_address && clear_screen;
}

static void last_line(const struct screen *s) {
    const char *sorted = top_columns[s->top->sort].title;

    if (*s->message.text) {
        mvaddnstr(LINES - 1, 0, s->message.text, COLS - 1);
        return;
    }
    move(LINES - 1, 0);
    printw("q quit  space %s  s sort (%s)  n %s  / filter%s",
           s->frozen ? "go on (frozen)" : "freeze", sorted, s->top->nest ? "figures" : "nest",
           s->top->filter.name ? ": " : "");
    addnstr(s->top->filter.name ? s->top->filter.name : "", COLS > 80 ? COLS - 80 : 0);
}

/* Draws the tables without colours, in the screen's width. Leaves out lines that do not fit. */
static void draw(const struct screen *s) {
    struct top *t = s->top;
    double limit = t->style.limit; /* NaN: --limit was not given */
    char width[16], *text = NULL;
    size_t size;
    FILE *out = must_open_text(&text, &size);

    snprintf(width, sizeof(width), "%d", COLS);
    setenv("COLUMNS", width, 1);
    t->style.limit = !isnan(limit) ? limit : LINES > 12 ? (LINES - 6) * 2 / 3 : 4;
    top_print(t, out);
    t->style.limit = limit;
    must_close_text(out, &text);
    unsetenv("COLUMNS"); /* curses would use it as the terminal's width */
    erase();
    char *line = text;
    for (int y = 0; line && *line && y < LINES - 1; y++) {
        char *end = strchrnul(line, '\n');
        attrset(y == 0 ? A_BOLD : y == 2 ? A_REVERSE : A_NORMAL);
        mvaddnstr(y, 0, line, (int)(end - line));
        if (getcury(stdscr) > y) { /* the text was wider than the screen */
            move(y + 1, 0);
            clrtobot();
        }
        line = *end ? end + 1 : end;
    }
    attrset(A_NORMAL);
    last_line(s);
    refresh();
    free(text);
}

static void sort_by_next(struct top *t) {
    do {
        t->sort = (t->sort + 1) % TOP_COLUMNS;
    } while (top_columns[t->sort].kind == REPORT_TEXT || top_columns[t->sort].rank == 0);
}

/* Asks for the pattern of the names to show. An empty pattern removes the filter. */
static void ask_pattern(struct screen *s) {
    struct top *t = s->top;

    filter_end(&t->filter);
    *t->pattern = 0;
    move(LINES - 1, 0);
    clrtoeol();
    addstr("only names that match: ");
    echo();
    timeout(-1);
    getnstr(t->pattern, sizeof(t->pattern) - 1);
    noecho();
    t->filter.name = *t->pattern ? t->pattern : NULL;
    if (!filter_begin(&t->filter, &s->message)) {
        t->filter.name = NULL;
    }
}

/* Handles a key. False: leave the screen. */
static bool obey(struct screen *s, int key) {
    s->message.text[0] = 0;
    switch (key) {
    case 'q':
        return false;
    case ' ':
        s->frozen = !s->frozen;
        break;
    case 's':
        sort_by_next(s->top);
        break;
    case 'n':
        s->top->nest = !s->top->nest;
        break;
    case '/':
        ask_pattern(s);
        break;
    default: /* also KEY_RESIZE */
        break;
    }
    return true;
}

static double now_seconds(void) {
    return (double)clock_ns(CLOCK_MONOTONIC) / 1e9;
}

bool top_screen(struct top *t, double seconds, struct error *ret_error) {
    struct screen s = {.top = t};
    double next = 0;
    bool done = true, inside = true;

    initscr();
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    while (inside && done && !top_program_is_told()) {
        double left = next - now_seconds();
        if (left <= 0 && !s.frozen && !(t->rows.follow.now && t->rows.follow.ended)) {
            done = follow_rows_read(&t->rows, ret_error);
            next = now_seconds() + seconds;
            left = seconds;
        }
        draw(&s);
        timeout(left > 0 && !s.frozen && left < 1e6 ? (int)(left * 1000) + 1 : 1000);
        int key = getch();
        inside = key == ERR || obey(&s, key);
    }
    endwin();
    return done;
}
