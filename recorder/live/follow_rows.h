/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_LIVE_FOLLOW_ROWS_H
#define NVTXH_LIVE_FOLLOW_ROWS_H
/* The figures of a recording that is followed. */
#include "follow.h"

/* Identifies a row. */
struct follow_key {
    enum span_style style;
    uint32_t domain_name, text;
    bool has_category;
    uint32_t category, category_name;
};

/* Finds the row of a key, or adds it. Returns its index. */
uint32_t follow_row(struct follow *f, const struct follow_key *key);

/* Adds a text to follow.texts, and returns its number. With follow.most, a text becomes FOLLOW_OTHER if it is too
 * long, or if it is new and there are too many texts already. */
uint32_t follow_text(struct follow *f, const char *bytes, size_t size);

/* Counts a range that has ended, or a mark or sample. */
void follow_ended(struct follow *f, uint32_t row, int64_t start, int64_t end, int64_t self);

/* Takes one half of a process range. Either half may be read first, because threads are read one after the other.
 * `row` is used only for a beginning. */
void follow_half(struct follow *f, uint64_t key, uint32_t row, int64_t at, bool is_end);

/* When the open ranges of a stream end for this look: when its process ended, or f->now if it still runs or if its end
 * is not known. */
int64_t follow_over(const struct follow *f, size_t stream);

/* Call these before and after the events of a look. */
void follow_rows_begin(struct follow *f);
void follow_rows_end(struct follow *f);

/* Of the open process ranges of the process `pid`, drops those that began before the time `before`. */
void follow_drop_halves(struct follow *f, uint32_t pid, int64_t before);

#endif /* NVTXH_LIVE_FOLLOW_ROWS_H */
