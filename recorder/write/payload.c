/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record_write.h"
#include "memory.h"
#include "../format/entry_type.h"

/* --- layouts ---------------------------------------------------------------------------------- */

enum { POINTERS_MOST = 64 };

/* A pointer in a payload, to data that the recorder must copy, too. */
struct pointer {
    uint64_t offset;        /* in the payload */
    uint64_t unit;          /* bytes of the data or, if it is an array, of one element */
    uint64_t count;         /* number of elements; 0: up to the first element that is zero */
    uint64_t length_offset; /* where the payload has the count, if length_size is not 0 */
    uint32_t length_size;   /* bytes of the count in the payload; 0: `count` has it */
    bool length_signed;
};

/* What is known of a schema: the size of its data, and where the data has pointers to follow. */
struct schema_layout {
    struct schema_layout *next;
    uint32_t domain, align;
    uint64_t schema;
    uint64_t size; /* bytes; 0: not known */
    size_t pointer_count;
    const struct pointer *pointers;
};

static struct schema_layout *buckets[64];

static struct schema_layout **bucket_of(uint64_t schema) {
    return &buckets[(schema ^ schema >> 6) % (sizeof(buckets) / sizeof(buckets[0]))];
}

/* Returns the layout of a schema or enum, or NULL. Takes no lock. */
static const struct schema_layout *schema_layout_find(uint32_t domain, uint64_t schema) {
    const struct schema_layout *l = __atomic_load_n(bucket_of(schema), __ATOMIC_ACQUIRE);

    while (l && (l->schema != schema || l->domain != domain)) {
        l = l->next;
    }
    return l;
}

