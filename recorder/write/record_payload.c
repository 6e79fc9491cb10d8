/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record_payload.h"
#include "file.h"
#include "losses.h"
#include "schema_layout.h"
#include "../format/entry_type.h"

#include <string.h>

/* Of one event: data that pointers lead to; parts of the payload. */
enum { COPIES_MOST = 64, DATA_MOST = 256 };

struct copy {
    const void *address;
    size_t size;
};

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* Bytes before the first unit that is zero. SIZE_MAX: there is none within a plausible length. */
static size_t terminated(const char *at, size_t unit)
{
    static const char zero[16];

    if (unit == 1) {
        size_t size = strnlen(at, REC_TEXT_MAX);
        return size < REC_TEXT_MAX ? size : SIZE_MAX;
    }
    for (size_t size = 0; unit <= sizeof(zero) && size < REC_TEXT_MAX; size += unit) {
        if (!memcmp(at + size, zero, unit)) {
            return size;
        }
    }
    return SIZE_MAX;
}

/* The size of a payload, which may be a text with a terminator in place of a size. SIZE_MAX: not known. */
static size_t size_of(const struct ext_data *d)
{
    if (d->size != SIZE_MAX || !d->payload) {
        return d->payload ? d->size : 0;
    }
    return rec_entry_is_text(d->schema) ? terminated(d->payload, rec_entry_type(d->schema).size)
                                        : SIZE_MAX;
}

/* The data that a pointer in a payload points to; a size of SIZE_MAX: unknown. */
static struct copy follow(const struct pointer *p, const char *payload, size_t size)
{
    struct copy c = {NULL, 0};
    uint64_t count = p->count;

    if (size < sizeof(void *) || p->offset > size - sizeof(void *)) {
        return c; /* the payload is shorter than its schema says */
    }
    memcpy(&c.address, payload + p->offset, sizeof(c.address));
    if (!c.address) {
        return c;
    }
    if (p->length_size) {
        if (size < p->length_size || p->length_offset > size - p->length_size) {
            return (struct copy){NULL, 0};
        }
        count = 0;
        memcpy(&count, payload + p->length_offset, p->length_size); /* little-endian */
        count = count >> (8 * p->length_size - 1) ? 0 : count;      /* negative counts as none */
    } else if (!count) {
        c.size = terminated(c.address, p->unit);
        return c;
    }
    c.size = count <= REC_TEXT_MAX / p->unit ? count * p->unit : SIZE_MAX;
    return c;
}

static size_t find_copies(uint32_t domain, const struct ext_data *d, size_t size,
                          struct copy *ret_copies, size_t room)
{
    const struct schema_layout *l =
        d->schema >= 1u << 24 ? schema_layout_find(domain, d->schema) : NULL;
    size_t n = 0;

    if (!l || !l->pointer_count) {
        return 0;
    }
    /* Several values of one schema may follow each other. */
    for (size_t at = 0; at < size; at += l->size) {
        for (size_t i = 0; i < l->pointer_count; i++) {
            struct copy c = follow(&l->pointers[i], (const char *)d->payload + at, size - at);
            if (c.address && n == room) {
                losses_count(REC_LOSS_POINTER);
                return n;
            }
            if (c.size == SIZE_MAX) {
                losses_count(REC_LOSS_POINTER);
            } else if (c.address) {
                ret_copies[n++] = c;
            }
        }
        if (!l->size) {
            break;
        }
    }
    return n;
}

static uint64_t *put(uint64_t *at, uint64_t schema, const void *bytes, size_t size)
{
    at[0] = schema;
    at[1] = (uint64_t)(uintptr_t)bytes;
    at[2] = size;
    at += 3;
    if (size) {
        at[padded(size) / 8 - 1] = 0;
        memcpy(at, bytes, size);
    }
    return at + padded(size) / 8;
}

void record_payload(struct stream *s, uint32_t domain, enum rec_extended what,
                    const struct ext_data *data, size_t count)
{
    struct copy copies[COPIES_MOST];
    size_t sizes[DATA_MOST]; /* computed once, because another thread may change the originals */
    size_t copied = 0, total = 0, most = stream_longest(s);

    if (!data || !count || count > DATA_MOST) {
        if (count) {
            losses_count(REC_LOSS_EXTENDED);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t size = sizes[i] = size_of(&data[i]);
        if (size > most - total) {
            losses_count(REC_LOSS_POINTER);
            return;
        }
        total += sizeof(struct rec_blob) + padded(size);
        size_t found = find_copies(domain, &data[i], size, copies + copied, COPIES_MOST - copied);
        for (; found; found--, copied++) {
            if (copies[copied].size > most - total) {
                losses_count(REC_LOSS_POINTER);
                return;
            }
            total += sizeof(struct rec_blob) + padded(copies[copied].size);
        }
    }
    uint64_t ticks = clock_ticks(file_clock);
    size_t words = 2 + total / 8;
    uint64_t *at = stream_reserve(s, words, ticks);
    if (!at) {
        losses_count(REC_LOSS_EXTENDED);
        return;
    }
    at[0] = rec_word(REC_EXTENDED, domain) | stream_time(s, ticks);
    at[1] = (uint64_t)total | (uint64_t)what << 32;
    at += 2;
    for (size_t i = 0; i < count; i++) {
        at = put(at, data[i].schema, data[i].payload, sizes[i]);
    }
    for (size_t i = 0; i < copied; i++) {
        at = put(at, REC_BLOB_COPY, copies[i].address, copies[i].size);
    }
    stream_publish(s, words);
}
