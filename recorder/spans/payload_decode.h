/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_PAYLOAD_DECODE_H
#define NVTXH_SPANS_PAYLOAD_DECODE_H
/*
 * Decodes payloads that have a schema. The payload of an event is stored as blobs (struct rec_blob); a sample of a
 * counter is one value without a blob's header.
 */
#include "value.h"
#include "../read/recording.h"

/* `enter` and `leave` enclose the values of a struct or an array. The values of an array have empty names. An entry
 * without a name is named by its index. */
struct payload_visitor {
    void *arg;
    void (*value)(void *arg, const char *name, const struct value *value);
    void (*enter)(void *arg, const char *name, bool array); /* may be NULL */
    void (*leave)(void *arg, bool array);                   /* may be NULL */
    bool hidden; /* visit the entries that are marked as hidden, too */
    /* Kept here by the decoder: */
    unsigned depth;                   /* structs and arrays that are open */
    const struct schema_entry *entry; /* the entry of the value, or NULL */
};

/* Decodes the blobs of an event. A value that cannot be read is VALUE_NOTHING. The value of a blob has the name of the
 * blob's schema. If that has none, the value is called `unnamed`; from the event's second blob on, `unnamed`[1] and so
 * on. */
void payload_visit(struct recording *r, const struct process *p, uint32_t domain, const char *blobs,
                   size_t size, const char *unnamed, struct payload_visitor *v);

/* The same for one value without blobs, such as a sample of a counter. */
void payload_visit_one(struct recording *r, const struct process *p, uint32_t domain, uint64_t type,
                       const char *bytes, size_t size, struct payload_visitor *v);

#endif /* NVTXH_SPANS_PAYLOAD_DECODE_H */