static void keep_layout(const struct schema_layout *found, const struct pointer *pointers) {
    size_t size = found->pointer_count * sizeof(*pointers);
    struct schema_layout *l =
        schema_layout_find(found->domain, found->schema) ? NULL : arena_new(sizeof(*l) + size);

    if (!l) {
        return;
    }
    *l = *found;
    l->pointers = size ? memcpy(l + 1, pointers, size) : NULL;
    struct schema_layout **bucket = bucket_of(found->schema);
    l->next = __atomic_load_n(bucket, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(bucket, &l->next, l, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

/* An entry of a schema, as it lies in the payload. */
struct place {
    const struct schema_layout *inner; /* layout of its type, if the type is a schema or an enum */
    uint64_t unit, align;              /* bytes of one element, its alignment; 0: not known */
    bool is_pointer, is_text;
};

static struct place place_of(uint32_t domain, const struct ext_entry *e) {
    struct place p = {.is_text = rec_entry_is_text(e->type),
                      .is_pointer = rec_entry_is_pointer(e->flags, e->type, e->detail)};

    if (e->type >= REC_TYPE_SCHEMA) {
        p.inner = schema_layout_find(domain, e->type);
        p.unit = p.inner ? p.inner->size : 0;
        p.align = p.inner ? p.inner->align : 0;
    } else {
        p.unit = p.align = rec_entry_type(e->type).size;
    }
    return p;
}

/* The size of an entry in bytes; 0: it is not known, or depends on the data. */
static uint64_t extent(const struct ext_entry *e, const struct place *p) {
    uint64_t array = e->flags & REC_ENTRY_ARRAY;
    uint64_t count = array || p->is_text ? e->detail : 1;

    if (e->flags & REC_ENTRY_OFFSETS) {
        return 0;
    }
    if (p->is_pointer) {
        return sizeof(void *);
    }
    if ((array && array != REC_ENTRY_ARRAY_FIXED) || count > REC_TEXT_MAX) {
        return 0;
    }
    return count * p->unit;
}

struct work {
    struct schema_layout layout;
    struct pointer pointers[POINTERS_MOST];
    uint64_t offsets[]; /* where, in the payload, each entry so far begins; UINT64_MAX: unknown */
};

static bool add_pointer(struct work *w, struct pointer p) {
    if (w->layout.pointer_count == POINTERS_MOST) {
        return false;
    }
    w->pointers[w->layout.pointer_count++] = p;
    return true;
}

static bool add_deep(struct work *w, const struct ext_schema *s, size_t i, const struct place *p) {
    const struct ext_entry *e = &s->entries[i];
    struct pointer out = {.offset = w->offsets[i], .unit = p->unit};
    uint64_t array = e->flags & REC_ENTRY_ARRAY;

    if (out.offset == UINT64_MAX || !out.unit || array > REC_ENTRY_ARRAY_LENGTH) {
        return false;
    }
    if (array != REC_ENTRY_ARRAY_LENGTH) {
        out.count = array == REC_ENTRY_ARRAY_ZERO ? 0 : array || p->is_text ? e->detail : 1;
        return add_pointer(w, out);
    }
    if (e->detail >= i || w->offsets[e->detail] == UINT64_MAX) {
        return false;
    }
    struct rec_entry_type length = rec_entry_type(s->entries[e->detail].type);
    out.length_offset = w->offsets[e->detail];
    out.length_size = length.size;
    out.length_signed = length.kind == REC_ENTRY_SIGNED;
    return out.length_size && out.length_size <= 8 && add_pointer(w, out);
}

/* Adds the pointers of a nested schema. */
static bool add_inner(struct work *w, uint64_t offset, uint64_t extent_bytes,
                      const struct place *p) {
    if (!p->inner || !p->inner->pointer_count) {
        return true;
    }
    if (offset == UINT64_MAX || !p->unit) {
        return false;
    }
    for (uint64_t at = 0; at < extent_bytes; at += p->unit) {
        for (size_t i = 0; i < p->inner->pointer_count; i++) {
            struct pointer inner = p->inner->pointers[i];
            inner.offset += offset + at;
            inner.length_offset += offset + at;
            if (!add_pointer(w, inner)) {
                return false;
            }
        }
    }
    return true;
}

/* Finds out where each entry lies, and which pointers to follow. The members of a union have the
 * offsets that the schema says. Pointers in a union are not followed, because only the reader
 * decides which member is valid. */
static void lay_out(struct work *w, const struct ext_schema *s) {
    uint64_t cursor = 0, end = 0, largest = 1;
    bool known = true, all_known = true, is_union = s->type >= REC_SCHEMA_UNION;
    uint64_t pack = s->fields & EXT_SCHEMA_PACK_ALIGN ? s->pack_align : 0;

    for (size_t i = 0; i < s->entry_count; i++) {
        const struct ext_entry *e = &s->entries[i];
        struct place p = place_of(w->layout.domain, e);
        uint64_t align = p.is_pointer ? sizeof(void *) : p.align;
        uint64_t bytes = extent(e, &p);

        align = pack && align > pack ? pack : align;
        largest = align > largest ? align : largest;
        if (i == 0 || e->offset || is_union) {
            cursor = e->offset;
            known = true;
        } else if (known && align) {
            cursor = (cursor + align - 1) / align * align;
        }
        known = known && align;
        w->offsets[i] = known ? cursor : UINT64_MAX;
        if (!is_union && !(e->flags & REC_ENTRY_DEEP_COPY
                               ? add_deep(w, s, i, &p)
                               : p.is_pointer || add_inner(w, w->offsets[i], bytes, &p))) {
            losses_count(REC_LOSS_POINTER);
        }
        known = known && bytes;
        all_known = all_known && known;
        cursor += bytes;
        end = cursor > end ? cursor : end; /* offsets may be in any order */
    }
    w->layout.align = (uint32_t)largest;
    w->layout.size = all_known ? (end + largest - 1) / largest * largest : 0;
    if (s->fields & EXT_SCHEMA_STATIC_SIZE && s->static_size) {
        w->layout.size = s->static_size;
    }
}

void schema_layout_add(uint32_t domain, uint64_t schema, const struct ext_schema *s) {
    size_t size = sizeof(struct work) + s->entry_count * sizeof(uint64_t);
    struct work *w = scratch_new(size);

    if (!w) {
        return;
    }
    w->layout = (struct schema_layout){.domain = domain, .schema = schema};
    lay_out(w, s);
    keep_layout(&w->layout, w->pointers);
    scratch_drop(w, size);
}

void schema_layout_add_enum(uint32_t domain, uint64_t schema, size_t size) {
    keep_layout(
        &(struct schema_layout){
            .domain = domain, .schema = schema, .size = size, .align = (uint32_t)size},
        NULL);
}

/* --- payloads --------------------------------------------------------------------------------- */

/* Limits for an event: how many targets of pointers are copied; how many parts its payload has. */
enum { COPIES_MOST = 64, DATA_MOST = 256 };

struct copy {
    const void *address;
    size_t size;
};

static size_t padded(size_t size) {
    return (size + 7) / 8 * 8;
}

/* Bytes before the first zero unit (of `unit` bytes); SIZE_MAX: none within a plausible length. */
static size_t terminated(const char *at, size_t unit) {
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

/* The size of a payload. A text without a given size ends at its terminator. SIZE_MAX: unknown. */
static size_t size_of(const struct ext_data *d) {
    if (d->size != SIZE_MAX || !d->payload) {
        return d->payload ? d->size : 0;
    }
    return rec_entry_is_text(d->schema) ? terminated(d->payload, rec_entry_type(d->schema).size)
                                        : SIZE_MAX;
}

/* The data that a pointer in a payload points to. Address NULL: none; size SIZE_MAX: too long. */
static struct copy follow(const struct pointer *p, const char *payload, size_t size) {
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
        bool is_negative = p->length_signed && count >> (8 * p->length_size - 1);
        count = is_negative ? 0 : count;
    } else if (!count) {
        c.size = terminated(c.address, p->unit);
        return c;
    }
    c.size = count <= REC_TEXT_MAX / p->unit ? count * p->unit : SIZE_MAX;
    return c;
}

static size_t find_copies(uint32_t domain, const struct ext_data *d, size_t size,
                          struct copy *ret_copies, size_t capacity) {
    const struct schema_layout *l =
        d->schema >= 1u << 24 ? schema_layout_find(domain, d->schema) : NULL;
    size_t n = 0;

    if (!l || !l->pointer_count) {
        return 0;
    }
    /* A payload may have several values of its schema, one after the other. */
    for (size_t at = 0; at < size; at += l->size) {
        for (size_t i = 0; i < l->pointer_count; i++) {
            struct copy c = follow(&l->pointers[i], (const char *)d->payload + at, size - at);
            if (c.address && n == capacity) {
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

static uint64_t *put_piece(uint64_t *at, uint64_t schema, const void *bytes, size_t size) {
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

void record_payload(struct stream *s, uint32_t domain, const struct ext_data *data, size_t count) {
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
    at[1] = (uint64_t)total | (uint64_t)REC_EXTENDED_PAYLOAD << 32;
    at += 2;
    for (size_t i = 0; i < count; i++) {
        at = put_piece(at, data[i].schema, data[i].payload, sizes[i]);
    }
    for (size_t i = 0; i < copied; i++) {
        at = put_piece(at, REC_BLOB_COPY, copies[i].address, copies[i].size);
    }
    stream_publish(s, words);
}
