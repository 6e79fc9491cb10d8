/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "../output/finding.h"
#include "../output/report.h"
#include "../util/memory.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool text_equal(const char *a, const char *b) {
    /* The "C" locale is a constant of the C library, so newlocale cannot fail. */
    return strcasecmp_l(a, b, newlocale(LC_ALL_MASK, "C", (locale_t)0)) == 0;
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
    bool bare = *word && word[strspn(word, plain)] == 0;
    char *quoted = must_alloc(NULL, 4 * strlen(word) + 3, 1), *to = quoted;

    if (!bare) {
        *to++ = '\'';
    }
    for (; *word; word++) {
        if (*word == '\'') {
            memcpy(to, "'\\''", 4); /* ends the quotes, adds \', begins quotes again */
            to += 4;
        } else {
            *to++ = *word;
        }
    }
    if (!bare) {
        *to++ = '\'';
    }
    *to = 0;
    return quoted;
}

char *shell_file(const char *path) {
    char *plain = must_print("%s%s", *path == '-' ? "./" : "", path);
    char *quoted = shell_quoted(plain);
    free(plain);
    return quoted;
}
