/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "follow_ring.h"

enum { SHORT_REST = 256 }; /* bytes; a smaller rest of a chunk may be left unused */

bool follow_is_whole(const struct recording *r, const struct chunk_ref *ref)
{
    struct rec_chunk c;

    return !ref->ring || (recording_read(r, &c, sizeof(c), ref->offset) == sizeof(c) &&
                          c.magic == REC_CHUNK_MAGIC && c.seq == ref->seq &&
                          c.process == ref->process && c.stream == ref->stream);
}

bool follow_missed(struct follow *f, struct follow_stream *s, const struct chunk_ref *ref,
                   bool is_after)
{
    uint32_t next = s->begun ? s->seq + 1 : 0;
    uint64_t read = s->at + REC_CHUNK_HEADER, bytes = 0;

    if (ref->seq > next) {
        bytes = (uint64_t)(ref->seq - next) * ref->used;
    }
    if (s->begun && ref->seq >= next && !is_after && s->size > read + SHORT_REST) {
        bytes += s->size - read;
    }
    if (!bytes) {
        return false;
    }
    s->open_count = 0; /* the ends of these ranges may be among the missing records */
    f->missed +=
        f->bytes ? (uint64_t)((double)bytes * (double)f->events / (double)f->bytes) : bytes / 16;
    return true;
}
