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

/* Whether the record is an event or a part of one, and its time is the event's. */
static inline bool record_is_of_events(const struct record *r)
{
    return r->kind <= REC_MARK || r->kind == REC_COUNT || r->kind == REC_EXTENDED;
}

/* Whether it belongs to the event after it. */
static inline bool record_is_payload(const struct record *r)
{
    return r->kind == REC_EXTENDED && r->id == REC_EXTENDED_PAYLOAD;
}

/* Whether it is a pop that had nothing to end. */
static inline bool record_is_no_push(const struct record *r)
{
    return r->kind == REC_EXTENDED && r->id == REC_EXTENDED_NO_PUSH;
}

/* Whether it is counted. */
static inline bool record_is_event(const struct record *r)
{
    return record_is_of_events(r) && !record_is_payload(r) && !record_is_no_push(r);
}

/* The table of presets of a stream, by number: pushes without a time. */
struct presets {
    struct record *all; /* kind REC_NONE: not known */
    size_t count;
};

struct cursor {
    struct recording *recording;
    size_t first, chunk, end; /* in recording.chunks */
    char *buffer;
    size_t room, at, used;
    size_t firm; /* what lies behind it may still be taken back */
    uint64_t base;
    uint64_t place;   /* of the buffer in the file */
    uint32_t seq;     /* of the chunk in the buffer */
    bool after_gap;   /* chunks are missing before it, and none of its records has been returned */
    uint32_t tid;     /* of the thread whose records come now */
    bool next_thread; /* it is another one than that of the record before */
    struct presets presets;
};

/* Over the chunks [first, first + count) of one stream. */
void cursor_begin(struct cursor *c, struct recording *r, size_t first, size_t count);

/* False at the end. REBASE records and presets are dealt with here and not returned; a push by a preset
 * is returned as a push. `after_gap` is true if records are missing before this one, `next_thread` if it is the
 * first of another thread, of which `tid` is the number. */
bool cursor_next(struct cursor *c, struct record *ret);

/* Instead: the next chunk as it is, in `buffer` up to `used`. False at the end. */
bool cursor_chunk(struct cursor *c);

void cursor_end(struct cursor *c);

#endif /* NVTXH_READ_CURSOR_H */
