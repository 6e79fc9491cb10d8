/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "extended.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NVTX's numbers: NVTX_PAYLOAD_ENTRY_FLAG_..., NVTX_PAYLOAD_ENTRY_TYPE_... */
enum {
    FLAG_POINTER = 1 << 1,
    FLAG_OFFSETS = 1 << 2 | 1 << 3,
    FLAG_ARRAY = 7 << 4,
    ARRAY_FIXED = 1 << 4,
    ARRAY_ZERO = 2 << 4,
    ARRAY_LENGTH = 3 << 4,
    FLAG_DEEP_COPY = 1 << 8,
    FLAG_HIDE = 1 << 9,
    FLAG_EVENT_MASK = 3 << 10,
    FLAG_MESSAGE = 1 << 10,
};
enum { TYPE_TEXT = 75, TYPE_TEXT_LAST = 78, TYPE_REGISTERED = 80, TYPE_SCHEMA = 1 << 24 };
enum { SCHEMA_UNION = 3 };

#define DEPTH 8     /* of schemas in schemas */
#define VALUES 2000 /* in one event */

/* Size in bytes, and what it is: unsigned, integer, float, text, or bytes. */
static const struct {
    uint8_t size;
    char what;
} types[] = {
    [1] = {1, 't'},  [2] = {1, 'u'},  [3] = {2, 'i'},  [4] = {2, 'u'},  [5] = {4, 'i'},
    [6] = {4, 'u'},  [7] = {8, 'i'},  [8] = {8, 'u'},  [9] = {8, 'i'},  [10] = {8, 'u'},
    [11] = {1, 'i'}, [12] = {1, 'u'}, [13] = {2, 'i'}, [14] = {2, 'u'}, [15] = {4, 'i'},
    [16] = {4, 'u'}, [17] = {8, 'i'}, [18] = {8, 'u'}, [19] = {4, 'f'}, [20] = {8, 'f'},
    [21] = {16, 'f'}, [22] = {8, 'u'}, [23] = {8, 'u'}, [24] = {4, 't'}, [25] = {1, 't'},
    [26] = {2, 't'}, [27] = {4, 't'}, [32] = {1, 'u'}, [33] = {16, 'b'}, [34] = {16, 'b'},
    [42] = {2, 'f'}, [43] = {4, 'f'}, [44] = {8, 'f'}, [45] = {16, 'b'}, [50] = {2, 'h'},
    [52] = {4, 'f'}, [67] = {8, 'u'}, [68] = {4, 'u'}, [69] = {4, 'u'}, [70] = {8, 'u'},
    [71] = {4, 'u'}, [72] = {8, 'u'}, [73] = {4, 'u'}, [74] = {8, 'u'}, [75] = {1, 't'},
    [76] = {1, 't'}, [77] = {2, 't'}, [78] = {4, 't'}, [80] = {8, 'r'},
};
#define TYPES (sizeof(types) / sizeof(types[0]))

struct decoder {
    const struct recording *recording;
    const struct process *process;
    uint32_t domain;
    const char *blobs; /* all of the event's, for pointers */
    size_t blobs_size;
    const struct extended_visitor *visitor;
    unsigned depth, left;
};

static void value(struct decoder *d, const char *name, struct extended_value v)
{
    if (d->left) {
        d->left--;
        d->visitor->value(d->visitor->arg, name, &v);
    }
}

static void nothing(struct decoder *d, const char *name)
{
    value(d, name, (struct extended_value){0});
}

static bool is_text(uint64_t type)
{
    return type < TYPES && types[type].what == 't';
}

struct size {
    uint64_t size, align; /* 0: not known */
};

static struct size size_of(const struct process *p, uint32_t domain, uint64_t type, unsigned depth);

static bool is_pointer(const struct schema_entry *e)
{
    bool text = e->type >= TYPE_TEXT && e->type <= TYPE_TEXT_LAST;
    return e->flags & (FLAG_POINTER | FLAG_DEEP_COPY) ||
           (text && !e->detail && !(e->flags & FLAG_ARRAY));
}

/* Elements of an entry that stands in the struct itself; 0: as many as there is room for. */
static uint64_t count_of(const struct schema_entry *e)
{
    bool text = e->type >= TYPE_TEXT && e->type <= TYPE_TEXT_LAST;
    uint64_t array = e->flags & FLAG_ARRAY;

    return array == ARRAY_FIXED || (text && !array) ? e->detail : array ? 0 : 1;
}

