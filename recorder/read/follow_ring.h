/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_FOLLOW_RING_H
#define NVTXH_READ_FOLLOW_RING_H
/* What of a ring is filled again while it is followed. */
#include "follow.h"

/* A chunk of a ring that was filled again while it was read does not count at all. */
bool follow_is_whole(const struct recording *r, const struct chunk_ref *ref);

/* Counts what was filled again before it was read; estimated in events, by the size of those that were read. `is_after`:
 * the chunk that was read last is still there, and was read to its end. */
void follow_missed(struct follow *f, struct follow_stream *s, const struct chunk_ref *ref,
                   bool is_after);

#endif /* NVTXH_READ_FOLLOW_RING_H */
