/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_PAYLOAD_BLOBS_H
#define NVTXH_READ_PAYLOAD_BLOBS_H
/* The payloads of an event that have schemas, as they are in the file: one after the other, each a blob with the header
 * struct rec_blob. */
#include "recording.h"

/* Reads the blobs of an event from the file. NULL if the file does not have all of them. The caller frees them. */
char *payload_read(struct recording *r, uint64_t place, uint64_t size);

/* Returns the bytes of the blob at *at, and moves *at to the next blob. NULL: there is none. */
const char *payload_blob_next(const char *blobs, size_t size, size_t *at, struct rec_blob *ret);

/* The data that a pointer of the program points to, if it was copied; else NULL. */
const char *payload_blob_copy(const char *blobs, size_t size, uint64_t address, size_t *ret_size);

#endif /* NVTXH_READ_PAYLOAD_BLOBS_H */
