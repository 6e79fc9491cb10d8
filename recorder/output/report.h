/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A report: a table for people (table.c) or, for programs, CSV or JSON. */
#include "../analysis/source.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { REPORT_COLUMNS = 50 }; /* how many columns a report has at most */

struct report_column {
    const char *head; /* its name in CSV */
    const char *key;  /* its name in JSON, and for options such as --columns and --sort */
    enum {
        REPORT_TEXT,
        REPORT_NUMBER,
        REPORT_VALUE,   /* a counter's value */
        REPORT_NS,      /* a time in ns */
        REPORT_MOMENT,  /* ns since recording began; people see ms, unless they choose a unit */
        REPORT_SHARE,   /* percent of a whole; tables show a bar, too */
        REPORT_PERCENT, /* percent, without a bar */
        REPORT_CHANGE,  /* a change, in percent */
        REPORT_OBJECTS, /* a text of JSON; in CSV only if it is chosen */
    } kind;
    int decimals;       /* of numbers in CSV and JSON, and of ns in tables; -1: all digits */
    int shown_decimals; /* of a REPORT_NUMBER in tables for people */
    const char *title;  /* its name in tables for people; NULL: `head` */
    /* Tables for people have the columns in the order of their ranks, from 1 on. Columns with the
     * largest ranks are left out first if there is no room. Rank 0: only --columns shows it. */
    int rank;
};

struct report {
    const struct report_column *columns;
    size_t column_count;
    struct report_cell {
        union {
            double number;
            char *text;
        };
        uint32_t color;              /* ARGB, of a square before the text; 0: there is none */
        uint32_t size : 28;          /* bytes of the text */
        bool there : 1, is_text : 1; /* there: the cell is not empty */
        signed char better : 2;      /* 1: better, green on a terminal; -1: worse, red */
    } * cells;                       /* row by row; there may be millions of cells */
    size_t count, capacity;
    size_t rows; /* how many rows were added; report_stream keeps fewer in `cells` */
    bool minor;  /* printed after another table: without --limit, half as many rows are shown */
    size_t bar;  /* characters of a full bar */
    double full; /* the percentage at which a bar is full */
    /* Set by report_stream. */
    const struct report_style *style;
    FILE *out;
    size_t most;                  /* how many rows are printed or kept at most */
    size_t shown[REPORT_COLUMNS]; /* indices of the columns to print */
    size_t shown_count;
    struct report_column kept[REPORT_COLUMNS]; /* of a table: those of its columns that are kept */
    bool is_dropped[REPORT_COLUMNS];           /* by the column as it was given: not kept */
    size_t given, next;        /* given: how many columns were given; next: that of the next cell */
    struct report_cell other;  /* the last cell that was dropped */
    struct report_cell *added; /* the last cell */
};

enum report_form { REPORT_TABLE, REPORT_CSV, REPORT_JSON };
enum report_color { REPORT_COLOR_AUTO, REPORT_COLOR_ALWAYS, REPORT_COLOR_NEVER };
extern const char *const report_color_words[]; /* by enum report_color */
enum { REPORT_COLORS = 3 };

/* How a table is printed, as the options of a command say. The default is REPORT_USUAL. */
struct report_style {
    enum report_form form;
    const char *columns[2 * REPORT_COLUMNS]; /* keys of the columns that were chosen */
    size_t column_count;                     /* 0: the default columns */
    double limit;       /* how many rows at most; 0: all; NaN: as many as fit */
    size_t unit, color; /* unit: index of figure_units; color: enum report_color */
};
#define REPORT_USUAL                                                                               \
    { .limit = NAN }

/* The names by which users choose columns: each column has a key and a title. */
struct report_keys {
    const char *keys[2 * REPORT_COLUMNS], *titles[2 * REPORT_COLUMNS];
    size_t count;
};
struct report_keys report_keys(const struct report_column *columns, size_t count);
/* Adds the names of a second table's columns, except for keys that the first table has. */
void report_keys_add(struct report_keys *names, const struct report_column *columns, size_t count);

bool report_is_among(const char *key, const char *const *keys, size_t count);

/* The key of the first column in `style` that the table lacks, or NULL. */
const char *report_lacks(const struct report_column *columns, size_t count,
                         const struct report_style *style);

void report_begin(struct report *r, const struct report_column *columns, size_t column_count);

/* For unsorted reports. Prints a row of CSV or JSON when it is complete; of a table, keeps only the
 * rows that may be shown. Call it after report_begin, with the arguments of report_print. */
