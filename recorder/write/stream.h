/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_STREAM_H
#define NVTXH_WRITE_STREAM_H
/*
 * A stream: the chain of chunks one writer fills. Everything here is called by that writer alone.
 * All zero is a stream without a chunk yet, which is also what a fork finds in place of its
 * parent's.
 */
#include "../format/clock.h"
#include "../format/format.h"
#include "file.h"
#include "ring.h"

#include <stdbool.h>
#include <stddef.h>

struct stream {
    struct rec_chunk *chunk; /* the next record goes where its `used` says */
    uint64_t end;            /* of what may be used of the chunk; 0 without one */
    uint64_t base;           /* ticks that deltas count from; the lower half is zero */
    struct ring *ring;       /* where chunks come from, if there is one */
    uint32_t number;         /* of the recording */
    struct rec_chunk *left;  /* stays mapped: an event that was left may still write there */
    uint32_t process, index, tid, seq, lane;
    /* Of tentative records, which follow what is published: where they end in the chunk, 0 if there are none; and `end`,
     * which is 0 meanwhile, so that what is written next settles them first. */
    uint64_t pending, hidden_end;
    int cancel;   /* whether the thread may be cancelled, while `guarded` */
    bool guarded; /* it must not be now */
    bool dead;    /* nothing more is written */
    bool pinned;  /* the first chunk stays mapped */
};

/* Deltas have 32 bits, and are the lower half of the ticks. A new base also brings a fresh sample of the
 * clocks, about every other second. */
static inline uint64_t stream_base(uint64_t ticks)
{
    return ticks >> 32 << 32;
}

/* The rare part of stream_reserve: a new base, a new chunk, or the end of recording. */
uint64_t *stream_reserve_slow(struct stream *s, size_t words, uint64_t ticks);

/* Words that are left in the chunk. The file is open to others: `used` is not trusted with memory. */
static inline size_t stream_room(const struct stream *s)
{
    if (!s->end) {
        return 0;
    }
    uint64_t used = __atomic_load_n(&s->chunk->used, __ATOMIC_RELAXED);
    return used < s->end ? (size_t)(s->end - used) / 8 : 0;
}

/* The same after those that are tentative. */
static inline size_t stream_room_behind(const struct stream *s)
{
    return s->pending < s->hidden_end ? (size_t)(s->hidden_end - s->pending) / 8 : stream_room(s);
}

static inline uint64_t *stream_at(const struct stream *s)
{
    return (uint64_t *)((char *)s->chunk + __atomic_load_n(&s->chunk->used, __ATOMIC_RELAXED));
}

/* Room for a record of that many words that begins at `ticks`, or NULL when there is none left. */
static inline uint64_t *stream_reserve(struct stream *s, size_t words, uint64_t ticks)
{
    if (__builtin_expect(stream_room(s) < words || stream_base(ticks) != s->base, 0)) {
        return stream_reserve_slow(s, words, ticks);
    }
    return stream_at(s);
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
    uint64_t used = __atomic_load_n(&s->chunk->used, __ATOMIC_RELAXED);
    __atomic_store_n(&s->chunk->used, used + words * 8, __ATOMIC_RELEASE);
}

/* What has been written behind the published records, up to `end` of the chunk, is tentative. */
void stream_hold(struct stream *s, uint64_t end);

/* Takes back what is tentative from `at` on, and counts a range that is left out. `last`: nothing tentative is left. */
void stream_take_back(struct stream *s, uint64_t at, bool last);

/* Publishes what is tentative before `at`; all of it. */
void stream_settle_to(struct stream *s, uint64_t at);
void stream_settle(struct stream *s);

/* Counts an event that found no room. */
void stream_drop(struct stream *s);

/* A record with a length of its own: its body is what stands in the pieces, one after the other, `size` bytes in all.
 * False if there was no room. */
struct stream_piece {
    const void *bytes;
    size_t size;
};
bool stream_write_pieces(struct stream *s, uint64_t word, uint32_t id,
                         const struct stream_piece *pieces, size_t count, size_t size);
bool stream_write_long(struct stream *s, uint64_t word, uint32_t id, const void *body, size_t size);

/* A signal handler has jumped out of a function of this stream. */
void stream_leave(struct stream *s);

/* The thread has ended. Returns how many streams like it may wait for another thread to go on with them, at most
 * `most`; 0: this one may not. */
size_t stream_rest_places(const struct stream *s, size_t most);

/* Another thread goes on with the stream. False if there was no room to say so. */
bool stream_resume(struct stream *s, uint32_t tid);

/* Gives the memory back; what was written stays in the file. */
void stream_close(struct stream *s);

#endif /* NVTXH_WRITE_STREAM_H */
