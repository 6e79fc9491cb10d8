/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Holds every text of a recording once, and gives each a number. Number 0 means that there is no
 * text; string_table_at returns an empty text for it. */
#include <stddef.h>
#include <stdint.h>

struct string_table {
    struct str {
        char *bytes; /* NUL-terminated; NULs within the text are kept, and count in `size` */
        size_t size;
        uint32_t hash;
        uint32_t next; /* number of the next text in the same bucket; 0: none */
    } * all;
    uint32_t count, capacity;
    uint32_t *buckets;
    uint32_t bucket_count;
};
#define STRING_EMPTY 1u /* the number of the empty text, which looks the same as no text */

uint32_t string_table_add(struct string_table *t, const char *bytes, size_t size);

/* Returns the text that has this number; an empty text for 0 and for unknown numbers. */
const struct str *string_table_at(const struct string_table *t, uint32_t number);
const char *string_table_get(const struct string_table *t,
                             uint32_t number); /* only the text's bytes */

/* FNV-1a of 64 bits. */
uint64_t str_hash(const char *bytes, size_t size);

/* Joins strings. The caller frees the result. */
char *str_join(const struct str *const *parts, size_t count, size_t *ret_size);

void string_table_free(struct string_table *t);
