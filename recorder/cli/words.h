/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_WORDS_H
#define NVTXH_CLI_WORDS_H
/* Words as people write and read them on a command line. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether two words, or a word's beginning and another word, are the same but for the case of ASCII letters. strcasecmp
 * goes by the locale, and in Turkish i is not the small letter of I. */
bool words_same(const char *a, const char *b);
bool words_begin(const char *word, const char *beginning);

/* The word that was probably meant, or NULL. */
const char *words_nearest(const char *word, const char *const *words, size_t count);

/* "a, b and c", with `last` as " and ". */
const char *words_list(const char *const *words, size_t count, const char *last, char buffer[512]);

/* Prints a text in lines of at most 80 columns. The first line begins at `column`, where the output is; the other lines
 * are indented by `indent`. A newline in the text begins a new line. */
void words_wrap(FILE *out, const char *text, size_t column, size_t indent);

/* Quotes a word for the shell, if it needs quotes. Free it. */
char *words_quoted(const char *word);

#endif /* NVTXH_CLI_WORDS_H */
