/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    BETWEEN = 2,      /* spaces between columns */
    KEPT = 5,         /* the first KEPT columns stay, even if their strings must be shortened */
    SHORTEST = 8,     /* in columns that were chosen, strings are not shortened below this width */
    NAME = 20,        /* else not below this one, or half of the terminal's width */
    WIDEST_PAD = 60,  /* in a pipe, no text is shortened, and no cell is padded beyond this width */
    OTHER_LINES = 6,  /* lines of a screen that are not rows: the head, the shell's prompt */
    FEWEST_ROWS = 10, /* how many rows are shown even on a small screen */
};

struct table {
    const struct report *report;
    const struct report_style *style;
    struct terminal terminal;
    size_t columns[REPORT_COLUMNS], count; /* the columns to show, as indices in `report` */
    size_t widths[REPORT_COLUMNS];         /* of each of `columns`, in columns of the terminal */
    size_t rows;                           /* how many rows are shown */
    bool bars, marks; /* whether to print bars of shares, and coloured squares before strings */
};

static const struct report_column *column_of(const struct table *t, size_t i) {
    return &t->report->columns[t->columns[i]];
}

static const struct report_cell *cell_of(const struct table *t, size_t row, size_t i) {
    return &t->report->cells[row * t->report->column_count + t->columns[i]];
}

/* The unit of a column of times: an index of figure_units. 0: each cell has a unit of its own. */
static size_t unit_of(const struct table *t, const struct report_column *column) {
    return column->kind == REPORT_MOMENT && !t->style->unit ? FIGURE_MS : t->style->unit;
}

/* Returns a cell's text; free it. The text is made for each use, because the strings of all cells
 * would take more memory than the report. */
static char *cell_text(const struct table *t, size_t row, size_t i) {
    const struct report_cell *cell = cell_of(t, row, i);
    const struct report_column *column = column_of(t, i);
    char number[64] = "";

    if (cell->is_text) {
        return terminal_text(&t->terminal, cell->text, cell->size);
    }
    if (!cell->there) {
        return terminal_text(&t->terminal, "", 0);
    }
    if (column->kind == REPORT_NS || column->kind == REPORT_MOMENT) {
        figure_time(cell->number, unit_of(t, column), column->decimals, t->terminal.utf8, number);
    } else if (column->kind >= REPORT_SHARE && column->kind <= REPORT_CHANGE) {
        snprintf(number, sizeof(number), column->kind == REPORT_CHANGE ? "%+.1f %%" : "%.1f %%",
                 cell->number);
    } else if (column->kind == REPORT_VALUE) {
        figure_value(cell->number, number);
    } else {
        figure_number(cell->number, column->shown_decimals, number);
    }
    return terminal_text(&t->terminal, number, strlen(number));
}

static char *title(const struct table *t, size_t i) {
    const struct report_column *column = column_of(t, i);
    size_t unit =
        column->kind == REPORT_NS || column->kind == REPORT_MOMENT ? unit_of(t, column) : 0;
    char text[128];

    snprintf(text, sizeof(text), unit ? "%s (%s)" : "%s",
             column->title ? column->title : column->head, figure_units[unit]);
    return terminal_text(&t->terminal, text, strlen(text));
}

static bool is_text(const struct table *t, size_t i) {
    return column_of(t, i)->kind == REPORT_TEXT;
}

/* The width of the first `count` columns. */
static size_t total_width(const struct table *t, size_t count) {
    size_t width = t->marks ? 2 : 0;

    for (size_t i = 0; i < count; i++) {
        bool bar = t->bars && column_of(t, i)->kind == REPORT_SHARE;
        width += t->widths[i] + (i ? BETWEEN : 0) + (bar ? t->report->bar + 1 : 0);
    }
    return width;
}

/* The width below which strings are not shortened. */
static size_t shortest_of(const struct table *t) {
    size_t half = t->terminal.width / 2;
    return t->style->column_count || half < SHORTEST ? SHORTEST : half < NAME ? half : NAME;
}

/* Makes each column as wide as its title and its widest cell. A text wider than `room` counts only
 * as the smaller of `room` and 2/5 of the terminal's width. */