/* The place of the next entry: as a C compiler lays out a struct, unless an offset is given. False:
 * not known. */
static bool place(const struct process *p, const struct schema *s, uint32_t i, uint64_t *cursor,
                  uint64_t *ret_at, uint64_t *largest, unsigned depth)
{
    const struct schema_entry *e = &s->entries[i];
    struct size one = is_pointer(e) ? (struct size){8, 8}
                                    : size_of(p, s->domain, e->type, depth + 1);
    uint64_t align = one.align;

    if (s->pack_align && align > s->pack_align) {
        align = s->pack_align;
    }
    if (!align || *cursor > REC_TEXT_MAX || e->offset > REC_TEXT_MAX) {
        return false;
    }
    *largest = align > *largest ? align : *largest;
    *ret_at = e->offset || i == 0 || s->type >= SCHEMA_UNION
                  ? e->offset
                  : (*cursor + align - 1) / align * align;
    uint64_t count = is_pointer(e) ? 1 : count_of(e);
    *cursor = count > REC_TEXT_MAX || one.size > REC_TEXT_MAX ? UINT64_MAX
                                                              : *ret_at + count * one.size;
    return true;
}

static struct size size_of(const struct process *p, uint32_t domain, uint64_t type, unsigned depth)
{
    uint64_t cursor = 0, end = 0, at, largest = 1;

    if (type < TYPES) {
        return (struct size){types[type].size, types[type].size};
    }
    const struct schema *s = schemas_find(&p->schemas, domain, type);
    if (!s || depth > DEPTH) {
        return (struct size){0, 0};
    }
    if (s->enum_size) {
        return (struct size){s->enum_size, s->enum_size};
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (!place(p, s, i, &cursor, &at, &largest, depth)) {
            return (struct size){s->static_size, 1};
        }
        end = cursor > end ? cursor : end;
    }
    end = end > REC_TEXT_MAX ? 0 : (end + largest - 1) / largest * largest;
    return (struct size){s->static_size ? s->static_size : end, largest};
}

uint64_t extended_size(const struct process *p, uint32_t domain, uint64_t type)
{
    return size_of(p, domain, type, 0).size;
}

static double half_of(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double part = bits & 1023;
    double size = exponent == 31 ? (part > 0 ? NAN : INFINITY)
                  : exponent     ? ldexp(1024 + part, exponent - 25)
                                 : ldexp(part, -24);

    return bits >> 15 ? -size : size;
}

static uint64_t bits_of(const char *at, size_t size)
{
    uint64_t bits = 0;

    memcpy(&bits, at, size < 8 ? size : 8); /* little-endian, as the file */
    return bits;
}

static void number(struct decoder *d, const char *name, uint64_t type, const char *at)
{
    size_t size = types[type].size;
    uint64_t bits = bits_of(at, size);
    struct extended_value v = {.kind = VALUE_UNSIGNED, .u = bits};
    float narrow;

    if (types[type].what == 'i') {
        v.kind = VALUE_SIGNED;
        v.i = (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size);
    } else if (types[type].what == 'f' || types[type].what == 'h') {
        v.kind = VALUE_REAL;
        uint32_t word = types[type].what == 'h' ? (uint32_t)bits << 16 : (uint32_t)bits;
        memcpy(&narrow, &word, sizeof(narrow));
        memcpy(&v.d, &bits, sizeof(v.d));
        if (size == 16) {
            long double wide = 0;
            memcpy(&wide, at, sizeof(wide) < 16 ? sizeof(wide) : 16);
            v.d = (double)wide;
        } else if (size == 4 || types[type].what == 'h') {
            v.d = (double)narrow;
        } else if (size == 2) {
            v.d = half_of((uint16_t)bits);
        }
    } else if (types[type].what == 'r') {
        uint64_t *text = (bits & 15) == 2 ? map_find(&d->process->registered, bits >> 4) : NULL;
        const struct text *t = text && *text ? &d->recording->texts.all[*text] : NULL;
        v = (struct extended_value){.kind = t ? VALUE_TEXT : VALUE_NOTHING,
                                    .text = t ? t->bytes : NULL,
                                    .size = t ? t->size : 0};
    } else if (types[type].what == 'b') {
        v.kind = VALUE_NOTHING;
    }
    value(d, name, v);
}

