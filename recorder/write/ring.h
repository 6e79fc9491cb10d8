/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_RING_H
#define NVTXH_WRITE_RING_H
/*
 * A flight recorder's memory: a fixed number of chunks for all threads of a process, filled again
 * and again, those first that have been full longest. Takes no lock. All memory of it is wiped in a
 * forked child, which makes one of its own.
 */
#include "../format/format.h"

#include <stdint.h>

struct ring;

/* A ring of about `size` bytes in the recording of that number; NULL with errno on failure. The file gets the
 * ring's blocks as its chunks are filled for the first time; when the disk has no more, the ring stays as large
 * as it is. */
struct ring *ring_new(uint32_t number, uint64_t size);

uint64_t ring_size(const struct ring *r);
uint32_t ring_chunk_size(const struct ring *r);
uint32_t ring_chunk_count(const struct ring *r);

/* The chunk to be filled next; NULL with ENOBUFS: every one is being filled, by as many threads; with ESTALE: the
 * recording is over; with another errno: there will never be one. Its magic is 0 and stays so until it has its new
 * header. */
struct rec_chunk *ring_take(struct ring *r);

/* Gives back a chunk that is full, or whose thread is over. */
void ring_put(struct ring *r, struct rec_chunk *chunk);

/* Everyone who may take from the ring, or has a chunk of it, holds it; its maker does from the beginning. Its
 * memory goes with the last one. */
void ring_hold(struct ring *r);
void ring_drop(struct ring *r);

#endif /* NVTXH_WRITE_RING_H */
