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

/* Call these before and after the events of a look. */
void follow_rows_begin(struct follow *f);
void follow_rows_end(struct follow *f);

#endif /* NVTXH_LIVE_FOLLOW_ROWS_H */
