/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_FOLLOW_RING_H
#define NVTXH_READ_FOLLOW_RING_H
/* Chunks of a ring that are reused while it is followed. */
#include "follow.h"

/* False: the chunk of a ring was reused while it was read, so nothing of it counts. */
bool follow_is_whole(const struct recording *r, const struct chunk_ref *ref);

/* Adds to f->missed what was reused before it was read: bytes, divided by the mean size of an event. `is_after`: the
 * chunk that was read last is still there, and was read to its end. False: nothing was. */
bool follow_missed(struct follow *f, struct follow_stream *s, const struct chunk_ref *ref,
                   bool is_after);

#endif /* NVTXH_READ_FOLLOW_RING_H */
