/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "html_pack.h"
#include "html_head.h"
#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

#define UNUSED UINT32_MAX

static void html_byte(struct html_buffer *b, unsigned byte)
{
    ARRAY_ADD(b->bytes, b->size, b->room);
    b->bytes[b->size++] = (unsigned char)byte;
}

/* Adds a varint. */
static void html_number(struct html_buffer *b, uint64_t number)
{
    for (; number >= 0x80; number >>= 7) {
        html_byte(b, (unsigned)(number & 0x7f) | 0x80u);
    }
    html_byte(b, (unsigned)number);
}

/* Adds a signed number, zigzag encoded. Numbers are differences modulo 2^64; the page adds modulo 2^64, too (sum64 in
 * reader.js). */
static void html_signed(struct html_buffer *b, uint64_t number)
{
    html_number(b, number << 1 ^ (number >> 63 ? UINT64_MAX : 0));
}

static void html_real(struct html_buffer *b, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    for (int i = 0; i < 8; i++) {
        html_byte(b, (unsigned)(bits >> 8 * i) & 0xff);
    }
}

/* The pack leaves out kinds and paths that no entry uses, so it numbers kinds and paths again. */
struct numbers {
    uint32_t *paths, *kinds; /* by number in html_collected: the number in the pack, or UNUSED */
    uint32_t path_count, kind_count;
};

static void put_kind(struct html_pack *p, const struct html_kind *k, struct html_texts *texts)
{
    html_number(&p->columns[KIND_STYLE], k->style);
    html_number(&p->columns[KIND_DOMAIN], html_text(texts, k->domain_name));
    html_number(&p->columns[KIND_TEXT], html_text(texts, k->text));
    html_number(&p->columns[KIND_COLOR], k->has_color ? UINT64_C(1) + k->color : 0);
    html_number(&p->columns[KIND_CATEGORY], k->category);
}

/* Writes the kinds and paths that are used. A path has a higher number than its parent. */
static void put_paths(struct html_pack *p, const struct html_collected *c, struct numbers *n,
                      struct html_texts *texts)
{
    uint32_t kind_before = 0;

    n->paths = must_alloc(NULL, c->path_count, sizeof(*n->paths));
    n->kinds = must_alloc(NULL, c->kind_count, sizeof(*n->kinds));
    memset(n->paths, 0xff, c->path_count * sizeof(*n->paths));
    memset(n->kinds, 0xff, c->kind_count * sizeof(*n->kinds));
    for (size_t i = 0; i < c->count; i++) {
        for (uint32_t path = c->entries[i].path; n->paths[path] == UNUSED;
             path = c->paths[path].parent) {
            n->paths[path] = 0;
        }
    }
    n->paths[0] = 0;
    for (size_t i = 0; i < c->path_count; i++) {
        uint32_t kind = c->paths[i].kind;
        if (n->paths[i] == UNUSED) {
            continue;
        }
        n->paths[i] = n->path_count++;
        if (n->kinds[kind] == UNUSED) {
            n->kinds[kind] = n->kind_count++;
            put_kind(p, &c->kinds[kind], texts);
        }
        html_number(&p->columns[PATH_PARENT], n->paths[i] - n->paths[c->paths[i].parent]);
        html_signed(&p->columns[PATH_KIND], (uint64_t)n->kinds[kind] - kind_before);
        kind_before = n->kinds[kind];
    }
}

/* A track's previous entry: the next entry is written as differences from it. */
struct before {
    int64_t start;
    uint64_t value;
    bool any; /* there was an entry */
};

static void put_payload(struct html_pack *p, const struct html_entry *e, struct before *before)
{
    unsigned type = e->flags >> 1;

    if (type == HTML_PAYLOAD_TEXT) {
        html_number(&p->columns[ENTRY_VALUE], e->payload);
    } else if (type == REC_PAYLOAD_F64 || type == REC_PAYLOAD_F32) {
        double real;
        memcpy(&real, &e->payload, sizeof(real));
        html_real(&p->columns[ENTRY_REAL], real);
    } else if (type) {
        html_signed(&p->columns[ENTRY_VALUE], e->payload - before->value);
        before->value = e->payload;
    }
}

