/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "span_output.h"
#include "../../nvtxh/core/text.h"
#include "../util/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VALUES 2000 /* values of one event, at most */
#define STEPS 20000 /* entries and elements of one event, at most, even if they have no value */
/* Many pointers may lead to one text or past many blobs, and many values may have one long name. So
 * a payload of `size` bytes has so much work to spend: for each byte of a name or a text, and for
 * each blob that is searched for what a pointer leads to. */
#define WORK(size) (4096 + 64 * (uint64_t)(size))

/* --- entries of predefined types -------------------------------------------------------------- */

static double half_of(uint16_t bits) {
    int exponent = bits >> 10 & 31;
    double part = bits & 1023;
    double size = exponent == 31 ? (part > 0 ? NAN : INFINITY)
                  : exponent     ? ldexp(1024 + part, exponent - 25)
                                 : ldexp(part, -24);

    return bits >> 15 ? -size : size;
}

/* The first `size` bytes, at most eight, as an unsigned number. */
static uint64_t value_bits(const char *at, size_t size) {
    uint64_t bits = 0;

    memcpy(&bits, at, size < 8 ? size : 8); /* little-endian, like the file */
    return bits;
}

/* The value of an entry whose type is predefined: a number or a registered string. `at`: the
 * entry's bytes, as many as the type has. */
static struct value value_of_entry(const struct recording *r, const struct process *p,
                                   uint64_t type, const char *at) {
    struct rec_entry_type known = rec_entry_type(type);
    size_t size = known.size;
    uint64_t bits = value_bits(at, size);
    struct value v = {.kind = VALUE_UNSIGNED, .u = bits};
    float narrow;

    if (known.kind == REC_ENTRY_SIGNED) {
        v.kind = VALUE_SIGNED;
        v.i = (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size);
    } else if (known.kind == REC_ENTRY_FLOAT || known.kind == REC_ENTRY_BFLOAT16) {
        v.kind = VALUE_REAL;
        uint32_t word = known.kind == REC_ENTRY_BFLOAT16 ? (uint32_t)bits << 16 : (uint32_t)bits;
        memcpy(&narrow, &word, sizeof(narrow));
        memcpy(&v.d, &bits, sizeof(v.d));
        if (size == 16) {
            long double wide = 0;
            memcpy(&wide, at, sizeof(wide) < 16 ? sizeof(wide) : 16);
            v.d = (double)wide;
        } else if (size == 4 || known.kind == REC_ENTRY_BFLOAT16) {
            v.d = (double)narrow;
        } else if (size == 2) {
            v.d = half_of((uint16_t)bits);
        }
    } else if (known.kind == REC_ENTRY_REGISTERED) { /* a handle: see write/handle.h */
        uint64_t *text = (bits & 15) == 2 ? map_find(&p->registered, bits >> 4) : NULL;
        const struct str *t =
            text && *text ? string_table_at(&r->source.strings, (uint32_t)*text) : NULL;
        v = (struct value){.kind = t ? VALUE_TEXT : VALUE_NOTHING,
                           .text = t ? t->bytes : NULL,
                           .size = t ? t->size : 0};
    } else if (known.kind == REC_ENTRY_BYTES) {
        v.kind = VALUE_NOTHING;
    }
    return v;
}

/* The characters of an entry up to a zero, as UTF-8. The caller frees them. */
static char *value_characters(uint64_t type, const char *at, size_t size, size_t *ret_size) {
    size_t unit = rec_entry_type(type).size, used = 0;
    char *out = must_alloc(NULL, size / unit * 4 + 1, 1);

    for (size_t i = 0; i + unit <= size; i += unit) {
        uint32_t c = (uint32_t)value_bits(at + i, unit);
        if (!c) {
            break;
        }
        if (unit == 2 && c >> 10 == 0x36 && i + 4 <= size) {
            c = 0x10000 + ((c & 0x3ff) << 10 | ((uint32_t)value_bits(at + i + 2, 2) & 0x3ff));
            i += 2;
        }
        if (unit == 1) {
            out[used++] = (char)c;
        } else {
            used += nvtxh_i_utf8_write(out + used, c);
        }
    }
    *ret_size = used;
    return out;
}

/* --- schemas ---------------------------------------------------------------------------------- */

struct decoder {
    struct recording *recording;
    const struct process *process;
    uint32_t domain;
    const char *blobs; /* all blobs of the event; a pointer in one may lead to a copy in another */
    size_t blobs_size;
    struct payload_reader *reader;
    unsigned depth, left; /* how many structs are open; how many values may still follow */
    unsigned steps;       /* how many entries and elements may still follow */
    uint64_t work;        /* how much may still be spent: see WORK */
    bool is_cut;          /* more would follow */
};

