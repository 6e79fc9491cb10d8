/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stream.h"
#include "block_signals.h"
#include "chunk_prefetch.h"
#include "losses.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* The sizes of a stream's first chunks in bytes; later chunks have the last size. Streams begin
 * small, because programs may have a thousand threads. */
static const uint32_t chunk_sizes[] = {1u << 14, 1u << 16, CHUNK_PREFETCH_SIZE};

static struct rec_chunk *new_chunk(struct stream *s, size_t words, size_t *ret_size) {
    size_t last = sizeof(chunk_sizes) / sizeof(chunk_sizes[0]) - 1;
    size_t size = chunk_sizes[s->seq < last ? s->seq : last];
    size_t need = words * 8 + REC_CHUNK_HEADER;
    struct rec_chunk *chunk = NULL;

    if (s->ring) {
        *ret_size = s->ring->chunk_size;
        errno = EMSGSIZE;
        return need > *ret_size ? NULL : ring_get(s->ring);
    }
    if (need > size) {
        size = (need + REC_ALIGN - 1) / REC_ALIGN * REC_ALIGN;
    }
    *ret_size = size;
    if (size == CHUNK_PREFETCH_SIZE && !s->pinned) {
        chunk = chunk_prefetch_get(s->number);
    }
    return chunk ? chunk : file_alloc_chunk(s->number, -1, size, s->pinned);
}

static void release_chunk(struct stream *s) {
    if (s->chunk && s->ring) {
        ring_put(s->ring, s->chunk);
    } else if (s->chunk == s->left) {
        /* stays mapped: see `left` in struct stream */
    } else if (s->chunk && (!s->pinned || s->chunk->seq)) {
        chunk_prefetch_release(s->chunk, s->chunk->size);
    }
}

static void begin_chunk(struct stream *s, struct rec_chunk *chunk, size_t size, uint64_t ticks) {
    /* In a ring, a reader may be reading the chunk now, which is safe: its size stays the same. */
    struct rec_chunk header = {.size = (uint32_t)size,
                               .process = s->process,
                               .stream = s->index,
                               .tid = s->tid,
                               .seq = s->seq++,
                               .in_handlers = s->in_handlers,
                               .clock = file_clock,
                               .base = stream_base(ticks),
                               .sample = clock_sample(file_clock),
                               .used = REC_CHUNK_HEADER,
                               .flags = s->ring ? REC_CHUNK_RING : 0};
    memcpy(chunk, &header, sizeof(header));
    __atomic_store_n(&chunk->magic, REC_CHUNK_MAGIC, __ATOMIC_RELEASE);
    release_chunk(s);
    s->chunk = chunk;
    s->base = stream_base(ticks);
    s->end = size;
}

static bool next_chunk(struct stream *s, size_t words, uint64_t ticks) {
    uint32_t number = s->number;
    size_t size;
    struct rec_chunk *chunk = new_chunk(s, words, &size);

    s->refused = !chunk && errno == EUSERS;
    if (s->refused || (!chunk && s->ring && (errno == ENOBUFS || errno == EMSGSIZE))) {
        return false; /* the record is too long, or there is no chunk now; later records may fit */
    }
    if (!chunk) {
        s->dead = true;
        s->end = 0; /* nothing more goes into the old chunk; its `dropped` counts later events */
        file_complain(s->number, errno);
        return false;
    }
    struct block_signals g = block_signals_enter();
    bool ours = s->number == number; /* false in the child if a signal handler has forked */
    if (ours) {
        begin_chunk(s, chunk, size, ticks);
    }
    block_signals_leave(&g);
    return ours;
}

static void rebase(struct stream *s, uint64_t ticks) {
    struct rec_sample sample = clock_sample(file_clock);

    uint64_t *at = stream_at(s);

    at[0] = rec_word(REC_REBASE, 0);
    at[1] = stream_base(ticks);
    memcpy(&at[2], &sample, sizeof(sample));
    stream_publish(s, 5);
    s->base = stream_base(ticks);
}

uint64_t *stream_reserve_slow(struct stream *s, size_t words, uint64_t ticks) {
    int error = errno, cancel;
    uint64_t *at = NULL;

    /* The thread must not be cancelled in the following system calls. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    s->cancel = cancel;
    s->guarded = true;
    if (!s->dead && s->number) {
        bool fits = stream_capacity(s) >= words + 5;
        if (fits) {
            rebase(s, ticks);
        } else {
            fits = next_chunk(s, words, ticks);
        }
        at = fits ? stream_at(s) : NULL;
    }
    s->guarded = false;
    pthread_setcancelstate(cancel, NULL);
    errno = error;
    return at;
}

void stream_drop(struct stream *s) {
    losses_add(REC_LOSS_MAPPINGS, s->refused);
    if (s->chunk) {
        __atomic_store_n(&s->chunk->dropped, s->chunk->dropped + 1, __ATOMIC_RELAXED);
    } else {
        losses_count(REC_LOSS_NO_STREAM);
    }
}

bool stream_write_pieces(struct stream *s, uint64_t word, uint32_t id,
                         const struct stream_piece *pieces, size_t count, size_t size) {
    size_t words = 2 + (size + 7) / 8;
    uint64_t ticks = clock_ticks(file_clock);
    uint64_t *at = stream_reserve(s, words, ticks);

    if (!at) {
        return false;
    }
    at[words - 1] = 0; /* zero padding; written first, because it is at[1] if there is no body */
    at[0] = word | stream_time(s, ticks);
    at[1] = (uint64_t)size | (uint64_t)id << 32;
    char *to = (char *)&at[2];
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].size) {
            memcpy(to, pieces[i].bytes, pieces[i].size);
        }
        to += pieces[i].size;
    }
    stream_publish(s, words);
    return true;
}

bool stream_write_long(struct stream *s, uint64_t word, uint32_t id, const void *body,
                       size_t size) {
    return stream_write_pieces(s, word, id, &(struct stream_piece){body, size}, 1, size);
}

void stream_leave(struct stream *s) {
    s->left = s->chunk;
    if (s->guarded) {
        s->guarded = false;
        pthread_setcancelstate(s->cancel, NULL);
    }
}

/* In a ring, few streams of ended threads are kept for new threads: each occupies a chunk. */
size_t stream_rest_places(const struct stream *s, size_t most) {
    if (!s->end || s->dead || s->number != file_recording()) {
        return 0;
    }
    size_t share = s->ring ? s->ring->count / 32 : most;
    return share < most ? share : most;
}

bool stream_resume(struct stream *s, uint32_t tid) {
    s->tid = tid; /* the header of a new chunk has the tid, too */
    return s->number == file_recording() &&
           stream_write_long(s, rec_word(REC_THREAD, 0), tid, NULL, 0);
}

void stream_close(struct stream *s) {
    release_chunk(s);
    if (s->ring) {
        ring_drop(s->ring);
    }
    *s = (struct stream){0};
}
