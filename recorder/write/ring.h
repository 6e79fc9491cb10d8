/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_RING_H
#define NVTXH_WRITE_RING_H
/* A flight recorder's memory: a fixed number of chunks for all threads of a process, filled again and again, the oldest
 * first. Nothing here takes a lock. A fork wipes the ring's memory; the child makes a ring of its own. */
#include "../format/format.h"

#include <stdint.h>

struct ring;

/* A ring of about `size` bytes in the recording; NULL with errno on failure. The ring's blocks are allocated as its
 * chunks are first filled. If the disk becomes full, the ring stays as large as it is. */
struct ring *ring_new(uint32_t number, uint64_t size);

uint64_t ring_size(const struct ring *r);
uint32_t ring_chunk_size(const struct ring *r);
uint32_t ring_chunk_count(const struct ring *r);

/* Takes the chunk to be filled next. The chunk's magic is 0 until it has a new header. NULL with errno: ENOBUFS if
 * other threads use all chunks, ESTALE if the recording is over; after any other errno, no call will succeed. */
struct rec_chunk *ring_take(struct ring *r);

/* Gives back a chunk that is full, or whose thread has ended. */
void ring_put(struct ring *r, struct rec_chunk *chunk);

/* Reference count: ring_new returns one reference, each stream holds another. The last ring_drop frees the memory. */
void ring_hold(struct ring *r);
void ring_drop(struct ring *r);

#endif /* NVTXH_WRITE_RING_H */
