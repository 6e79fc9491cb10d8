/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_UTIL_TEXTS_H
#define NVTXH_UTIL_TEXTS_H
/* Holds every text of a recording once, and gives each a number. Number 0 means that there is no
 * text; texts_at returns an empty text for it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct texts {
    struct text {
        char *bytes; /* NUL-terminated; NULs within the text are kept, and count in `size` */
        size_t size;
        uint32_t hash;
        uint32_t next; /* number of the next text in the same bucket; 0: none */
    } * all;
    uint32_t count, room;
    uint32_t *buckets;
    uint32_t bucket_count;
    /* number of the domain whose messages are names of functions; 0: none. See texts_range */
    uint32_t functions;
};
#define TEXTS_EMPTY 1u /* the number of the empty text, which looks the same as no text */

/* What people see in place of a missing message. In output for programs, that message is empty. */
extern const struct text texts_no_message;

uint32_t texts_add(struct texts *t, const char *bytes, size_t size);

/* Returns the text that has this number; an empty text for 0 and for unknown numbers. */
const struct text *texts_at(const struct texts *t, uint32_t number);
const char *texts_get(const struct texts *t, uint32_t number); /* only the text's bytes */

/* Joins texts. The caller frees the result. */
char *texts_join(const struct text *const *parts, size_t count, size_t *ret_size);

/* Shortens the name of a function, for people: drops a "void " at the start, and the parameters.
 * The function's own template arguments stay, but lists in them are emptied: f<vector<int>>(int)
 * becomes f<vector<>>. The caller frees the result. */
char *texts_short(const struct text *name, size_t *ret_size);

/* The name of a range: `spaces` spaces (at most 80), then domain:message or, in the default
 * domain, only the message. For people, a missing message reads "(no message)", and the name of a
 * function is shortened by texts_short. The caller frees the result. */
char *texts_range(const struct texts *t, uint32_t domain, uint32_t text, bool for_people,
                  size_t spaces, size_t *ret_size);

void texts_free(struct texts *t);

#endif /* NVTXH_UTIL_TEXTS_H */
