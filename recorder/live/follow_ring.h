/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_LIVE_FOLLOW_RING_H
#define NVTXH_LIVE_FOLLOW_RING_H
/* Chunks of a ring that the writer reuses while the recording is followed. */
#include "follow.h"

/* Call it after a chunk was read. False: its writer reused it meanwhile, so nothing that was read of it counts. */
bool follow_is_whole(const struct recording *r, const struct chunk_ref *ref);

/* Call it before the records of the chunk `ref` are taken. Adds to f->missed the events that were overwritten before
 * they were read: an estimate, from their bytes and the mean size of an event. `is_after`: the chunk of the stream that
 * was read last is still there, and was read to its end. False: no event was missed. */
bool follow_missed(struct follow *f, struct follow_stream *s, const struct chunk_ref *ref,
                   bool is_after);

#endif /* NVTXH_LIVE_FOLLOW_RING_H */