void report_stream(struct report *r, const struct report_style *style, FILE *out);

/* Adds the next cell of a row, from left to right. Texts are copied; NaN is an empty cell. */
void report_number(struct report *r, double number);
void report_text(struct report *r, const char *text, size_t size);
void report_string(struct report *r, const char *text);
void report_better(struct report *r, int better);   /* sets the last cell's `better` */
void report_mark(struct report *r, uint32_t color); /* sets the last cell's `color` */

/* Adds the name of a range, after `spaces` spaces (at most 80), and its coloured square.
 * `for_people`: see name_of_range. */
void report_range(struct report *r, const struct source *source, uint32_t domain, uint32_t text,
                  uint32_t color, size_t spaces, bool for_people);

/* Sorts rows by the column with this key: numbers in descending, strings in ascending order; equal
 * rows keep their order. Does nothing if no column has this key, or it is NULL. */
void report_sort(struct report *r, const char *key);

void report_print(struct report *r, const struct report_style *style, FILE *out);
void report_free(struct report *r);

#define PLURAL(number, one, more) ((number) == 1 ? (one) : (more))

/* Prints the columns with these indices as a table for people, from left to right. */
void report_print_table(const struct report *r, const struct report_style *style,
                        const size_t *columns, size_t count, FILE *out);

/* How many of `rows` rows a table shows. */
size_t report_table_rows(const struct report *r, const struct report_style *style, FILE *out,
                         size_t rows);

/* --- numbers as people read them -------------------------------------------------------------- */

/* The units of times. The first one, "auto", means the unit that fits best. */
enum { FIGURE_MS = 3, FIGURE_UNITS = 5 };
extern const char *const figure_units[FIGURE_UNITS];

/* 1234567 -> "1,234,567" */
void figure_number(double number, int decimals, char ret_text[64]);

/* Prints a number for programs. `decimals` -1: the fewest digits that read back as the number. */
void figure_digits(double number, int decimals, FILE *out);

/* A counter's value: 12345 -> "12,345", 12345.5 -> "12,345.500", 0.0000123456 -> "1.23e-05" */
void figure_value(double value, char ret_text[64]);

/* Writes a time. `unit` is an index of figure_units. If it is 0, writes three digits and the unit
 * that fits best. Else writes all digits, but no unit; after the point there are `decimals` digits
 * in ns, and three in us, ms and s. */
void figure_time(double ns, size_t unit, int decimals, bool utf8, char ret_text[64]);

/* "; 4.10 s CPU of 13.2 s; preempted 9,400 times". `elapsed`: in ns, 0 if not known. Returns "" if
 * the usage is not known. */
enum { FIGURE_USAGE = 224 };
const char *figure_usage(const struct rec_usage *usage, uint64_t elapsed,
                         char buffer[FIGURE_USAGE]);

/* "1.25 MB" */
void figure_size(uint64_t bytes, char ret_text[64]);

/* --- messages about events and names that a source lacks -------------------------------------- */

/* Prints a line about calls of the program that the source cannot hold, if there were any. */
void losses_print_unknown(const struct span_totals *t, FILE *out);

/* Prints what losses_print_unknown prints, and all other reasons why a report of the source is
 * incomplete. */
void losses_print_all(const struct source *s, const struct span_totals *t, FILE *out);

/* What an output can show. The functions below bring strings into a form that it can show. */
struct terminal {
    bool is_one;          /* the output is a terminal */
    size_t width, height; /* columns, lines; 0: not limited */
    bool utf8;            /* the output shows UTF-8; else only ASCII */
    bool colors;          /* 256 of them */
};

/* What `out` can show. $COLUMNS sets the width; on a terminal, $LINES sets the height. */
struct terminal terminal_of(FILE *out, enum report_color color);

/* A text as one line, without characters that move the cursor or change the direction of text.
 * Where the output is not UTF-8, a terminal gets ? for each character that is not ASCII; a pipe
 * gets UTF-8 all the same. Free the text. */
char *terminal_text(const struct terminal *t, const char *text, size_t size);

/* How many columns of the terminal a text of terminal_text takes. */
size_t terminal_width(const struct terminal *t, const char *text);

/* If a text of terminal_text is wider than `width` (at least 4), cuts out its middle, in place. */
void terminal_shorten(const struct terminal *t, char *text, size_t width);

/* The number of a colour among 256: it has six shades each of red, green and blue. */
unsigned terminal_color(uint32_t argb);
