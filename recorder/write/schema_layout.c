/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "schema_layout.h"
#include "losses.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* NVTX_PAYLOAD_ENTRY_FLAG_..., NVTX_PAYLOAD_ENTRY_TYPE_... */
enum {
    POINTER = 1 << 1,
    OFFSETS = 1 << 2 | 1 << 3,
    ARRAY = 7 << 4,
    ARRAY_FIXED = 1 << 4,
    ARRAY_ZERO = 2 << 4,
    ARRAY_LENGTH = 3 << 4,
    DEEP_COPY = 1 << 8,
};
enum { TEXT_FIRST = 75, TEXT_LAST = 78, SCHEMA_FIRST = 1 << 24, UNION = 3 };
enum { POINTERS_MOST = 64 };

static const uint8_t sizes[] = {
    [1] = 1,  [2] = 1,   [3] = 2,   [4] = 2,  [5] = 4,  [6] = 4,  [7] = 8,   [8] = 8,  [9] = 8,
    [10] = 8, [11] = 1,  [12] = 1,  [13] = 2, [14] = 2, [15] = 4, [16] = 4,  [17] = 8, [18] = 8,
    [19] = 4, [20] = 8,  [21] = 16, [22] = 8, [23] = 8, [24] = 4, [25] = 1,  [26] = 2, [27] = 4,
    [32] = 1, [33] = 16, [34] = 16, [42] = 2, [43] = 4, [44] = 8, [45] = 16, [50] = 2, [52] = 4,
    [67] = 8, [68] = 4,  [69] = 4,  [70] = 8, [71] = 4, [72] = 8, [73] = 4,  [74] = 8, [75] = 1,
    [76] = 1, [77] = 2,  [78] = 4,  [80] = 8,
};

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
    int error = errno;
    size_t size = found->pointer_count * sizeof(*pointers);
    struct schema_layout *l =
        schema_layout_find(found->domain, found->schema) ? NULL : malloc(sizeof(*l) + size);

    if (l) {
        *l = *found;
        l->pointers = size ? memcpy(l + 1, pointers, size) : NULL;
        struct schema_layout **bucket = bucket_of(found->schema);
        l->next = __atomic_load_n(bucket, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(bucket, &l->next, l, true, __ATOMIC_RELEASE,
                                            __ATOMIC_RELAXED)) {
        }
    }
    errno = error;
}

/* One entry as it lies in the payload. */
struct place {
    const struct schema_layout *inner; /* of a schema or an enum */
    uint64_t unit, align;              /* of one element; 0: not known */
    bool is_pointer, is_text;
};

static struct place place_of(uint32_t domain, const struct ext_entry *e)
{
    struct place p = {.is_text = e->type >= TEXT_FIRST && e->type <= TEXT_LAST};

    if (e->type >= SCHEMA_FIRST) {
        p.inner = schema_layout_find(domain, e->type);
        p.unit = p.inner ? p.inner->size : 0;
        p.align = p.inner ? p.inner->align : 0;
    } else if (e->type < sizeof(sizes)) {
        p.unit = p.align = sizes[e->type];
    }
    /* A text without a length is one that is pointed to. */
    p.is_pointer =
        (e->flags & (POINTER | DEEP_COPY)) || (p.is_text && !e->detail && !(e->flags & ARRAY));
    return p;
}

/* Bytes an entry takes; 0: that is not known beforehand. */
static uint64_t extent(const struct ext_entry *e, const struct place *p)
{
    uint64_t array = e->flags & ARRAY;
    uint64_t count = array || p->is_text ? e->detail : 1;

    if (e->flags & OFFSETS) {
        return 0;
    }
    if (p->is_pointer) {
        return sizeof(void *);
    }
    if ((array && array != ARRAY_FIXED) || count > REC_TEXT_MAX) {
        return 0;
    }
    return count * p->unit;
}

struct work {
    struct schema_layout layout;
    struct pointer pointers[POINTERS_MOST];
    const uint64_t *offsets; /* of the entries so far; UINT64_MAX: not known */
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
    switch (e->flags & ARRAY) {
    case 0:
        out.count = p->is_text ? e->detail : 1;
        break;
    case ARRAY_FIXED:
        out.count = e->detail;
        break;
    case ARRAY_ZERO:
        break;
    case ARRAY_LENGTH:
        if (e->detail >= i || w->offsets[e->detail] == UINT64_MAX ||
            s->entries[e->detail].type >= sizeof(sizes)) {
            return false;
        }
        out.length_offset = w->offsets[e->detail];
        out.length_size = sizes[s->entries[e->detail].type];
        return out.length_size && out.length_size <= 8 && add(w, out);
    default:
        return false;
    }
    return add(w, out);
}

/* A schema within this one brings its pointers along. */
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

static void lay_out(struct work *w, const struct ext_schema *s, uint64_t *offsets)
{
    uint64_t cursor = 0, largest = 1;
    bool known = true;
    uint64_t pack = s->fields & EXT_SCHEMA_PACK_ALIGN ? s->pack_align : 0;

    w->offsets = offsets;
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
        offsets[i] = known ? cursor : UINT64_MAX;
        if (!(e->flags & DEEP_COPY ? add_deep(w, s, i, &p)
                                   : p.is_pointer || add_inner(w, offsets[i], bytes, &p))) {
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
    int error = errno;
    struct work *w = calloc(1, sizeof(*w));
    uint64_t *offsets = calloc(s->entry_count + 1, sizeof(*offsets));

    if (w && offsets) {
        w->layout = (struct schema_layout){.domain = domain, .schema = schema};
        if (s->type < UNION) { /* which member of a union is there is for the reader to see */
            lay_out(w, s, offsets);
        } else {
            w->layout.size = s->fields & EXT_SCHEMA_STATIC_SIZE ? s->static_size : 0;
            w->layout.align = 8;
        }
        keep(&w->layout, w->pointers);
    }
    free(offsets);
    free(w);
    errno = error;
}

void schema_layout_add_enum(uint32_t domain, uint64_t schema, size_t size)
{
    keep(
        &(struct schema_layout){
            .domain = domain, .schema = schema, .size = size, .align = (uint32_t)size},
        NULL);
}
