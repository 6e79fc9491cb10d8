/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shell_quote.h"
#include "../read/memory.h"

#include <stdbool.h>
#include <string.h>

static const char plain[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-:@%,=";

char *shell_quoted(const char *word)
{
    bool bare = *word && word[strspn(word, plain)] == 0;
    char *quoted = must_alloc(NULL, 4 * strlen(word) + 3, 1);
    char *to = quoted;

    if (!bare) {
        *to++ = '\'';
    }
    for (; *word; word++) {
        if (*word == '\'') {
            memcpy(to, "'\\''", 4); /* out of the quotes, one of its own, and in again */
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