static void put_merged(struct html_pack *p, const struct html_entry *e, bool counter)
{
    if (counter) {
        html_real(&p->columns[ENTRY_REAL], e->low);
        html_real(&p->columns[ENTRY_REAL], e->high);
        html_real(&p->columns[ENTRY_REAL], e->sum);
    } else {
        html_number(&p->columns[ENTRY_MERGED], e->total);
        html_number(&p->columns[ENTRY_MERGED], e->least);
        html_number(&p->columns[ENTRY_MERGED], e->most);
    }
}

static void put_entry(struct html_pack *p, const struct html_entry *e, enum span_style style,
                      const struct numbers *n, struct before *before)
{
    uint64_t passed = (uint64_t)e->start - (uint64_t)before->start;

    if (before->any) {
        html_number(&p->columns[ENTRY_START], passed);
    } else {
        html_signed(&p->columns[ENTRY_START], passed);
    }
    before->any = true;
    before->start = e->start;
    html_number(&p->columns[ENTRY_LENGTH], (uint64_t)e->end - (uint64_t)e->start);
    html_number(&p->columns[ENTRY_PATH], n->paths[e->path]);
    html_number(&p->columns[ENTRY_COUNT], e->count - 1);
    html_number(&p->columns[ENTRY_INNER], style == SPAN_COUNTER ? 0 : e->inner);
    html_byte(&p->columns[ENTRY_FLAGS], e->flags);
    if (style == SPAN_COUNTER) {
        html_real(&p->columns[ENTRY_REAL], e->last);
    } else {
        put_payload(p, e, before);
    }
    if (e->count > 1) {
        put_merged(p, e, style == SPAN_COUNTER);
    }
    if (style == SPAN_START_END) {
        html_number(&p->columns[ENTRY_THREAD], e->thread);
        html_number(&p->columns[ENTRY_THREAD], e->end_thread);
    }
}

/* Writes the entries track by track, without changing their order within a track. */
static void put_entries(struct html_pack *p, struct html_collected *c, const struct numbers *n)
{
    uint32_t *order = must_alloc(NULL, c->count, sizeof(*order));
    uint32_t *next = must_alloc(NULL, c->track_count, sizeof(*next));
    uint32_t sum = 0;

    for (size_t i = 0; i < c->count; i++) {
        c->tracks[c->entries[i].track].count++;
    }
    for (size_t i = 0; i < c->track_count; i++) {
        next[i] = sum;
        sum += c->tracks[i].count;
    }
    for (size_t i = 0; i < c->count; i++) {
        order[next[c->entries[i].track]++] = (uint32_t)i;
    }
    struct before before = {0};
    for (size_t i = 0; i < c->count; i++) {
        const struct html_entry *e = &c->entries[order[i]];
        if (i && e->track != c->entries[order[i - 1]].track) {
            before = (struct before){0};
        }
        put_entry(p, e, c->tracks[e->track].style, n, &before);
    }
    free(order);
    free(next);
}

bool html_pack_make(struct html_pack *p, struct html_collected *c, const char *name)
{
    struct numbers n = {0};
    struct html_texts texts = {0};

    *p = (struct html_pack){0};
    put_paths(p, c, &n, &texts);
    put_entries(p, c, &n);
    FILE *out = must_open_text(&p->head, &p->head_size);
    html_head_write(c, &texts, name, out);
    must_close_text(out, &p->head);
    free(n.paths);
    free(n.kinds);
    free(texts.all);
    map_free(&texts.index);
    return p->head != NULL;
}

void html_pack_free(struct html_pack *p)
{
    for (size_t i = 0; i < HTML_COLUMNS; i++) {
        free(p->columns[i].bytes);
    }
    free(p->head);
    *p = (struct html_pack){0};
}