/* Characters up to a zero, as UTF-8. */
static void text(struct decoder *d, const char *name, uint64_t type, const char *at, size_t size,
                 bool is_message)
{
    size_t unit = types[type].size, used = 0;
    char *out = must_alloc(NULL, size / unit * 4 + 1, 1);

    for (size_t i = 0; i + unit <= size; i += unit) {
        uint32_t c = (uint32_t)bits_of(at + i, unit);
        if (!c) {
            break;
        }
        if (unit == 2 && c >> 10 == 0x36 && i + 4 <= size) {
            c = 0x10000 + ((c & 0x3ff) << 10 | ((uint32_t)bits_of(at + i + 2, 2) & 0x3ff));
            i += 2;
        }
        if (unit == 1 || c < 0x80) {
            out[used++] = (char)c;
            continue;
        }
        int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        out[used++] = (char)((0xf00 >> more) | (c >> 6 * more & 0x3f));
        while (more-- > 0) {
            out[used++] = (char)(0x80 | (c >> 6 * more & 0x3f));
        }
    }
    value(d, name, (struct extended_value){
                       .kind = VALUE_TEXT, .text = out, .size = used, .is_message = is_message});
    free(out);
}

static void enumerator(struct decoder *d, const char *name, const struct schema *s, const char *at)
{
    uint64_t bits = bits_of(at, s->enum_size);

    for (uint32_t i = 0; i < s->count; i++) {
        if (s->values[i].value == bits) {
            const struct text *t = s->values[i].name_size
                                       ? &d->recording->texts.all[s->values[i].name_size]
                                       : NULL;
            value(d, name, (struct extended_value){.kind = VALUE_TEXT,
                                                   .text = t ? t->bytes : "",
                                                   .size = t ? t->size : 0,
                                                   .u = bits});
            return;
        }
    }
    value(d, name, (struct extended_value){.kind = VALUE_UNSIGNED, .u = bits});
}

static void structure(struct decoder *d, const char *name, const struct schema *s, const char *at,
                      size_t size);

/* One value of a type. */
static void one(struct decoder *d, const char *name, uint64_t type, const char *at, size_t size,
                bool is_message)
{
    if (is_text(type)) {
        text(d, name, type, at, size, is_message);
        return;
    }
    if (type < TYPES) {
        if (types[type].size && types[type].size <= size) {
            number(d, name, type, at);
        } else {
            nothing(d, name);
        }
        return;
    }
    const struct schema *s = schemas_find(&d->process->schemas, d->domain, type);
    if (!s || (s->enum_size && s->enum_size > size) || d->depth >= DEPTH) {
        nothing(d, name);
    } else if (s->enum_size) {
        enumerator(d, name, s, at);
    } else {
        structure(d, name, s, at, size);
    }
}

/* What a pointer of the program leads to, if that was copied. */
static const char *follow(const struct decoder *d, uint64_t address, size_t *ret_size)
{
    for (size_t at = 0; d->blobs_size - at >= sizeof(struct rec_blob);) {
        struct rec_blob blob;
        memcpy(&blob, d->blobs + at, sizeof(blob));
        at += sizeof(blob);
        if (blob.size > d->blobs_size - at) {
            break;
        }
        if (blob.schema == REC_BLOB_COPY && address >= blob.address &&
            address - blob.address <= blob.size) {
            *ret_size = (size_t)(blob.size - (address - blob.address));
            return d->blobs + at + (address - blob.address);
        }
        at += ((size_t)blob.size + 7) & ~(size_t)7;
        at = at < d->blobs_size ? at : d->blobs_size;
    }
    return NULL;
}

static void array(struct decoder *d, const char *name, uint64_t type, const char *at, size_t size,
                  uint64_t count, bool to_zero)
{
    size_t unit = (size_t)extended_size(d->process, d->domain, type);

    if (!unit) {
        nothing(d, name);
        return;
    }
    d->visitor->enter(d->visitor->arg, name, true);
    for (uint64_t i = 0; i < count && size >= unit && d->left; i++) {
        if (to_zero && unit <= 8 && !bits_of(at, unit)) {
            break;
        }
        one(d, "", type, at, unit, false);
        at += unit;
        size -= unit;
    }
    d->visitor->leave(d->visitor->arg, true);
}

