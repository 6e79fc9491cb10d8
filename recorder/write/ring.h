/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_RING_H
#define NVTXH_WRITE_RING_H
/*
 * A flight recorder's memory: a fixed number of chunks for all threads of a process. They are filled again and again,
 * the oldest first. Takes no lock. Its memory is wiped in a forked child, which makes a ring of its own.
 */
#include "../format/format.h"

#include <stdint.h>

struct ring;

/* A ring of about `size` bytes in that recording; NULL with errno on failure. The ring's blocks are allocated as its
 * chunks are first filled. If the disk becomes full, the ring stays as large as it is. */
struct ring *ring_new(uint32_t number, uint64_t size);

uint64_t ring_size(const struct ring *r);
uint32_t ring_chunk_size(const struct ring *r);
uint32_t ring_chunk_count(const struct ring *r);

/* The chunk to be filled next. NULL with ENOBUFS: all are in use, by as many threads. With ESTALE: the recording is
 * over. With another errno: there will never be one. The chunk's magic stays 0 until it has its new header. */
struct rec_chunk *ring_take(struct ring *r);

/* Gives back a chunk that is full, or whose thread has ended. */
void ring_put(struct ring *r, struct rec_chunk *chunk);

/* A reference count: held by everyone who may take from the ring or has a chunk of it, and by its maker from the
 * beginning. The last one frees the memory. */
void ring_hold(struct ring *r);
void ring_drop(struct ring *r);

#endif /* NVTXH_WRITE_RING_H */