static void natural_widths(struct table *t, size_t room) {
    for (size_t i = 0; i < t->count; i++) {
        char *head = title(t, i);
        size_t widest = 0, most = is_text(t, i) ? room : SIZE_MAX;
        t->widths[i] = terminal_width(&t->terminal, head);
        free(head);
        for (size_t row = 0; row < t->rows; row++) {
            char *text = cell_text(t, row, i);
            size_t width = terminal_width(&t->terminal, text);
            free(text);
            widest = width > widest ? width : widest;
            t->widths[i] = width > t->widths[i] && width <= most ? width : t->widths[i];
        }
        if (widest > most) {
            size_t part = t->terminal.width * 2 / 5, least = shortest_of(t);
            part = room < part ? room : part;
            part = t->style->column_count || part > least ? part : least;
            t->widths[i] = part > t->widths[i] ? part : t->widths[i];
        }
    }
}

/* Fits the table into the terminal's width: drops columns from the right, but keeps the first KEPT,
 * or all that the user has asked for. If the table is still too wide, drops the bars, then shortens
 * strings, then drops the kept columns, too. */
static void fit(struct table *t) {
    size_t most = t->terminal.width, shown = t->count;
    size_t kept = KEPT < t->count && !t->style->column_count ? KEPT : t->count, fixed = 0;
    size_t shortest = shortest_of(t);
    bool bars = t->bars;

    t->bars = false;
    natural_widths(t, SIZE_MAX);
    for (size_t i = 0; i < kept; i++) {
        fixed += is_text(t, i) ? t->widths[i] : 0;
    }
    fixed = total_width(t, kept) - fixed;
    if (most && total_width(t, kept) > most) {
        size_t room = most > fixed ? most - fixed : 1;
        natural_widths(t, t->style->column_count || room > shortest ? room : shortest);
    }
    t->bars = bars;
    while (most && shown > kept && total_width(t, shown) > most) {
        shown--;
    }
    t->bars = bars && (!most || total_width(t, shown) <= most);
    while (most && total_width(t, shown) > most) { /* shortens the widest text by one column */
        size_t widest = shown;
        for (size_t i = 0; i < shown; i++) {
            widest = is_text(t, i) && t->widths[i] > shortest &&
                             (widest == shown || t->widths[i] > t->widths[widest])
                         ? i
                         : widest;
        }
        if (widest < shown) {
            t->widths[widest]--;
        } else if (shown > 1) {
            shown--;
        } else {
            t->widths[0] = most > 4 ? most : 4;
            t->marks = false;
            break;
        }
    }
    t->count = shown;
}

/* Columns with these keys stand in this order, if there is room for the first five. */
static void order(struct table *t) {
    static const char *const keys[] = {"min", "med", "p90", "p99", "max", "cpu_share"};
    enum { KEYS = sizeof(keys) / sizeof(keys[0]), FIRST = 5 };
    size_t at[KEYS], columns[KEYS], widths[KEYS], found = 0, found_first = 0;

    for (size_t i = 0; i < t->count; i++) {
        for (size_t k = 0; k < KEYS && found < KEYS; k++) {
            if (!strcmp(column_of(t, i)->key, keys[k])) {
                at[found++] = i;
                found_first += k < FIRST;
                columns[k] = t->columns[i];
                widths[k] = t->widths[i];
            }
        }
    }
    for (size_t k = 0; found_first == FIRST && !t->style->column_count && k < found; k++) {
        t->columns[at[k]] = columns[k];
        t->widths[at[k]] = widths[k];
    }
}

static void print_bar(const struct table *t, double percent, bool last, FILE *out) {
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int bar = (int)t->report->bar,
        eighths = (int)lround(fmin(fmax(percent / t->report->full, 0), 1) * bar * 8);
    int full = t->terminal.utf8 ? eighths / 8 : (eighths + 4) / 8, width = full;

    bool colors = t->terminal.colors && eighths;

    fputs(colors ? " \033[34m" : " ", out);
    for (int i = 0; i < full; i++) {
        fputs(t->terminal.utf8 ? "█" : "#", out);
    }
    if (t->terminal.utf8 && eighths % 8) {
        fputs(parts[eighths % 8], out);
        width++;
    }
    fprintf(out, "%s%*s", colors ? "\033[0m" : "", last ? 0 : bar - width, "");
}

static void print_cell(const struct table *t, char *text, size_t i, const char *color, bool last,
                       FILE *out) {
    bool left = is_text(t, i);

    if (t->terminal.width && t->terminal.is_one) {
        terminal_shorten(&t->terminal, text, t->widths[i]);
    }
    size_t width = terminal_width(&t->terminal, text);
    size_t wanted = t->terminal.is_one || t->widths[i] < WIDEST_PAD ? t->widths[i] : WIDEST_PAD;
    int pad = width < wanted ? (int)(wanted - width) : 0;
    fprintf(out, "%*s%s%s%s%*s", left ? 0 : pad, "", color, text, *color ? "\033[0m" : "",
            left && !last ? pad : 0, "");
}

