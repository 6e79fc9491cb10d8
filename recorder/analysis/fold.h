/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Names made of numbers: "GET /item?1" to "GET /item?2000" as one name, "GET /item?#". A number is a
 * run of digits beside no letter, '_' or byte that is not ASCII, so conv1 and sha256 have none. */
#include "source.h"

/* The name with '#' for each number, or NULL if it has no digits. Free it. */
char *fold_numbers(const char *name, size_t size, size_t *ret_size);

/* Which names of ranges and marks become one name, if they differ only in numbers. FOLD_RARE: those
 * of which there are at least 50, half of which have at most two instances each. */
enum fold_which { FOLD_RARE, FOLD_EACH, FOLD_ALL };
enum { FOLD_NAMES = 50, FOLD_INSTANCES = 2 };

/* Decides which names become one. One struct decides for all sources of a comparison. A struct of
 * zeros, with `which` set, is ready for use. */
struct fold {
    enum fold_which which;
    struct string_table names; /* domain:message, of names with numbers and of their common names */
    struct fold_name {         /* by number in `names` */
        uint32_t common;       /* of a name: its common name, a number in `names`; else 0 */
        const struct source *source; /* of `count` */
        uint64_t count, most;        /* instances: in `source` so far; the most in one source */
        uint32_t names, rare; /* of a common name: how many have it; how many of them are rare */
    } * all;
    size_t count, capacity;
};

/* Counts instances of a name, of which a source may have several, in any order. The instances of
 * all names of a source are counted before those of the next one. */
void fold_count(struct fold *f, struct source *source, uint32_t domain_name, uint32_t text,
                uint64_t instances);

/* Makes the names of sources one, in the spans that spans_each hands out from then on. Returns
 * false, and frees what was counted, if no names become one: before names are counted, unless
 * `which` is FOLD_ALL. `f` must live as long as the sources. */
bool fold_use(struct fold *f, struct source *const *sources, size_t count);
void fold_free(struct fold *f);

/* For spans_each: the text by which a span of a source that has a `fold` is shown. */
uint32_t fold_text(struct source *source, const struct span *span);
