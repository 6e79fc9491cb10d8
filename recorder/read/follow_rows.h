/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_FOLLOW_ROWS_H
#define NVTXH_READ_FOLLOW_ROWS_H
/* The figures of a recording that is followed. */
#include "follow.h"

/* What makes a row different from others. */
struct follow_key {
    enum span_style style;
    uint32_t domain_name, text;
    bool has_category;
    uint32_t category, category_name;
};

/* Finds the row of a key, or adds it. Returns its index. */
uint32_t follow_row(struct follow *f, const struct follow_key *key);

/* Adds a text to follow.texts. Returns its number. */
uint32_t follow_text(struct follow *f, const char *bytes, size_t size);

/* A range, or a mark, has ended. */
void follow_ended(struct follow *f, uint32_t row, int64_t start, int64_t end, int64_t self);

/* One half of a process range. Either may be read first, because threads are read one by one. `row`: only of a
 * beginning. */
void follow_half(struct follow *f, uint64_t key, uint32_t row, int64_t at, bool is_end);

/* Called before the events of a window, and after them. */
void follow_rows_begin(struct follow *f);
void follow_rows_end(struct follow *f);

/* Drops the open process ranges of a process that began before a moment. */
void follow_drop_halves(struct follow *f, uint32_t pid, int64_t before);

#endif /* NVTXH_READ_FOLLOW_ROWS_H */
