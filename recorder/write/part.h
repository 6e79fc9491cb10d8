/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_PART_H
#define NVTXH_WRITE_PART_H
/*
 * This process's part of the recording: the description of the process, and the stream of its definitions. A forked
 * child has none, and begins its own at its first call. There is one lock for all of it.
 */
#include "stream.h"

#include <stdbool.h>
#include <stdint.h>

bool part_init(void);

/* Bytes of the ring that the next part gets; 0: none. */
extern uint64_t part_ring_size;

/*
 * Used by registry_lock, which all others call. Begins a part if there is none and a recording is under way. Returns
 * the stream of definitions, a dead one while nothing is recorded. `ret_begun`: it is new and empty. Signals are
 * blocked until part_unlock.
 */
struct stream *part_lock(bool *ret_begun);
void part_unlock(void);

/* While locked: fills in a stream of that recording, without a chunk. False: the recording has ended. */
bool part_new_stream(uint32_t recording, struct stream *ret);

/* While locked, if the file takes no more: ends the part. */
void part_end(void);

/* The process or the part ends: writes when. */
void part_write_end(void);

bool part_is_ready(void);

/* Whether this process is a fork of the one that began to record. */
bool part_is_forked(void);

#endif /* NVTXH_WRITE_PART_H */
