/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_PAYLOAD_DECODE_H
#define NVTXH_SPANS_PAYLOAD_DECODE_H
/* Decodes payloads that have a schema. The payload of an event is stored as blobs (struct rec_blob); a sample of a
 * counter is one value without a blob's header. */
#include "../read/recording.h"
#include "../source/span.h"

/* Receives the values. An entry without a name is named by its index. */
struct payload_reader {
    struct payload_visitor to;
    bool hidden; /* visit the entries that are marked as hidden, too */
    /* Kept here by the decoder: */
    unsigned depth;                   /* structs and arrays that are open */
    const struct schema_entry *entry; /* the entry of the value, or NULL */
};

/* Decodes the blobs of an event. A value that cannot be read is VALUE_NOTHING. The value of a blob has the name of the
 * blob's schema. If that has none, the value is called `unnamed`; from the event's second blob on, `unnamed`[1] and so
 * on. */
void payload_visit(struct recording *r, const struct process *p, uint32_t domain, const char *blobs, size_t size,
                   const char *unnamed, struct payload_reader *reader);

/* The same for one value without blobs, such as a sample of a counter. */
void payload_visit_one(struct recording *r, const struct process *p, uint32_t domain, uint64_t type, const char *bytes,
                       size_t size, struct payload_reader *reader);

#endif /* NVTXH_SPANS_PAYLOAD_DECODE_H */
