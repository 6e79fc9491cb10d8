/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_PAYLOAD_DECODE_H
#define NVTXH_READ_PAYLOAD_DECODE_H
/*
 * Decodes payloads that have a schema. An event's are blobs in the file (struct rec_blob); a sample of
 * a counter is one value without that frame.
 */
#include "recording.h"
#include "value.h"

/* Structs and arrays are entered and left; in an array names are empty. An entry without a name has
 * its number. */
struct payload_visitor {
    void *arg;
    void (*value)(void *arg, const char *name, const struct value *value);
    void (*enter)(void *arg, const char *name, bool array); /* may be NULL */
    void (*leave)(void *arg, bool array);                   /* may be NULL */
    bool hidden; /* wants the entries that are marked as not to be shown, too */
    /* Kept here by the decoder: */
    unsigned depth;                   /* structs and arrays that are open */
    const struct schema_entry *entry; /* that the value is of; NULL: of none */
};

/* Takes apart the blobs of an event. What cannot be read is VALUE_NOTHING. Blobs are called as their
 * schemas are, or `unnamed`. */
void payload_visit(const struct recording *r, const struct process *p, uint32_t domain,
                   const char *blobs, size_t size, const char *unnamed, struct payload_visitor *v);

/* The same with one value of a type that stands by itself, as in a sample of a counter. */
void payload_visit_one(const struct recording *r, const struct process *p, uint32_t domain,
                       uint64_t type, const char *bytes, size_t size, struct payload_visitor *v);

#endif /* NVTXH_READ_PAYLOAD_DECODE_H */
