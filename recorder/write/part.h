/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_PART_H
#define NVTXH_WRITE_PART_H
/* This process's part of the recording: the description of the process, and the stream of its definitions. A forked
 * child has none, and begins its own at its first NVTX call. One lock guards the part and the registry. */
#include "stream.h"

#include <stdbool.h>
#include <stdint.h>

bool part_init(void);

/* Bytes of the ring that the next part gets; 0: none. */
extern uint64_t part_ring_size;

/* For registry_lock. Begins a part, and sets *ret_begun, if there is none and a recording is under way. Returns the
 * stream of definitions, or a stream that takes no records if nothing is recorded. Blocks signals until part_unlock. */
struct stream *part_lock(bool *ret_begun);
void part_unlock(void);

/* While locked: fills in a stream of the recording, without a chunk. False: the recording has ended. */
bool part_new_stream(uint32_t recording, struct stream *ret);

/* While locked, after file_end: ends the part. */
void part_end(void);

/* Writes the time as the end of the part. Called when the process or the recording ends. */
void part_write_end(void);

bool part_is_ready(void);

/* Whether this process is a forked child of the process that began to record. */
bool part_is_forked(void);

#endif /* NVTXH_WRITE_PART_H */
