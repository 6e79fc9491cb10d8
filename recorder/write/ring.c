/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stream.h"
#include "losses.h"
#include "memory.h"

#include <errno.h>
#include <sys/mman.h>

/* A chunk's slot is 0 if the chunk was never filled, BUSY while the chunk is in use, otherwise the
 * value of `clock` when the chunk was given back. */
#define BUSY UINT64_MAX

struct ring *ring_new(uint32_t number, uint64_t size) {
    struct ring *r = wiped_memory_new(sizeof(*r));
    uint64_t each = size / RING_CHUNKS_MOST / REC_ALIGN * REC_ALIGN;

    if (!r) {
        return NULL;
    }
    each = each < REC_ALIGN ? REC_ALIGN : each > REC_CHUNK_MAX ? REC_CHUNK_MAX : each;
    r->chunk_size = (uint32_t)each;
    r->count = (uint32_t)(size / each < RING_CHUNKS_MOST ? size / each : RING_CHUNKS_MOST);
    r->size = each * r->count;
    r->holders = 1;
    r->number = number;
    r->memory = file_alloc_reserve(number, r->size, &r->offset);
    if (!r->memory) {
        int error = errno;
        munmap(r, sizeof(*r));
        errno = error;
        return NULL;
    }
    return r;
}

/* Finds the chunk that was given back longest ago. Chunks that were never filled come first, as
 * long as blocks can be allocated for them. *ret_age is BUSY if no chunk is free. */
static uint32_t find_oldest(const struct ring *r, uint64_t *ret_age) {
    bool stuck = __atomic_load_n(&r->error, __ATOMIC_RELAXED) != 0;
    uint32_t found = 0;

    *ret_age = BUSY;
    for (uint32_t i = 0; i < r->count && *ret_age; i++) {
        uint64_t age = __atomic_load_n(&r->slots[i], __ATOMIC_ACQUIRE);
        if (age < *ret_age && (age || !stuck)) {
            *ret_age = age;
            found = i;
        }
    }
    return found;
}

/* Allocates the blocks of a chunk before it is filled for the first time. Returns 0 or an errno. On
 * failure, frees the slot again. If the recording is not over, a failure also sets `r->error`: from
 * then on, no more chunks get blocks. */
static int make_ready(struct ring *r, uint32_t i, void *chunk) {
    int error =
        file_alloc_blocks(r->number, r->offset + (uint64_t)i * r->chunk_size, r->chunk_size);

    if (error) {
        if (error != ESTALE) { /* ESTALE: the recording has ended, and the disk may have space */
            __atomic_store_n(&r->error, error, __ATOMIC_RELAXED);
        }
        __atomic_store_n(&r->slots[i], 0, __ATOMIC_RELEASE);
        return error;
    }
    __atomic_add_fetch(&r->filled, 1, __ATOMIC_RELAXED);
    file_alloc_populate(chunk, r->chunk_size);
    return 0;
}

/* Returns the errno for ring_get when no chunk is free. Prints a message at the first ENOBUFS. */
static int report_busy(struct ring *r) {
    int error = __atomic_load_n(&r->error, __ATOMIC_RELAXED);

    if (error && !__atomic_load_n(&r->filled, __ATOMIC_RELAXED)) {
        return error;
    }
    if (!__atomic_exchange_n(&r->told, true, __ATOMIC_RELAXED)) {
        log_line(error ? "nvtxh: the file cannot grow to give each thread a part of the ring, "
                         "so events are dropped: free some space, or use another disk\n"
                       : "nvtxh: more threads record than the ring has parts, so events are "
                         "dropped: make the ring larger, at least 16k for each thread\n");
    }
    return ENOBUFS;
}

struct rec_chunk *ring_get(struct ring *r) {
    for (;;) {
        uint64_t age;
        uint32_t i = find_oldest(r, &age);
        if (age == BUSY) {
            errno = report_busy(r);
            return NULL;
        }
        if (!__atomic_compare_exchange_n(&r->slots[i], &age, BUSY, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED)) {
            continue; /* another thread has taken this chunk */
        }
        struct rec_chunk *chunk = (struct rec_chunk *)(r->memory + (size_t)i * r->chunk_size);
        int error = age ? 0 : make_ready(r, i, chunk);
        if (error == ESTALE) {
            errno = error;
            return NULL;
        }
        if (error) {
            continue; /* e.g. the disk is full: use the chunks that have blocks */
        }
        __atomic_store_n(&chunk->magic, 0, __ATOMIC_RELEASE);
        return chunk;
    }
}

void ring_put(struct ring *r, struct rec_chunk *chunk) {
    size_t i = (size_t)((char *)chunk - r->memory) / r->chunk_size;
    uint64_t age = __atomic_add_fetch(&r->clock, 1, __ATOMIC_RELAXED);

    __atomic_store_n(&r->slots[i], age, __ATOMIC_RELEASE);
}

void ring_acquire(struct ring *r) {
    __atomic_add_fetch(&r->holders, 1, __ATOMIC_RELAXED);
}

void ring_drop(struct ring *r) {
    if (__atomic_sub_fetch(&r->holders, 1, __ATOMIC_ACQ_REL) == 0) {
        munmap(r->memory, r->size);
        munmap(r, sizeof(*r));
    }
}
