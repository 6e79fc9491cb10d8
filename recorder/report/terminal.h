/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_TERMINAL_H
#define NVTXH_REPORT_TERMINAL_H
/* What the output can show (width, letters, colours), and texts in the form that it shows. */
#include "report.h"

struct terminal {
    bool is_one;
    size_t width, height; /* 0: as much as is wanted */
    bool utf8;            /* else ASCII */
    enum { COLORS_NONE, COLORS_256, COLORS_ALL } colors;
};

/* The width is that of $COLUMNS, or the terminal's, which is also asked for its height. */
struct terminal terminal_of(FILE *out, enum report_color color);

/* A text as one line without anything that moves a cursor or turns letters round; what cannot be shown is ? on a
 * terminal. In a pipe that is not UTF-8, letters stay as they are. Free it. */
char *terminal_text(const struct terminal *t, const char *text, size_t size);

/* How many columns such a text takes. */
size_t terminal_width(const struct terminal *t, const char *text);

/* Cuts such a text out of its middle, in place, if it is wider than `width`, which is 4 at least. */
void terminal_shorten(const struct terminal *t, char *text, size_t width);

/* Begins a colour, or "". */
const char *terminal_color(const struct terminal *t, uint32_t argb, char buffer[32]);

#endif /* NVTXH_REPORT_TERMINAL_H */