/* Spends work. False: the event has not enough left, and gets no more values. */
static bool spend(struct decoder *d, uint64_t work) {
    bool enough = work <= d->work;

    d->work -= enough ? work : 0;
    d->left = enough ? d->left : 0;
    d->is_cut |= !enough;
    return enough;
}

static void value(struct decoder *d, const char *name, struct value v) {
    if (d->left && spend(d, strlen(name) + (v.kind == VALUE_TEXT ? v.size : 0))) {
        d->left--;
        d->reader->to.value(d->reader->to.arg, name, &v);
    }
}

static void enter_value(struct decoder *d, const char *name, bool array) {
    d->reader->depth++;
    name = spend(d, strlen(name)) ? name : "";
    if (d->reader->to.enter) {
        d->reader->to.enter(d->reader->to.arg, name, array);
    }
}

static void leave_value(struct decoder *d, bool array) {
    d->reader->depth--;
    if (d->reader->to.leave) {
        d->reader->to.leave(d->reader->to.arg, array);
    }
}

/* Counts an entry or element. False: the event has reached VALUES, STEPS or WORK. */
static bool count_step(struct decoder *d) {
    d->is_cut |= !d->steps || !d->left;
    d->steps -= d->steps > 0;
    d->left = d->is_cut ? 0 : d->left;
    return !d->is_cut;
}

static void text(struct decoder *d, const char *name, uint64_t type, const char *at, size_t size,
                 bool is_message) {
    size_t used;
    char *copy = value_characters(type, at, size, &used);

    value(d, name,
          (struct value){.kind = VALUE_TEXT, .text = copy, .size = used, .is_message = is_message});
    free(copy);
}

static void enumerator(struct decoder *d, const char *name, const struct schema *s,
                       const char *at) {
    uint64_t bits = value_bits(at, s->enum_size), sought = schema_enum_bits(s, bits);
    size_t i = ARRAY_SEARCH(k, 0, s->count, s->values[k].value < sought);

    if (i < s->count && s->values[i].value == sought) {
        const struct str *t =
            string_table_at(&d->recording->source.strings, s->values[i].name_size);
        value(d, name,
              (struct value){
                  .kind = VALUE_TEXT, .text = t->bytes, .size = t->size, .is_enumerator = true});
        return;
    }
    unsigned unused = 64 - 8 * s->enum_size;
    value(d, name,
          (struct value){.kind = s->has_negative ? VALUE_SIGNED : VALUE_UNSIGNED,
                         .i = s->has_negative ? (int64_t)sought >> unused : (int64_t)bits});
}

static void structure(struct decoder *d, const char *name, const struct schema *s, const char *at,
                      size_t size);

static void decode_value(struct decoder *d, const char *name, uint64_t type, const char *at,
                         size_t size, bool is_message) {
    struct rec_entry_type known = rec_entry_type(type);

    d->reader->type = type;
    if (known.kind == REC_ENTRY_CHARACTER) {
        text(d, name, type, at, size, is_message);
        return;
    }
    if (type < REC_TYPE_SCHEMA) {
        if (known.size && known.size <= size) {
            struct value v = value_of_entry(d->recording, d->process, type, at);
            v.is_message = is_message;
            value(d, name, v);
        } else {
            value(d, name, (struct value){0});
        }
        return;
    }
    const struct schema *s = schemas_find(&d->process->schemas, d->domain, type);
    if (!s || (s->enum_size && s->enum_size > size) || d->depth >= SCHEMA_DEPTH) {
        value(d, name, (struct value){0});
    } else if (s->enum_size) {
        enumerator(d, name, s, at);
    } else if (d->reader->hidden || !s->is_hidden) {
        structure(d, name, s, at, size);
    }
}

/* Decodes an array. `to_zero`: the array ends before its first element that is zero. */
static void array(struct decoder *d, const char *name, uint64_t type, const char *at, size_t size,
                  uint64_t count, bool to_zero) {
    size_t unit = (size_t)payload_type_size(d->process, d->domain, type);

    if (!unit) {
        value(d, name, (struct value){0});
        return;
    }
    enter_value(d, name, true);
    for (uint64_t i = 0; i < count && size >= unit && count_step(d); i++) {
        if (to_zero && unit <= 8 && !value_bits(at, unit)) {
            break;
        }
        decode_value(d, "", type, at, unit, false);
        at += unit;
        size -= unit;
    }
    leave_value(d, true);
}

/* Decodes entry `i` of a struct; `at` is the entry's first byte. `lengths` has the values of the
 * entries before it, as integers: one of them may be the length of this entry's array. */
