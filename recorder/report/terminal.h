/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_TERMINAL_H
#define NVTXH_REPORT_TERMINAL_H
/* What the output can show (width, characters, colours), and texts in a form that it can show. */
#include "report.h"

struct terminal {
    bool is_one;          /* the output is a terminal */
    size_t width, height; /* 0: not limited */
    bool utf8;            /* the output shows UTF-8; else only ASCII */
    enum { COLORS_NONE, COLORS_256, COLORS_ALL } colors;
};

/* What `out` can show. $COLUMNS and, on a terminal, $LINES take precedence over the terminal's own size. */
struct terminal terminal_of(FILE *out, enum report_color color);

/* A text as one line, without characters that move the cursor or change the direction of text. A terminal gets ? for
 * what it cannot show. A pipe that is not UTF-8 gets the bytes as they are. Free it. */
char *terminal_text(const struct terminal *t, const char *text, size_t size);

/* How many columns a text of terminal_text takes. */
size_t terminal_width(const struct terminal *t, const char *text);

/* Shortens a text of terminal_text in place if it is wider than `width` (at least 4): cuts out the middle. */
void terminal_shorten(const struct terminal *t, char *text, size_t width);

/* The escape sequence that begins a colour, or "". */
const char *terminal_color(const struct terminal *t, uint32_t argb, char buffer[32]);

#endif /* NVTXH_REPORT_TERMINAL_H */
