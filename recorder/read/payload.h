/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_PAYLOAD_H
#define NVTXH_READ_PAYLOAD_H
/* The payloads of an event that have schemas. In the file they are one after the other, each a blob with the header
 * struct rec_blob. A schema's entries lie in a payload as a C compiler lays out a struct. */
#include "recording.h"
#include "../format/entry_type.h"

/* Reads the blobs of an event from the file. NULL if the file does not have all of them. The caller frees them. */
char *payload_read(struct recording *r, uint64_t place, uint64_t size);

/* Returns the bytes of the blob at *at, and moves *at to the next blob. NULL: there is none. */
const char *payload_blob_next(const char *blobs, size_t size, size_t *at, struct rec_blob *ret);

/* The data that a pointer of the program points to, if it was copied; else NULL. */
const char *payload_blob_copy(const char *blobs, size_t size, uint64_t address, size_t *ret_size);

/* Size of a type of any kind in bytes; 0: not known. */
uint64_t payload_type_size(const struct process *p, uint32_t domain, uint64_t type);

/* Whether an entry is a pointer, whose data may have been copied. */
static inline bool payload_entry_is_pointer(const struct schema_entry *e)
{
    return rec_entry_is_pointer(e->flags, e->type, e->detail);
}

/* Number of elements of an entry in the struct itself; 0: not fixed, so at most as many as the payload has room for. */
uint64_t payload_entry_count(const struct schema_entry *e);

/* Sets *ret_at to the place of entry `i`: as a C compiler lays out a struct, unless the schema gives an offset.
 * *cursor is the end of the entry before it, and is moved to the end of this one. *largest becomes the largest
 * alignment so far. `depth`: in how many schemas this one is nested. False: the place is not known. */
bool payload_entry_next(const struct process *p, const struct schema *s, uint32_t i, uint64_t *cursor, uint64_t *ret_at,
                        uint64_t *largest, unsigned depth);

#endif /* NVTXH_READ_PAYLOAD_H */
