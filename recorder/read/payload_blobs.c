/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "payload_blobs.h"
#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

char *payload_read(struct recording *r, uint64_t place, uint64_t size)
{
    char *blobs = size && size <= REC_CHUNK_MAX ? must_alloc(NULL, size, 1) : NULL;

    if (blobs && recording_read(r, blobs, size, place) < size) {
        free(blobs);
        blobs = NULL;
    }
    return blobs;
}

const char *payload_blob_next(const char *blobs, size_t size, size_t *at, struct rec_blob *ret)
{
    if (size - *at < sizeof(*ret)) {
        return NULL;
    }
    memcpy(ret, blobs + *at, sizeof(*ret));
    size_t begin = *at + sizeof(*ret);
    if (ret->size > size - begin) {
        return NULL;
    }
    *at = begin + (((size_t)ret->size + 7) & ~(size_t)7);
    *at = *at < size ? *at : size;
    return blobs + begin;
}

const char *payload_blob_copy(const char *blobs, size_t size, uint64_t address, size_t *ret_size)
{
    struct rec_blob blob;
    const char *bytes;

    for (size_t at = 0; (bytes = payload_blob_next(blobs, size, &at, &blob));) {
        if (blob.schema == REC_BLOB_COPY && address >= blob.address &&
            address - blob.address <= blob.size) {
            *ret_size = (size_t)(blob.size - (address - blob.address));
            return bytes + (address - blob.address);
        }
    }
    return NULL;
}
