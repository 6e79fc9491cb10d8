/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_PART_H
#define NVTXH_WRITE_PART_H
/*
 * This process's part of the recording: what is said about the process, and the stream its definitions go to. A
 * forked child has none, and begins one of its own with its first call. One lock for all of it.
 */
#include "stream.h"

#include <stdbool.h>
#include <stdint.h>

bool part_init(void);

/* Bytes of the ring that the next part gets; 0: none. */
extern uint64_t part_ring_size;

/*
 * For registry_lock, which all others call. Begins a part if there is none and something is recorded. Returns the
 * stream of definitions, a dead one while nothing is recorded; `ret_begun`: it is new, and nothing has been defined
 * there. Signals are blocked until part_unlock.
 */
struct stream *part_lock(bool *ret_begun);
void part_unlock(void);

/* While it is locked: fills in a stream of the recording of that number, with no chunk yet. False: that is not
 * recorded any more. */
bool part_new_stream(uint32_t recording, struct stream *ret);

/* While it is locked, and the file takes no more: the part is over. */
void part_end(void);

/* The process ends, or the part: writes when. */
void part_write_end(void);

bool part_is_ready(void);

/* Whether this process is a fork of the one that began to record. */
bool part_is_forked(void);

#endif /* NVTXH_WRITE_PART_H */