/* An entry of a struct, which begins at `at`; `lengths` has what the integers before it say. */
static void entry(struct decoder *d, const struct schema *s, uint32_t i, const char *at,
                  size_t size, const uint64_t *lengths)
{
    const struct schema_entry *e = &s->entries[i];
    const char *name = e->name ? texts_get(&d->recording->texts, e->name) : "";
    bool message = (e->flags & FLAG_EVENT_MASK) == FLAG_MESSAGE;
    uint64_t kind = e->flags & FLAG_ARRAY, count = count_of(e);

    if (e->flags & FLAG_OFFSETS) {
        nothing(d, name);
        return;
    }
    if (is_pointer(e)) {
        uint64_t address = size >= 8 ? bits_of(at, 8) : 0;
        at = address ? follow(d, address, &size) : NULL;
        if (!at) { /* none, or not copied */
            nothing(d, name);
            return;
        }
    }
    if (kind == ARRAY_LENGTH) {
        count = e->detail < i ? lengths[e->detail] : 0;
    }
    if (is_text(e->type)) {
        uint64_t unit = types[e->type].size;
        uint64_t most = count && !is_pointer(e) && count < size / unit ? count * unit : size;
        text(d, name, e->type, at, (size_t)most, message);
    } else if (kind) {
        array(d, name, e->type, at, size, count ? count : kind == ARRAY_ZERO ? VALUES : 0,
              kind == ARRAY_ZERO);
    } else {
        one(d, name, e->type, at, size, message);
    }
}

static void structure(struct decoder *d, const char *name, const struct schema *s, const char *at,
                      size_t size)
{
    uint64_t cursor = 0, where, largest = 1;
    uint64_t *lengths = must_alloc(NULL, s->count, sizeof(*lengths));

    d->depth++;
    d->visitor->enter(d->visitor->arg, *name || !s->name ? name : texts_get(&d->recording->texts, s->name), false);
    for (uint32_t i = 0; i < s->count && d->left; i++) {
        const struct schema_entry *e = &s->entries[i];
        lengths[i] = 0;
        if (!place(d->process, s, i, &cursor, &where, &largest, 0)) {
            break;
        }
        if (where > size) {
            continue; /* it is cut short */
        }
        if (e->type < TYPES && types[e->type].size && types[e->type].size <= 8 &&
            types[e->type].size <= size - where) {
            size_t bits = 8 * types[e->type].size;
            lengths[i] = bits_of(at + where, bits / 8);
            lengths[i] = lengths[i] >> (bits - 1) ? 0 : lengths[i]; /* negative counts as none */
        }
        if (!(e->flags & FLAG_HIDE)) {
            entry(d, s, i, at + where, size - (size_t)where, lengths);
        }
    }
    d->visitor->leave(d->visitor->arg, false);
    d->depth--;
    free(lengths);
}

void extended_visit(const struct recording *r, const struct process *p, uint32_t domain,
                    const char *blobs, size_t size, const struct extended_visitor *v)
{
    struct decoder d = {.recording = r, .process = p, .domain = domain, .blobs = blobs,
                        .blobs_size = size, .visitor = v, .left = VALUES};

    for (size_t at = 0; size - at >= sizeof(struct rec_blob);) {
        struct rec_blob blob;
        memcpy(&blob, blobs + at, sizeof(blob));
        at += sizeof(blob);
        if (blob.size > size - at) {
            break;
        }
        if (blob.schema != REC_BLOB_COPY) {
            /* Several of one schema may lie in a row. */
            uint64_t unit = blob.schema >= TYPE_SCHEMA ? extended_size(p, domain, blob.schema) : 0;
            if (unit && blob.size >= 2 * unit) {
                array(&d, "", blob.schema, blobs + at, (size_t)blob.size, blob.size / unit, false);
            } else {
                one(&d, "", blob.schema, blobs + at, (size_t)blob.size, false);
            }
        }
        at += ((size_t)blob.size + 7) & ~(size_t)7;
        at = at < size ? at : size;
    }
}

void extended_visit_one(const struct recording *r, const struct process *p, uint32_t domain,
                        uint64_t type, const char *bytes, size_t size,
                        const struct extended_visitor *v)
{
    struct decoder d = {.recording = r, .process = p, .domain = domain, .blobs = "",
                        .visitor = v, .left = VALUES};

    one(&d, "", type, bytes, size, false);
}

char *extended_read(const struct recording *r, uint64_t place, uint32_t size)
{
    char *blobs = size && size <= REC_CHUNK_MAX ? must_alloc(NULL, size, 1) : NULL;
    size_t got = 0;

    while (blobs && got < size) {
        ssize_t n = pread(r->fd, blobs + got, size - got, (off_t)(place + got));
        if (n <= 0) {
            free(blobs);
            return NULL;
        }
        got += (size_t)n;
    }
    return blobs;
}
