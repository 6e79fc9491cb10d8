/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A stream: the sequence of chunks (parts of the recording's file) that one writer fills. Only that
 * writer calls these functions. A struct of zeros is a stream without a chunk. A forked child finds
 * its parent's streams zeroed. */
#include "file.h"
#include "../format/clock.h"
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- rings ------------------------------------------------------------------------------------ */

/* A ring: a fixed number of chunks for all threads of a process, filled again and again, the oldest
 * first, so that the last events are kept. No function of a ring takes a lock. In a forked child,
 * the struct is zeroed, and the child makes a ring of its own. */
enum { RING_CHUNKS_MOST = 1024 };
struct ring {
    char *memory;                        /* the chunks, mapped */
    uint64_t size;                       /* bytes of `memory` */
    uint64_t offset;                     /* where `memory` begins in the file, in bytes */
    uint64_t clock;                      /* how many chunks were given back so far (see ring_put) */
    uint32_t number;                     /* the recording's number */
    uint32_t chunk_size, count, holders; /* bytes of a chunk; how many chunks; references */
    uint32_t filled;                     /* how many chunks have disk blocks */
    int error;                           /* errno: why no more chunks get disk blocks; 0: they do */
    bool told;                           /* the message that all chunks are in use was printed */
    uint64_t slots[RING_CHUNKS_MOST];    /* the state of each chunk: see BUSY in ring.c */
};

/* Makes a ring of about `size` bytes in the recording; NULL with errno on failure. Disk blocks are
 * allocated when a chunk is first filled; if the disk is full by then, the chunk is not used. */
struct ring *ring_new(uint32_t number, uint64_t size);

/* Takes the chunk to be filled next. Its magic is 0 until the caller has written a new header. NULL
 * with errno: ENOBUFS if all chunks that have blocks are in use, ESTALE if the recording is over;
 * after any other errno, no call will succeed. */
struct rec_chunk *ring_get(struct ring *r);

/* Gives back a chunk that is full, or whose thread has ended. */
void ring_put(struct ring *r, struct rec_chunk *chunk);

/* ring_new returns one reference; each stream holds one. The last ring_drop frees the memory. */
void ring_acquire(struct ring *r);
void ring_drop(struct ring *r);

/* --- streams ---------------------------------------------------------------------------------- */

struct stream {
    struct rec_chunk *chunk; /* is being filled; its `used` is the offset of the next record */
    uint64_t end;            /* bytes of the chunk; 0: no chunk, or nothing more goes into it */
    uint64_t base;           /* records count their ticks from here; the lower 32 bits are 0 */
    struct ring *ring;       /* the source of chunks, or NULL */
    uint32_t number;         /* the recording's number; 0: the stream was not begun yet */
    struct rec_chunk *left;  /* stays mapped: an abandoned event may still write to this chunk */
    /* As in struct rec_chunk, where `index` is called `stream`. `seq` is that of the next chunk. */
    uint32_t process, index, tid, seq, in_handlers;
    int cancel;   /* while `guarded`: the cancellation state to restore */
    bool guarded; /* cancellation is disabled now */
    bool dead;    /* nothing more is written */
    bool pinned;  /* the first chunk stays mapped */
    bool refused; /* got no new chunk, because the process must not have more mappings */
};

/* The base for these ticks. A record has the lower 32 bits of its ticks. Whenever the upper bits
 * change (at 2 GHz, every 2 s), a new base and a new sample of the clocks are written. */
static inline uint64_t stream_base(uint64_t ticks) {
    return ticks >> 32 << 32;
}

/* Does the work of stream_reserve if a new base or a new chunk is needed. Returns NULL if the
 * record cannot be written. */
uint64_t *stream_reserve_slow(struct stream *s, size_t words, uint64_t ticks);

/* Words left in the chunk. Other processes can write to the file, so `used` is not trusted. */
static inline size_t stream_capacity(const struct stream *s) {
    if (!s->end) {
        return 0;
    }
    uint64_t used = __atomic_load_n(&s->chunk->used, __ATOMIC_RELAXED);
    return used < s->end ? (size_t)(s->end - used) / 8 : 0;
}

static inline uint64_t *stream_at(const struct stream *s) {
    return (uint64_t *)((char *)s->chunk + __atomic_load_n(&s->chunk->used, __ATOMIC_RELAXED));
}

/* Returns room for a record of `words` words with the time `ticks`; NULL if there is none. */
static inline uint64_t *stream_reserve(struct stream *s, size_t words, uint64_t ticks) {
    if (__builtin_expect(stream_capacity(s) < words || stream_base(ticks) != s->base, 0)) {
        return stream_reserve_slow(s, words, ticks);
    }
    return stream_at(s);
}

/* The most bytes of a record's body; in a ring, where all chunks have one size, half a chunk. */
static inline size_t stream_longest(const struct stream *s) {
    return s->ring ? s->ring->chunk_size / 2 : REC_TEXT_MAX;
}

static inline uint64_t stream_time(const struct stream *s, uint64_t ticks) {
    return (ticks - s->base) << 32;
}

/* Publishes a record: it is in the recording even if the process is killed now. */
static inline void stream_publish(struct stream *s, size_t words) {
    uint64_t used = __atomic_load_n(&s->chunk->used, __ATOMIC_RELAXED);
    __atomic_store_n(&s->chunk->used, used + words * 8, __ATOMIC_RELEASE);
}

void stream_drop(struct stream *s); /* counts an event that found no room */

/* Writes a long record (see REC_LONG). Its body is the concatenation of the pieces, `size` bytes in
 * all. False: there was no room. */
struct stream_piece {
    const void *bytes;
    size_t size;
};
bool stream_write_pieces(struct stream *s, uint64_t word, uint32_t id,
                         const struct stream_piece *pieces, size_t count, size_t size);
bool stream_write_long(struct stream *s, uint64_t word, uint32_t id, const void *body, size_t size);

/* Called after a signal handler has jumped out of a function of this stream: repairs the stream. */
void stream_leave(struct stream *s);

/* Called when a thread has ended. Returns how many streams of ended threads may wait for new
 * threads, at most `most`; 0 if this stream may not wait. */
size_t stream_rest_places(const struct stream *s, size_t most);

/* Lets thread `tid` continue an ended thread's stream. False: no room, or the recording is over. */
bool stream_resume(struct stream *s, uint32_t tid);

/* Frees the stream's memory; what was written stays in the file. */
void stream_close(struct stream *s);
