/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "schema.h"
#include "recording.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>

/* --- blobs ------------------------------------------------------------------------------------ */

char *payload_read(struct recording *r, uint64_t place, uint64_t size) {
    char *blobs = size && size <= REC_CHUNK_MAX ? must_alloc(NULL, size, 1) : NULL;

    if (blobs && recording_read(r, blobs, size, place) < size) {
        free(blobs);
        blobs = NULL;
    }
    return blobs;
}

const char *payload_blob_next(const char *blobs, size_t size, size_t *at, struct rec_blob *ret) {
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

const char *payload_blob_copy(const char *blobs, size_t size, uint64_t address, size_t *ret_size,
                              size_t *ret_searched) {
    struct rec_blob blob;
    const char *bytes;

    for (size_t at = 0; (bytes = payload_blob_next(blobs, size, &at, &blob)); ++*ret_searched) {
        if (blob.schema == REC_BLOB_COPY && address >= blob.address &&
            address - blob.address <= blob.size) {
            *ret_size = (size_t)(blob.size - (address - blob.address));
            return bytes + (address - blob.address);
        }
    }
    return NULL;
}

/* --- layout ----------------------------------------------------------------------------------- */

static struct schema_size size_of(const struct process *p, uint32_t domain, uint64_t type,
                                  unsigned depth);

uint64_t payload_entry_count(const struct schema_entry *e) {
    uint64_t array = e->flags & REC_ENTRY_ARRAY;
    bool text = rec_entry_is_text(e->type) && !array;

    return array == REC_ENTRY_ARRAY_FIXED || text ? e->detail : array ? 0 : 1;
}

bool payload_entry_next(const struct process *p, const struct schema *s, uint32_t i,
                        uint64_t *cursor, uint64_t *ret_at, uint64_t *largest, unsigned depth) {
    const struct schema_entry *e = &s->entries[i];
    struct schema_size one = payload_entry_is_pointer(e)
                                 ? (struct schema_size){8, 8, true}
                                 : size_of(p, s->domain, e->type, depth + 1);
    bool placed = e->offset || i == 0 || s->type >= REC_SCHEMA_UNION;
    uint64_t align = one.align;

    if (s->pack_align && align > s->pack_align) {
        align = s->pack_align;
    }
    if (!align || (*cursor > REC_TEXT_MAX && !placed) || e->offset > REC_TEXT_MAX) {
        return false;
    }
    *largest = align > *largest ? align : *largest;
    *ret_at = placed ? e->offset : (*cursor + align - 1) / align * align;
    uint64_t count = payload_entry_is_pointer(e) ? 1 : payload_entry_count(e);
    *cursor = !one.size || count > REC_TEXT_MAX || one.size > REC_TEXT_MAX
                  ? UINT64_MAX
                  : *ret_at + count * one.size;
    return true;
}

/* The size of a struct: the static size that its schema gives or, if that is 0, the sum of the
 * sizes of its entries with padding. The sum is 0 (not known) if the size of an entry is not known,
 * or if the struct itself, not data that it points to, holds an array without a fixed length. */
static struct schema_size add_up(const struct process *p, const struct schema *s, unsigned depth) {
    uint64_t cursor = 0, end = 0, at, largest = 1;
    bool varies = false;

    for (uint32_t i = 0; i < s->count; i++) {
        const struct schema_entry *e = &s->entries[i];
        varies |=
            (e->flags & REC_ENTRY_ARRAY) > REC_ENTRY_ARRAY_FIXED && !payload_entry_is_pointer(e);
        if (!payload_entry_next(p, s, i, &cursor, &at, &largest, depth)) {
            return (struct schema_size){s->static_size, 1, true};
        }
        end = cursor > end ? cursor : end;
    }
    end = varies || end > REC_TEXT_MAX ? 0 : (end + largest - 1) / largest * largest;
    return (struct schema_size){s->static_size ? s->static_size : end, largest, true};
}

static struct schema_size size_of(const struct process *p, uint32_t domain, uint64_t type,
                                  unsigned depth) {
    if (type < REC_TYPE_END) {
        return (struct schema_size){rec_entry_type(type).size, rec_entry_type(type).size, true};
    }
    const struct schema *s = schemas_find(&p->schemas, domain, type);
    if (!s || depth > SCHEMA_DEPTH) {
        return (struct schema_size){0};
    }
    if (s->enum_size) {
        return (struct schema_size){s->enum_size, s->enum_size, true};
    }
    /* Each size is computed once. Otherwise the time would grow exponentially with the depth of
     * nested schemas. */
    if (!s->sizes[depth].found) {
        s->sizes[depth] = add_up(p, s, depth);
    }
    return s->sizes[depth];
}

uint64_t payload_type_size(const struct process *p, uint32_t domain, uint64_t type) {
    return size_of(p, domain, type, 0).size;
}