static void entry(struct decoder *d, const struct schema *s, uint32_t i, const char *at,
                  size_t size, const uint64_t *lengths) {
    const struct schema_entry *e = &s->entries[i];
    char unnamed[16];
    const char *name = e->name ? string_table_get(&d->recording->source.strings, e->name) : unnamed;
    bool message = (e->flags & REC_ENTRY_EVENT) == REC_ENTRY_EVENT_MESSAGE;
    uint64_t kind = e->flags & REC_ENTRY_ARRAY, count = payload_entry_count(e);

    snprintf(unnamed, sizeof(unnamed), "%u", i);
    if (e->flags & REC_ENTRY_OFFSETS) {
        value(d, name, (struct value){0});
        return;
    }
    if (payload_entry_is_pointer(e)) {
        uint64_t address = size >= 8 ? value_bits(at, 8) : 0;
        size_t searched = 0;
        at = address ? payload_blob_copy(d->blobs, d->blobs_size, address, &size, &searched) : NULL;
        spend(d, searched);
        if (!at) { /* a NULL pointer, or data that was not copied */
            value(d, name, (struct value){0});
            return;
        }
    }
    if (kind == REC_ENTRY_ARRAY_LENGTH) {
        count = e->detail < i ? lengths[e->detail] : 0;
    }
    struct rec_entry_type known = rec_entry_type(e->type);
    if (known.kind == REC_ENTRY_CHARACTER) {
        uint64_t unit = known.size;
        uint64_t most =
            count && !payload_entry_is_pointer(e) && count < size / unit ? count * unit : size;
        text(d, name, e->type, at, (size_t)most, message);
    } else if (kind) {
        array(d, name, e->type, at, size,
              count                          ? count
              : kind == REC_ENTRY_ARRAY_ZERO ? VALUES
                                             : 0,
              kind == REC_ENTRY_ARRAY_ZERO);
    } else {
        decode_value(d, name, e->type, at, size, message);
    }
}

static void structure(struct decoder *d, const char *name, const struct schema *s, const char *at,
                      size_t size) {
    uint64_t cursor = 0, where, largest = 1;
    uint64_t *lengths = must_alloc(NULL, s->count, sizeof(*lengths));

    d->depth++;
    enter_value(d, name, false);
    for (uint32_t i = 0; i < s->count && count_step(d); i++) {
        const struct schema_entry *e = &s->entries[i];
        lengths[i] = 0;
        if (!payload_entry_next(d->process, s, i, &cursor, &where, &largest, 0)) {
            break;
        }
        if (where > size) {
            continue; /* the payload is cut short */
        }
        struct rec_entry_type known = rec_entry_type(e->type);
        if (known.size && known.size <= 8 && known.size <= size - where) {
            lengths[i] = value_bits(at + where, known.size);
            bool is_negative = known.kind == REC_ENTRY_SIGNED && lengths[i] >> (8 * known.size - 1);
            lengths[i] = is_negative ? 0 : lengths[i];
        }
        if (!(e->flags & REC_ENTRY_HIDE) || d->reader->hidden) {
            d->reader->entry = e;
            entry(d, s, i, at + where, size - (size_t)where, lengths);
        }
    }
    leave_value(d, false);
    d->depth--;
    free(lengths);
}

bool payload_visit(struct recording *r, const struct process *p, uint32_t domain, const char *blobs,
                   size_t size, const char *unnamed, struct payload_reader *reader) {
    struct decoder d = {r, p, domain, blobs, size, reader, 0, VALUES, STEPS, WORK(size), false};
    unsigned count = 0;
    char numbered[64];
    struct rec_blob blob;
    const char *bytes;

    for (size_t at = 0; (bytes = payload_blob_next(blobs, size, &at, &blob));) {
        if (blob.schema == REC_BLOB_COPY || (blob.schema == REC_TYPE_SCOPE && !reader->hidden)) {
            continue;
        }
        const struct schema *s = schemas_find(&p->schemas, domain, blob.schema);
        const char *name = s && s->name ? string_table_get(&r->source.strings, s->name) : numbered;
        snprintf(numbered, sizeof(numbered), count ? "%s[%u]" : "%s", unnamed, count);
        count++;
        /* A blob may hold several values of its schema. */
        uint64_t unit =
            blob.schema >= REC_TYPE_SCHEMA ? payload_type_size(p, domain, blob.schema) : 0;
        if (unit && blob.size >= 2 * unit) {
            array(&d, name, blob.schema, bytes, (size_t)blob.size, blob.size / unit, false);
        } else {
            decode_value(&d, name, blob.schema, bytes, (size_t)blob.size, false);
        }
    }
    return d.is_cut;
}

void payload_visit_one(struct recording *r, const struct process *p, uint32_t domain, uint64_t type,
                       const char *bytes, size_t size, struct payload_reader *reader) {
    struct decoder d = {r, p, domain, "", 0, reader, 0, VALUES, STEPS, WORK(size), false};

    decode_value(&d, "", type, bytes, size, false);
}
