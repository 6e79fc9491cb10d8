/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_STREAM_H
#define NVTXH_INJECT_STREAM_H
/*
 * A stream: the chain of chunks one writer fills. Everything here is called by that writer alone.
 * All zero is a stream without a chunk yet, which is also what a fork finds in place of its
 * parent's.
 */
#include "../format/clock.h"
#include "../format/format.h"
#include "output.h"
#include "ring.h"

#include <stdbool.h>
#include <stddef.h>

struct stream {
    uint64_t *at;   /* where the next record goes */
    uint64_t *last; /* before this any record of the fast path fits */
    uint64_t *end;  /* end of the chunk */
    uint64_t base;  /* ticks that deltas count from */
    uint64_t limit; /* deltas beyond this are for the slow path to think about */
    struct rec_chunk *chunk;
    struct ring *ring; /* where chunks come from, if there is one */
    uint32_t number;   /* of the recording */
    uint32_t process, index, tid, seq, lane;
    bool dead;   /* no more room is to be had */
    bool pinned; /* the first chunk stays mapped */
};

enum { STREAM_FAST_WORDS = 4 };

/* Deltas have 32 bits; a new base also brings a fresh sample of the clocks, about once a second. */
#define STREAM_DELTA_MAX UINT64_C(0x7fffffff)

/* The rare half of stream_reserve: a new base, a new chunk, or the end of recording. */
uint64_t *stream_reserve_slow(struct stream *s, size_t words, uint64_t ticks);

/* Room for a record of that many words that begins at `ticks`, or NULL when there is none left. */
static inline uint64_t *stream_reserve(struct stream *s, size_t words, uint64_t ticks)
{
    if (__builtin_expect((size_t)(s->end - s->at) < words || ticks - s->base > STREAM_DELTA_MAX,
                         0)) {
        return stream_reserve_slow(s, words, ticks);
    }
    return s->at;
}

/* How long a record may be: in a ring, where chunks have one size, shorter than elsewhere. */
static inline size_t stream_longest(const struct stream *s)
{
    return s->ring ? ring_chunk_size(s->ring) / 2 : REC_TEXT_MAX;
}

static inline uint64_t stream_time(const struct stream *s, uint64_t ticks)
{
    return (ticks - s->base) << 32;
}

/* From here on the record is in the recording, whatever becomes of the process. */
static inline void stream_publish(struct stream *s, size_t words)
{
    s->at += words;
    __atomic_store_n(&s->chunk->used, (uint64_t)((char *)s->at - (char *)s->chunk),
                     __ATOMIC_RELEASE);
}

/* Counts an event that found no room. */
void stream_drop(struct stream *s);

/* Writes a record with a length of its own; false if there was no room. */
bool stream_write_long(struct stream *s, uint64_t word, uint32_t id, const void *body, size_t size);

/* Gives the memory back; what was written stays in the file. */
void stream_close(struct stream *s);

#endif /* NVTXH_INJECT_STREAM_H */
