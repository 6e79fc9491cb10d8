/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_CURSOR_H
#define NVTXH_READ_CURSOR_H
/* Walks over the records of a stream, chunk by chunk, in bounded memory. */
#include "recording.h"

struct record {
    enum rec_kind kind;
    uint32_t domain;
    uint64_t ticks;
    uint64_t range; /* START, END; of COUNT the counter */
    uint32_t text;  /* as in the file */
    uint32_t color, category;
    bool has_color, has_category;
    enum rec_payload payload_type;
    uint64_t payload;
    uint32_t id; /* long records */
    const char *body;
    uint64_t place; /* of the body in the file */
    uint32_t size;
};

/* Whether the record is an event or part of one, so that its time is that of the event. */
static inline bool record_is_of_events(const struct record *r)
{
    return r->kind <= REC_MARK || r->kind == REC_COUNT || r->kind == REC_EXTENDED;
}

/* Whether the record belongs to the next event. */
static inline bool record_is_payload(const struct record *r)
{
    return r->kind == REC_EXTENDED && r->id == REC_EXTENDED_PAYLOAD;
}

/* Whether the record is a pop that had nothing to end. */
static inline bool record_is_no_push(const struct record *r)
{
    return r->kind == REC_EXTENDED && r->id == REC_EXTENDED_NO_PUSH;
}

/* Whether the record counts as an event. */
static inline bool record_is_event(const struct record *r)
{
    return record_is_of_events(r) && !record_is_payload(r) && !record_is_no_push(r);
}

/* The table of presets of a stream, by number: pushes without a time. */
struct presets {
    struct record *all; /* kind REC_NONE: unknown */
    size_t count;
};

struct cursor {
    struct recording *recording;
    size_t first, chunk, end; /* in recording.chunks */
    char *buffer;
    size_t room, at, used;
    size_t firm; /* what lies behind it may still be taken back */
    uint64_t base;
    uint64_t place;   /* where in the file the buffer is from */
    uint32_t seq;     /* of the chunk in the buffer */
    bool after_gap;   /* chunks are missing before it, and none of its records has been returned */
    uint32_t tid;     /* of the thread of the current records */
    bool next_thread; /* it is not the thread of the record before */
    struct presets presets;
};

/* Over the chunks [first, first + count) of one stream. */
void cursor_begin(struct cursor *c, struct recording *r, size_t first, size_t count);

/* False at the end. Handles REBASE records and presets itself, and returns a push by preset as a push. `after_gap` is
 * true if records are missing before this one, `next_thread` if it is the first of another thread, `tid`. */
bool cursor_next(struct cursor *c, struct record *ret);

/* In place of cursor_next: the next chunk as a whole, in `buffer` up to `used`. False at the end. */
bool cursor_chunk(struct cursor *c);

void cursor_end(struct cursor *c);

#endif /* NVTXH_READ_CURSOR_H */
