/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"
#include "quote.h"
#include "../util/memory.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

static size_t number_of_variable(const char *variable) {
    const char *text = getenv(variable);
    char *end;
    unsigned long number = text ? strtoul(text, &end, 10) : 0;

    return number && !*end && number < 100000 ? number : 0;
}

static bool wants_colors(void) {
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return (!no || !*no) && terminal && strcmp(terminal, "dumb") != 0;
}

struct terminal terminal_of(FILE *out, enum report_color color) {
    struct terminal t = {.is_one = isatty(fileno(out)), .width = number_of_variable("COLUMNS")};
    struct winsize size = {0};

    if (t.is_one) {
        ioctl(fileno(out), TIOCGWINSZ, &size);
        t.width = t.width ? t.width : size.ws_col ? size.ws_col : 80;
        t.height = number_of_variable("LINES");
        t.height = t.height ? t.height : size.ws_row ? size.ws_row : 24;
    }
    t.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    t.colors =
        color == REPORT_COLOR_ALWAYS || (color == REPORT_COLOR_AUTO && t.is_one && wants_colors());
    return t;
}

static char *put_escaped(const struct terminal *t, char *to, const char *text, size_t n) {
    uint32_t c = 0;

    if (!nvtxh_i_utf8(text, n, &c)) {
        return stpcpy(to, t->utf8 || !t->is_one ? "\xef\xbf\xbd" : "?");
    }
    if (nvtxh_i_is_control(c) || (n > 1 && t->utf8 && wcwidth((wchar_t)c) < 0)) {
        return utf8_escape(to, c);
    }
    if (n > 1 && !t->utf8 && t->is_one) {
        *to = '?';
        return to + 1;
    }
    return (char *)mempcpy(to, text, n);
}

char *terminal_text(const struct terminal *t, const char *text, size_t size) {
    char *shown = must_alloc(NULL, 4 * size + 8, 1), *to = shown;

    for (size_t i = 0, n; i < size; i += n ? n : 1) {
        n = utf8_character(text + i, size - i);
        to = put_escaped(t, to, text + i, n);
    }
    *to = 0;
    return shown;
}

/* Returns the next character's size in bytes. *ret_width: its width in columns of the terminal. */
static size_t letter(const struct terminal *t, const char *text, size_t left, size_t *ret_width) {
    uint32_t code = 0;
    size_t n = nvtxh_i_utf8(text, left, &code);
    wchar_t c = n > 1 ? (wchar_t)code : 0;
    /* Regional indicators, two of which are a flag: many terminals use 2 columns for each, but
     * wcwidth may say 1. */
    int width = c >= 0x1f1e6 && c <= 0x1f1ff ? 2 : t->utf8 && c ? wcwidth(c) : 1;

    *ret_width = width > 0 ? (size_t)width : 0;
    return n ? n : 1;
}

size_t terminal_width(const struct terminal *t, const char *text) {
    size_t width = 0, size = strlen(text), one;

    for (size_t i = 0; i < size; width += one) {
        i += letter(t, text + i, size - i, &one);
    }
    return width;
}

void terminal_shorten(const struct terminal *t, char *text, size_t width) {
    const char *dots = t->utf8 ? "…" : "...";
    size_t size = strlen(text), all = terminal_width(t, text);
    size_t kept = width - terminal_width(t, dots), end = 0, at = 0, one, n;

    if (all <= width) {
        return;
    }
    while ((n = letter(t, text + at, size - at, &one)), end + one <= kept - kept / 2) {
        at += n;
        end += one;
    }
    size_t tail = at, skipped = end;
    while (skipped < all - kept / 2) {
        tail += letter(t, text + tail, size - tail, &one);
        skipped += one;
    }
    /* The dots may have more bytes than the part they replace; terminal_text leaves room. */
    size_t dots_size = strlen(dots);
    memmove(text + at + dots_size, text + tail, size - tail + 1);
    memcpy(text + at, dots, dots_size);
}

unsigned terminal_color(uint32_t argb) {
    unsigned r = argb >> 16 & 0xff, g = argb >> 8 & 0xff, b = argb & 0xff;

    return 16 + 36 * ((r * 5 + 127) / 255) + 6 * ((g * 5 + 127) / 255) + (b * 5 + 127) / 255;
}
