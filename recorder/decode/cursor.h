/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Reads the records of a stream one after the other, chunk by chunk, in bounded memory. */
#include "recording.h"

#include <string.h>

struct record {
    enum rec_kind kind;
    uint32_t domain;
    uint64_t ticks;
    uint64_t range; /* of START and END: the range id; of COUNT: the counter */
    /* `text` is the message. If the bit REC_TEXT_REGISTERED is set, the other bits are the number
     * of a registered string. If not, `text` is the number of a text of the stream. */
    uint32_t text, color, category;
    bool has_color, has_category;
    enum rec_payload payload_type;
    uint64_t payload;
    /* The members below are set in long records only (kinds from REC_LONG on). `id` depends on the
     * kind: for example the number of a text, or a REC_EXTENDED_... */
    uint32_t id;
    const char *body;
    uint64_t place; /* offset of the body in the file */
    uint32_t size;  /* of the body, in bytes */
};

/* Whether the record is an event, or belongs to an event and has the event's time. */
static inline bool record_is_of_events(const struct record *r) {
    return r->kind <= REC_MARK || r->kind == REC_COUNT || r->kind == REC_EXTENDED;
}

static inline bool record_is_extended(const struct record *r, enum rec_extended what) {
    return r->kind == REC_EXTENDED && r->id == what;
}

/* Whether the record is an event. A payload, a pop without a push, and the end of a thread are
 * not. */
static inline bool record_is_event(const struct record *r) {
    return record_is_of_events(r) && !record_is_extended(r, REC_EXTENDED_PAYLOAD) &&
           !record_is_extended(r, REC_EXTENDED_NO_PUSH) &&
           !record_is_extended(r, REC_EXTENDED_ENDED);
}

/* Copies the first `size` bytes of the body of a long record. False: the body is shorter. */
static inline bool record_body(const struct record *r, void *ret, size_t size) {
    memcpy(ret, r->body, r->size < size ? 0 : size);
    return r->size >= size;
}

/* A stream's presets. A preset is what several pushes share: all except time and payload. */
struct presets {
    struct record *all; /* index: the preset's number; kind REC_NONE: not defined by the stream */
    size_t count;
};

/* How far a stream was read. A struct of zeros: nothing was read. */
struct cursor_place {
    bool begun;            /* a chunk was read */
    bool gap, next_thread; /* cursor.after_gap and cursor.next_thread of the next record */
    uint32_t seq, size;    /* of the chunk read last: its number in the stream; its size in bytes */
    uint32_t at;           /* how many bytes of that chunk's records were read */
    uint32_t tid;          /* the thread of the last record that was read */
    uint64_t base;         /* ticks; a record's time is `base` plus the record's 32 bits of time */
    struct presets presets;
};

struct cursor {
    struct recording *recording;
    size_t chunk, end; /* indexes in recording.chunks: of the next chunk; of the last one + 1 */
    char *buffer;
    size_t capacity, at, used; /* bytes of `buffer`: allocated; decoded; filled */
    /* The recording is under way: the cursor leaves out chunks of a ring that are overwritten while
     * it reads them. */
    bool is_live;
    uint64_t place; /* offset of the buffer's first byte in the file */
    /* The chunk in the buffer, and how far it was read. If an earlier cursor has read a part of the
     * chunk, last.at is the size of this part in bytes, and the buffer begins after it. */
    struct cursor_place last;
    bool is_there;         /* chunk last.seq was found; if not, its unread rest was overwritten */
    bool after_gap;        /* chunks are missing before the current record */
    bool next_thread;      /* the previous record was another thread's */
    uint64_t bytes;        /* how many bytes of records this cursor has read */
    uint64_t missed;       /* bytes of a ring that were overwritten before they were read */
    uint64_t missed_until; /* ticks: when the chunk after the last missed bytes was begun */
};

/* Places the cursor before the first record of a stream's `count` chunks. `first`: the index of the
 * first of these chunks in recording.chunks. */
void cursor_begin(struct cursor *c, struct recording *r, size_t first, size_t count);

/* Like cursor_begin, but places the cursor at *place, which cursor_stop has set. Moves the presets
 * from *place to the cursor. */
void cursor_resume(struct cursor *c, struct recording *r, size_t first, size_t count,
                   struct cursor_place *place);
void cursor_stop(struct cursor *c, struct cursor_place *ret_place);

/* Reads the next record, and sets `after_gap`, `next_thread` and `last.tid`. False at the end. Some
 * records are not returned, but take effect at once: they define a preset, give a new time base or,
 * in a thread's stream, say which thread wrote the rest. A push by preset is returned as a push. */
bool cursor_next(struct cursor *c, struct record *ret);

void cursor_end(struct cursor *c);

/* Calls f for each record of a process's definitions, such as names and schemas. */
typedef void cursor_definition(void *arg, struct recording *r, struct process *p,
                               const struct record *rec);
void cursor_definitions(struct recording *r, struct process *p, cursor_definition *f, void *arg);
