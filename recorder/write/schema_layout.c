/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "schema_layout.h"
#include "arena.h"
#include "losses.h"
#include "../format/entry_type.h"

#include <stdbool.h>
#include <string.h>

enum { POINTERS_MOST = 64 };

static struct schema_layout *buckets[64];

static struct schema_layout **bucket_of(uint64_t schema)
{
    return &buckets[(schema ^ schema >> 6) % (sizeof(buckets) / sizeof(buckets[0]))];
}

const struct schema_layout *schema_layout_find(uint32_t domain, uint64_t schema)
{
    const struct schema_layout *l = __atomic_load_n(bucket_of(schema), __ATOMIC_ACQUIRE);

    while (l && (l->schema != schema || l->domain != domain)) {
        l = l->next;
    }
    return l;
}

static void keep(const struct schema_layout *found, const struct pointer *pointers)
{
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

/* One entry as it lies in the payload. */
struct place {
    const struct schema_layout *inner; /* for a schema or an enum */
    uint64_t unit, align;              /* of one element; 0: not known */
    bool is_pointer, is_text;
};

static struct place place_of(uint32_t domain, const struct ext_entry *e)
{
    struct place p = {
        .is_text = rec_entry_is_text(e->type),
        .is_pointer = rec_entry_is_pointer(e->flags, e->type, e->detail),
    };

    if (e->type >= REC_TYPE_SCHEMA) {
        p.inner = schema_layout_find(domain, e->type);
        p.unit = p.inner ? p.inner->size : 0;
        p.align = p.inner ? p.inner->align : 0;
    } else {
        p.unit = p.align = rec_entry_type(e->type).size;
    }
    return p;
}

/* The size of an entry in bytes; 0: it depends on the data. */
static uint64_t extent(const struct ext_entry *e, const struct place *p)
{
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
    uint64_t offsets[]; /* of the entries so far; UINT64_MAX: unknown */
};

static bool add(struct work *w, struct pointer p)
{
    if (w->layout.pointer_count == POINTERS_MOST) {
        return false;
    }
    w->pointers[w->layout.pointer_count++] = p;
    return true;
}

static bool add_deep(struct work *w, const struct ext_schema *s, size_t i, const struct place *p)
{
    const struct ext_entry *e = &s->entries[i];
    struct pointer out = {.offset = w->offsets[i], .unit = p->unit};

    if (out.offset == UINT64_MAX || !out.unit) {
        return false;
    }
    switch (e->flags & REC_ENTRY_ARRAY) {
    case 0:
        out.count = p->is_text ? e->detail : 1;
        break;
    case REC_ENTRY_ARRAY_FIXED:
        out.count = e->detail;
        break;
    case REC_ENTRY_ARRAY_ZERO:
        break;
    case REC_ENTRY_ARRAY_LENGTH:
        if (e->detail >= i || w->offsets[e->detail] == UINT64_MAX) {
            return false;
        }
        out.length_offset = w->offsets[e->detail];
        out.length_size = rec_entry_type(s->entries[e->detail].type).size;
        return out.length_size && out.length_size <= 8 && add(w, out);
    default:
        return false;
    }
    return add(w, out);
}

/* Adds the pointers of a schema within this one. */
static bool add_inner(struct work *w, uint64_t offset, uint64_t extent_bytes, const struct place *p)
{
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
            if (!add(w, inner)) {
                return false;
            }
        }
    }
    return true;
}

static void lay_out(struct work *w, const struct ext_schema *s)
{
    uint64_t cursor = 0, largest = 1;
    bool known = true;
    uint64_t pack = s->fields & EXT_SCHEMA_PACK_ALIGN ? s->pack_align : 0;

    for (size_t i = 0; i < s->entry_count; i++) {
        const struct ext_entry *e = &s->entries[i];
        struct place p = place_of(w->layout.domain, e);
        uint64_t align = p.is_pointer ? sizeof(void *) : p.align;
        uint64_t bytes = extent(e, &p);

        align = pack && align > pack ? pack : align;
        largest = align > largest ? align : largest;
        if (i == 0 || e->offset) {
            cursor = e->offset;
            known = true;
        } else if (known && align) {
            cursor = (cursor + align - 1) / align * align;
        }
        known = known && align;
        w->offsets[i] = known ? cursor : UINT64_MAX;
        if (!(e->flags & REC_ENTRY_DEEP_COPY
                  ? add_deep(w, s, i, &p)
                  : p.is_pointer || add_inner(w, w->offsets[i], bytes, &p))) {
            losses_count(REC_LOSS_POINTER);
        }
        known = known && bytes;
        cursor += bytes;
    }
    w->layout.align = (uint32_t)largest;
    w->layout.size = known ? (cursor + largest - 1) / largest * largest : 0;
    if (s->fields & EXT_SCHEMA_STATIC_SIZE && s->static_size) {
        w->layout.size = s->static_size;
    }
}

void schema_layout_add(uint32_t domain, uint64_t schema, const struct ext_schema *s)
{
    size_t size = sizeof(struct work) + s->entry_count * sizeof(uint64_t);
    struct work *w = scratch_new(size);

    if (!w) {
        return;
    }
    w->layout = (struct schema_layout){.domain = domain, .schema = schema};
    if (s->type < REC_SCHEMA_UNION) { /* the reader decides which member of a union is valid */
        lay_out(w, s);
    } else {
        w->layout.size = s->fields & EXT_SCHEMA_STATIC_SIZE ? s->static_size : 0;
        w->layout.align = 8;
    }
    keep(&w->layout, w->pointers);
    scratch_drop(w, size);
}

void schema_layout_add_enum(uint32_t domain, uint64_t schema, size_t size)
{
    keep(
        &(struct schema_layout){
            .domain = domain, .schema = schema, .size = size, .align = (uint32_t)size},
        NULL);
}
