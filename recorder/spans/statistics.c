/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "recording_source.h"
#include "../base/memory.h"
#include "../read/cursor.h"

#include <math.h>
#include <string.h>

/* Adds the text at *at to the source's texts, and moves *at to the end of the text. */
static uint32_t take_row_text(struct recording *r, const char **at, uint32_t size) {
    uint32_t text = size ? texts_add(&r->source.texts, *at, size) : 0;

    *at += size;
    return text;
}

/* Takes the bins of a row: the middle of each bin becomes a value. False: the bins' counts do not
 * add up to the row's count. */
static bool take_bins(struct distribution *d, const char *at, uint32_t count) {
    uint64_t all = 0;

    d->values = must_alloc(NULL, count, sizeof(*d->values));
    d->counts = must_alloc(NULL, count, sizeof(*d->counts));
    d->value_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct rec_bin bin;
        memcpy(&bin, at + i * sizeof(bin), sizeof(bin));
        unsigned bits = bin.low ? 63u - (unsigned)__builtin_clzll(bin.low) : 0;
        uint64_t half = bits > REC_BIN_BITS ? UINT64_C(1) << (bits - REC_BIN_BITS) >> 1 : 0;
        d->values[i] = bin.low | half;
        d->counts[i] = bin.count;
        all += bin.count;
    }
    return all == d->count;
}

static bool take_row(struct recording *r, const struct record *rec, struct statistics_row *ret) {
    struct rec_row in;

    if (!record_body(rec, &in, sizeof(in))) {
        return false;
    }
    uint64_t bins = (uint64_t)in.bin_count * sizeof(struct rec_bin);
    bool is_range = in.style < SPAN_MARK;
    if (in.style > SPAN_COUNTER || (in.bin_count && !is_range) ||
        sizeof(in) + bins + in.domain_size + in.text_size + in.category_size > rec->size ||
        !isfinite(in.total + in.squares + in.self)) {
        return false;
    }
    const char *at = rec->body + sizeof(in);
    struct distribution *d = &ret->row.durations;
    *d = (struct distribution){.count = is_range ? in.count : 0,
                               .min = in.min,
                               .max = in.max,
                               .total = in.total,
                               .mean = in.count ? in.total / (double)in.count : 0,
                               .squares = in.squares};
    bool fits = take_bins(d, at, in.bin_count);
    at += bins;
    ret->row.style = (enum span_style)in.style;
    ret->row.domain_name = take_row_text(r, &at, in.domain_size);
    ret->row.text = take_row_text(r, &at, in.text_size);
    ret->row.category_name = take_row_text(r, &at, in.category_size);
    ret->row.has_category = in.has_category;
    ret->row.category = in.category;
    ret->row.instances = in.count;
    ret->row.color = in.color;
    ret->row.self = in.self;
    ret->row.value_total = in.value_total;
    ret->row.value_min = in.value_min;
    ret->row.value_max = in.value_max;
    ret->row.value_last = in.value_last;
    ret->drift = in.drift;
    ret->row.inclusive = is_range ? NAN : 0;
    if (rec->body + rec->size - at >= (ptrdiff_t)sizeof(double)) { /* only in newer files */
        memcpy(&ret->row.inclusive, at, sizeof(double));
        fits &= isfinite(ret->row.inclusive);
    }
    return fits;
}

void statistics_each(struct source *s, void (*f)(void *arg, const struct statistics_row *row),
                     void *arg) {
    struct recording *r = recording_of(s);
    struct damage before = r->damage;
    struct cursor c = {0};
    struct record rec;

    for (size_t i = 0; i < s->process_count && s->is_statistics; i++) {
        const struct process *p = &r->processes[i];
        cursor_begin(&c, r, p->first_chunk, p->chunk_count);
        while (cursor_next(&c, &rec)) {
            if (rec.kind != REC_EXTENDED || rec.id != REC_EXTENDED_ROW) {
                continue;
            }
            struct statistics_row row = {.process = p->source};
            if (take_row(r, &rec, &row)) {
                f(arg, &row);
            } else {
                r->damage.bad_records++;
            }
            distribution_free(&row.row.durations);
        }
    }
    r->damage = s->is_again ? before : r->damage;
    cursor_end(&c);
}
