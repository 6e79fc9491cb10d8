/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "../output/finding.h"
#include "../output/report.h"
#include "../util/memory.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <strings.h>

#define LONGEST 63

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* The edit distance: how many letters must be added, removed, changed or swapped with their
 * neighbour to turn `a` into `b`. */
static size_t distance(const char *a, const char *b) {
    size_t d[LONGEST + 1][LONGEST + 1], m = strnlen(a, LONGEST), n = strnlen(b, LONGEST);

    for (size_t i = 0; i <= m; i++) {
        for (size_t k = 0; k <= n; k++) {
            d[i][k] = !i || !k ? i + k
                               : least(least(d[i - 1][k], d[i][k - 1]) + 1,
                                       d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
                d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
            }
        }
    }
    return d[m][n];
}

/* The "C" locale is a constant of the C library, so newlocale cannot fail. */
static locale_t no_locale(void) {
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

bool text_equal(const char *a, const char *b) {
    return strcasecmp_l(a, b, no_locale()) == 0;
}

static bool begins(const char *word, const char *beginning) {
    return strncasecmp_l(word, beginning, strlen(beginning), no_locale()) == 0;
}

const char *text_nearest(const char *word, const char *const *words, size_t count) {
    const char *best = NULL;
    size_t best_distance = strlen(word) / 3 + 2;

    for (size_t i = 0; i < count; i++) {
        size_t size = strnlen(word, LONGEST), other = strnlen(words[i], LONGEST),
               longer = size > other ? size - other : other - size;
        bool begin = (strlen(word) >= 2 && begins(words[i], word)) ||
                     (strlen(words[i]) >= 3 && begins(word, words[i]));
        size_t d = begin ? 0 : longer < best_distance ? distance(word, words[i]) : longer;
        if (d < best_distance && d < strlen(words[i])) {
            best_distance = d;
            best = words[i];
        }
    }
    return best;
}

const char *text_list(const char *const *words, size_t count, const char *last, char buffer[512]) {
    *buffer = 0;
    for (size_t i = 0; i < count; i++) {
        text_append(buffer, 512, i == count - 1 ? last : ", ", "%s", words[i]);
    }
    return buffer;
}

void text_wrap(FILE *out, const char *text, size_t width, size_t column, size_t indent) {
    bool begun = true; /* no word is in this line yet */

    while (*text) {
        size_t size = strcspn(text, " \n");
        if (!begun && column + 1 + size > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
            begun = true;
        }
        fprintf(out, "%s%.*s", begun ? "" : " ", (int)size, text);
        column += size + !begun;
        begun = false;
        text += size;
        if (*text == '\n') {
            fprintf(out, "\n%*s", text[1] == '\n' ? 0 : (int)indent, "");
            column = indent;
            begun = true;
        }
        text += *text != 0;
    }
    fputc('\n', out);
}

/* Widths of characters are taken for their bytes, which wraps some lines early. */
void cli_findings(const struct findings *f, const struct report_style *style) {
    struct terminal terminal = terminal_of(stdout, (enum report_color)style->color);
    bool for_people = style->form == REPORT_TABLE;

    for (size_t i = 0; i < f->count; i++) {
        char *text = finding_text(&f->all[i], for_people && terminal.utf8);
        if (for_people) {
            fputs(i ? "  " : "\nFindings:\n  ", stdout);
            text_wrap(stdout, text, terminal.width ? terminal.width : SIZE_MAX, 2, 4);
        } else {
            cli_say("%s", text);
        }
        free(text);
    }
}

char *shell_quoted(const char *word) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-:@%,=";
    char *quoted = must_alloc(NULL, 4 * strlen(word) + 3, 1), *to = quoted;

    if (*word && !word[strspn(word, plain)]) {
        return memcpy(quoted, word, strlen(word) + 1);
    }
    *to++ = '\'';
    for (; *word; word++) {
        if (*word == '\'') {
            memcpy(to, "'\\''", 4); /* ends the quotes, adds \', begins quotes again */
            to += 4;
        } else {
            *to++ = *word;
        }
    }
    memcpy(to, "'", 2);
    return quoted;
}

char *shell_file(const char *path) {
    char *plain = must_print("%s%s", *path == '-' ? "./" : "", path);
    char *quoted = shell_quoted(plain);
    free(plain);
    return quoted;
}

const char *path_hint(const char *program) {
    return !strchr(program, '/') && access(program, F_OK) == 0
               ? " in PATH; for the file here, give its path with ./"
               : "";
}