static void print_row(const struct table *t, size_t row, FILE *out) {
    for (size_t i = 0; i < t->count; i++) {
        const struct report_cell *cell = cell_of(t, row, i);
        char *text = cell_text(t, row, i);
        bool last = i + 1 == t->count;
        int better = t->terminal.colors ? cell->better : 0;
        if (t->marks && i == 0 && cell->color) {
            fprintf(out, "\033[38;5;%um%s\033[0m ", terminal_color(cell->color),
                    t->terminal.utf8 ? "■" : "*");
        } else if (t->marks && i == 0) {
            fputs("  ", out);
        }
        print_cell(t, text, i, better > 0 ? "\033[32m" : better < 0 ? "\033[31m" : "", last, out);
        free(text);
        if (t->bars && column_of(t, i)->kind == REPORT_SHARE) {
            print_bar(t, cell->there ? cell->number : 0, last, out);
        }
        fputs(last ? "" : "  ", out);
    }
}

static void print_head(const struct table *t, FILE *out) {
    fputs(t->marks ? "  " : "", out);
    for (size_t i = 0; i < t->count; i++) {
        char *head = title(t, i);
        bool last = i + 1 == t->count;
        print_cell(t, head, i, t->terminal.colors ? "\033[1m" : "", last, out);
        if (t->bars && column_of(t, i)->kind == REPORT_SHARE) {
            fprintf(out, "%*s", last ? 0 : (int)t->report->bar + 1, "");
        }
        fputs(last ? "\n" : "  ", out);
        free(head);
    }
}

/* Names the columns that the user has asked for and that do not fit. */
static void say_left_out(const struct table *t, const size_t *columns, size_t count) {
    fprintf(stderr, "nvtxh: %zu columns are too narrow for ", t->terminal.width);
    for (size_t i = t->count; i < count; i++) {
        fprintf(stderr, "%s%s", t->report->columns[columns[i]].key, i + 1 < count ? ", " : "");
    }
    fputs("; a wider terminal or COLUMNS=200 shows them, so does --csv\n", stderr);
}

size_t report_table_rows(const struct report *r, const struct report_style *style, FILE *out,
                         size_t rows) {
    double wanted = style->limit;

    if (isnan(wanted)) {
        struct terminal terminal = terminal_of(out, (enum report_color)style->color);
        size_t height = terminal.height, fewest = OTHER_LINES + FEWEST_ROWS;
        wanted = (double)((height > fewest ? height : fewest) - OTHER_LINES);
        wanted = r->minor ? wanted / 2 : wanted;
        wanted = terminal.is_one ? wanted : 0;
    }
    /* A single row over the limit is shown: the line "and 1 more" would take as much room. */
    return wanted < 1 || (double)rows <= wanted + 1 ? rows : (size_t)wanted;
}

void report_print_table(const struct report *r, const struct report_style *style,
                        const size_t *columns, size_t count, FILE *out) {
    struct table t = {.report = r, .style = style};

    t.terminal = terminal_of(out, (enum report_color)style->color);
    t.count = count;
    memcpy(t.columns, columns, count * sizeof(*columns));
    t.rows = report_table_rows(r, style, out, r->rows);
    t.bars = true;
    for (size_t row = 0; row < t.rows; row++) {
        t.marks |= t.terminal.colors && cell_of(&t, row, 0)->color;
    }
    fit(&t);
    order(&t);
    print_head(&t, out);
    for (size_t row = 0; row < t.rows; row++) {
        char *line = NULL;
        size_t size = 0;
        FILE *to = must_open_text(&line, &size);
        print_row(&t, row, to);
        must_close_text(to, &line);
        while (size && line[size - 1] == ' ') { /* spaces at the end: last cells may be empty */
            size--;
        }
        fprintf(out, "%.*s\n", (int)size, line);
        free(line);
    }
    if (t.rows < r->rows) {
        bool room = !t.terminal.width || t.terminal.width >= 60;
        fprintf(out, "and %zu more%s\n", r->rows - t.rows, room ? "; --limit 0 shows all" : "");
    }
    if (style->column_count && t.count < count && out == stdout) {
        say_left_out(&t, columns, count);
    }
}
