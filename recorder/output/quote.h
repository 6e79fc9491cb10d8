/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Checks UTF-8, quotes strings for CSV and JSON, and makes strings printable, because a message may
 * contain any bytes. */
#include "../../nvtxh/core/text.h"
#include "../analysis/source.h"
#include "../analysis/span.h"
#include "../util/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes a field of CSV, in quotes if it needs them. In CSV and JSON, bytes that are not UTF-8
 * become U+FFFD. */
void quote_csv(FILE *out, const char *text, size_t size);

void quote_json(FILE *out, const char *text, size_t size);

/* How many bytes the UTF-8 character at `text` has; 0: the bytes are not valid. `left`: how many
 * bytes are left from `text` on. */
size_t utf8_character(const char *text, size_t left);

/* Writes a control character visibly: up to 8 bytes and a NUL. Returns a pointer to the NUL. */
char *utf8_escape(char *to, unsigned c);

bool utf8_is(const char *text, size_t size);

/* Returns a copy in UTF-8: each byte that is not valid becomes U+FFFD. Free it. */
char *utf8_copy(const char *text, size_t size, size_t *ret_size);

/* Makes a text safe for a line of a terminal. Control characters (also of text direction) become
 * escapes, invalid bytes become U+FFFD, and a text of more than `longest` bytes is cut. Free it. */
char *printable(const char *text, size_t size, size_t longest);

/* Makes the names in an object differ, because many readers of JSON keep only the last value of a
 * name. A struct of zeros is ready for use. */
struct unique_names {
    struct map used; /* hash of object and name -> how often it was given */
    char *text;      /* the last name that was made */
};

/* Returns the name if it is new in the object, else a new one such as "name (2)", which is valid
 * until the next call. `object`: any number for the object. */
const char *unique_name(struct unique_names *u, uint64_t object, const char *name);
void unique_names_free(struct unique_names *u);

/* Returns the fields of a span's payloads, as JSON or as text like outer={color=green, numbers=[1,
 * -2]}. NULL: there are no fields, or the program has hidden all of them. Free it. */
char *payload_text(struct source *source, const struct span *s, bool json);

/* Calls `f` for each value in the payloads of a span, with a path like outer.inner[1].count. */
void payload_each(struct source *source, const struct span *s,
                  void (*f)(void *arg, const char *path, const struct value *value), void *arg);
