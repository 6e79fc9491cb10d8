/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_CURSOR_H
#define NVTXH_READ_CURSOR_H
/* Walks over the records of a stream, chunk by chunk, in bounded memory. */
#include "recording.h"

struct record {
    enum rec_kind kind;
    uint32_t domain;
    uint64_t ticks;
    uint64_t range; /* of START and END: the range id; of COUNT: the counter */
    /* The message: with REC_TEXT_REGISTERED the number of a registered string, else that of a text of the stream. */
    uint32_t text;
    uint32_t color, category;
    bool has_color, has_category;
    enum rec_payload payload_type;
    uint64_t payload;
    /* Of long records only. What `id` means depends on the kind: it is the number of a text, or a REC_EXTENDED_... */
    uint32_t id;
    const char *body;
    uint64_t place; /* of the body in the file */
    uint32_t size;  /* of the body, in bytes */
};

/* Whether the record is an event or belongs to one. The record's time is then that of the event. */
static inline bool record_is_of_events(const struct record *r)
{
    return r->kind <= REC_MARK || r->kind == REC_COUNT || r->kind == REC_EXTENDED;
}

/* Whether the record is the payload of the next event. */
static inline bool record_is_payload(const struct record *r)
{
    return r->kind == REC_EXTENDED && r->id == REC_EXTENDED_PAYLOAD;
}

/* Whether the record is a pop in a domain without an open push. */
static inline bool record_is_no_push(const struct record *r)
{
    return r->kind == REC_EXTENDED && r->id == REC_EXTENDED_NO_PUSH;
}

/* Whether the record counts as an event. */
static inline bool record_is_event(const struct record *r)
{
    return record_is_of_events(r) && !record_is_payload(r) && !record_is_no_push(r);
}

/* The presets of a stream, by number. Each is a push without its time and payload. */
struct presets {
    struct record *all; /* at a number that the stream did not define, the kind is REC_NONE */
    size_t count;
};

/* How far a stream was read. A struct of zeros: not at all. */
struct cursor_place {
    bool begun;
    bool gap, next_thread; /* what the next record's `after_gap` and `next_thread` will say */
    uint32_t seq, tid;     /* of the chunk that was read last; of the record that was read last */
    uint32_t size, at;     /* bytes of that chunk; of its records, the bytes that were read */
    uint64_t base;         /* ticks: see struct cursor */
    struct presets presets;
};

struct cursor {
    struct recording *recording;
    size_t chunk, end; /* in recording.chunks: the next chunk, and where the chunks end */
    char *buffer;
    size_t room, at, used; /* bytes of `buffer`: allocated, decoded so far, read from the chunk */
    size_t firm;           /* the writer may still take back pushes from here on */
    /* The recording is still written: leaves such pushes out, and chunks of a ring that were overwritten meanwhile. */
    bool is_live;
    uint64_t base;    /* ticks to which a record adds its own 32 bits of time */
    uint64_t place;   /* offset of the buffer's first byte in the file */
    bool begun;       /* a chunk was read, or the cursor goes on where an earlier one stopped */
    uint32_t seq;     /* the number in its stream of the chunk in the buffer */
    uint32_t size;    /* of that chunk, in bytes */
    uint32_t skipped; /* its records before the buffer: an earlier cursor has read them */
    bool
        is_there; /* that chunk was found; false: it was overwritten before it was read to its end */
    bool after_gap;                  /* chunks are missing before the current record */
    bool kept_gap, kept_next_thread; /* for the next record, from before its chunk was there */
    uint32_t tid;                    /* thread of the current record */
    bool next_thread;                /* the record before was another thread's */
    uint64_t bytes;                  /* of records that were read */
    uint64_t missed;       /* bytes of a ring that were overwritten before they were read */
    uint64_t missed_until; /* ticks at which the chunk after the last such bytes begins */
    struct presets presets;
};

/* Begins before the first record of the chunks [first, first + count), which are of one stream. */
void cursor_begin(struct cursor *c, struct recording *r, size_t first, size_t count);

/* The same, but begins after the records that were read before: cursor_stop has set *place. Takes over the presets in
 * *place. */
void cursor_resume(struct cursor *c, struct recording *r, size_t first, size_t count,
                   struct cursor_place *place);
void cursor_stop(struct cursor *c, struct cursor_place *ret_place);

/* Reads the next record, and sets `after_gap`, `next_thread` and `tid`. False at the end. Does not return records
 * that define presets, give a new time base or name the next thread. Returns a push by preset as a push. */
bool cursor_next(struct cursor *c, struct record *ret);

/* Reads the next chunk, or what is new in it, into `buffer`, and sets `used` to the number of bytes. cursor_next does that where a
 * chunk ends, so only callers that look at whole chunks call it. False at the end. */
bool cursor_chunk(struct cursor *c);

void cursor_end(struct cursor *c);

/* Calls f for each record of a process's stream of definitions. */
void cursor_definitions(struct recording *r, const struct process *p,
                        void (*f)(void *arg, const struct record *rec), void *arg);

#endif /* NVTXH_READ_CURSOR_H */
