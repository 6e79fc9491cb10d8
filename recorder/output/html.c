/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "html.h"
#include "../analysis/filter.h"
#include "../analysis/name.h"
#include "export.h"
#include "html_collect.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* --- the blocks of a pack --------------------------------------------------------------------- */

/* A growing buffer of bytes: a column of a pack. A zeroed struct is an empty buffer. */
struct buffer {
    unsigned char *bytes;
    size_t size, capacity;
};

struct pack {
    char *head;
    size_t head_size;
    struct buffer columns[HTML_COLUMNS];
};

#define UNUSED UINT32_MAX

static void put_byte(struct buffer *b, unsigned byte) {
    *ARRAY_NEW(b->bytes, b->size, b->capacity) = (unsigned char)byte;
}

static void put_number(struct buffer *b, uint64_t number) {
    for (; number >= 0x80; number >>= 7) {
        put_byte(b, (unsigned)(number & 0x7f) | 0x80u);
    }
    put_byte(b, (unsigned)number);
}

/* Adds a difference modulo 2^64 as a signed number, zigzag encoded. The page computes modulo 2^64,
 * too (sum64 in reader.js). */
static void put_signed(struct buffer *b, uint64_t number) {
    put_number(b, number << 1 ^ (number >> 63 ? UINT64_MAX : 0));
}

static void put_real(struct buffer *b, double number) {
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    for (int i = 0; i < 8; i++) {
        put_byte(b, (unsigned)(bits >> 8 * i) & 0xff);
    }
}

/* The pack leaves out kinds and paths that no entry uses, so the others get new numbers in it. */
struct numbers {
    uint32_t *paths, *kinds; /* number in html_collected -> number in the pack, or UNUSED */
    uint32_t path_count, kind_count;
};

static void put_kind(struct pack *p, const struct html_kind *k, struct source *source,
                     struct html_strings *strings) {
    uint32_t label = 0;

    if (k->domain_name && k->domain_name == source->functions) {
        size_t size;
        char *brief = name_of_function(string_table_at(&source->strings, k->text), &size);
        label = string_table_add(&source->strings, brief, size);
        free(brief);
    }
    put_number(&p->columns[KIND_STYLE], k->style);
    put_number(&p->columns[KIND_DOMAIN], html_text(strings, k->domain_name));
    put_number(&p->columns[KIND_TEXT], html_text(strings, k->text));
    put_number(&p->columns[KIND_COLOR], k->has_color ? UINT64_C(1) + k->color : 0);
    put_number(&p->columns[KIND_CATEGORY], k->category);
    put_number(&p->columns[KIND_LABEL], label == k->text ? 0 : html_text(strings, label));
}

/* Writes the paths that are used, and their kinds. In `c->paths`, parents come before children. */
static void put_paths(struct pack *p, const struct html_collected *c, struct numbers *n,
                      struct html_strings *strings) {
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
            put_kind(p, &c->kinds[kind], c->source, strings);
        }
        put_number(&p->columns[PATH_PARENT], n->paths[i] - n->paths[c->paths[i].parent]);
        put_signed(&p->columns[PATH_KIND], (uint64_t)n->kinds[kind] - kind_before);
        kind_before = n->kinds[kind];
    }
}

/* Values of earlier entries of a track. The next entry is written as differences from them. */
struct before {
    int64_t start;  /* of the previous entry */
    uint64_t value; /* the previous integer payload */
    bool any;       /* there was a previous entry */
};

static void put_payload(struct pack *p, const struct html_entry *e, struct before *before) {
    unsigned type = e->flags >> 1 & 7;

    if (type == HTML_PAYLOAD_TEXT) {
        put_number(&p->columns[ENTRY_VALUE], e->payload);
    } else if (type == REC_PAYLOAD_F64 || type == REC_PAYLOAD_F32) {
        double real;
        memcpy(&real, &e->payload, sizeof(real));
        put_real(&p->columns[ENTRY_REAL], real);
    } else if (type) {
        put_signed(&p->columns[ENTRY_VALUE], e->payload - before->value);
        before->value = e->payload;
    }
}

static void put_merged(struct pack *p, const struct html_entry *e, bool counter) {
    if (counter) {
        put_real(&p->columns[ENTRY_REAL], e->low);
        put_real(&p->columns[ENTRY_REAL], e->high);
        put_real(&p->columns[ENTRY_REAL], e->sum);
    } else {
        put_number(&p->columns[ENTRY_MERGED], e->total);
        put_number(&p->columns[ENTRY_MERGED], e->least);
        put_number(&p->columns[ENTRY_MERGED], e->most);
    }
}

static void put_entry(struct pack *p, const struct html_entry *e, enum span_style style,
                      const struct numbers *n, struct before *before) {
    uint64_t passed = (uint64_t)e->start - (uint64_t)before->start;

    if (before->any) {
        put_number(&p->columns[ENTRY_START], passed);
    } else {
        put_signed(&p->columns[ENTRY_START], passed);
    }
    before->any = true;
    before->start = e->start;
    put_number(&p->columns[ENTRY_LENGTH], (uint64_t)e->end - (uint64_t)e->start);
    put_number(&p->columns[ENTRY_PATH], n->paths[e->path]);
    put_number(&p->columns[ENTRY_COUNT], e->count - 1);
    put_number(&p->columns[ENTRY_INNER], style == SPAN_COUNTER ? 0 : e->inner);
    put_byte(&p->columns[ENTRY_FLAGS], e->flags);
    if (style == SPAN_COUNTER) {
        put_real(&p->columns[ENTRY_REAL], e->last);
    } else {
        put_payload(p, e, before);
    }
    if (e->count > 1) {
        put_merged(p, e, style == SPAN_COUNTER);
    }
    if (style == SPAN_START_END) {
        put_number(&p->columns[ENTRY_THREAD], e->thread);
        put_number(&p->columns[ENTRY_THREAD], e->flags & HTML_LAUNCHED ? e->thread : e->end_thread);
    }
    if (e->flags & HTML_LAUNCHED) {
        put_number(&p->columns[ENTRY_THREAD], e->end_thread);
        put_signed(&p->columns[ENTRY_THREAD], (uint64_t)e->start - (uint64_t)e->launch);
    }
}

/* Writes the entries track by track, without changing their order within a track. */
static void put_entries(struct pack *p, struct html_collected *c, const struct numbers *n) {
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

/* The column THREAD_OFF; see html.h. */
struct offs {
    struct buffer *column;
    int64_t width, ns[SWITCHES_ON + 1]; /* ns: the last part, which may still grow */
    size_t count, most;                 /* parts */
};

static void put_off(struct offs *o) {
    for (int state = 0; state <= SWITCHES_ON; state++) {
        put_number(o->column, (uint64_t)o->ns[state]);
        o->ns[state] = 0;
    }
    o->count++;
}

static void add_off(struct offs *o, enum switches_state state, int64_t ns) {
    int64_t all = o->ns[0] + o->ns[1] + o->ns[2] + o->ns[3];

    if (ns > 0 && o->count <= o->most) {
        if (all > o->ns[state] && all + ns > o->width) {
            put_off(o);
        }
        o->ns[state] += ns;
    }
}

static void put_offs(struct buffer *column, const struct html_collected *c) {
    struct offs o = {.column = column, .most = HTML_MOST / 4 + c->thread_count};
    const struct filter shown = {.from = c->count ? c->entries[0].start : 0, .to = c->end};
    struct switches_time time;
    bool is_known = false;

    do {
        column->size = o.count = 0;
        put_number(column, (uint64_t)o.width);
        put_signed(column, (uint64_t)shown.from);
        for (size_t i = 0; i < c->thread_count && shown.from < c->end; i++) {
            bool is_lane = c->threads[i].tid >= SOURCE_LANES;
            const struct switches *switches = is_lane ? NULL : c->threads[i].process->switches;
            put_byte(column, switches != NULL);
            if (switches) {
                for (size_t k = 0; switches_time(switches, c->threads[i].tid, k, &time); k++) {
                    add_off(&o, time.state, filter_within(&shown, time.from, time.to));
                }
                put_off(&o);
                is_known = true;
            }
        }
        o.width = o.width ? 2 * o.width : 64;
    } while (o.count > o.most);
    column->size = is_known ? column->size : 0;
}

/* Makes the pack of a recording. */
static void make_pack(struct pack *p, struct html_collected *c, const struct export_job *job,
                      const char *name) {
    struct numbers n = {0};
    struct html_strings strings = {0};

    *p = (struct pack){0};
    put_paths(p, c, &n, &strings);
    put_entries(p, c, &n);
    put_offs(&p->columns[THREAD_OFF], c);
    FILE *out = must_open_text(&p->head, &p->head_size);
    html_head_write(c, &strings, job, name, out);
    must_close_text(out, &p->head);
    free(n.paths);
    free(n.kinds);
    free(strings.all);
    map_free(&strings.index);
}

static void free_pack(struct pack *p) {
    for (size_t i = 0; i < HTML_COLUMNS; i++) {
        free(p->columns[i].bytes);
    }
    free(p->head);
    *p = (struct pack){0};
}

/* --- compressed ------------------------------------------------------------------------------- */

enum { AT_ONCE = 3 << 14 }; /* compressed bytes per line of base64, which is then 64 KiB long */

struct packing {
    z_stream z;
    FILE *out;
    unsigned char bytes[AT_ONCE];
};

static void base64(const unsigned char *bytes, size_t size, FILE *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char line[AT_ONCE / 3 * 4 + 1], *to = line;

    for (size_t i = 0; i < size; i += 3) {
        unsigned second = i + 1 < size ? bytes[i + 1] : 0, third = i + 2 < size ? bytes[i + 2] : 0;
        unsigned three = (unsigned)bytes[i] << 16 | second << 8 | third;
        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = i + 1 < size ? digits[three >> 6 & 63] : '=';
        *to++ = i + 2 < size ? digits[three & 63] : '=';
    }
    *to++ = '\n';
    fwrite(line, 1, (size_t)(to - line), out);
}

/* Compresses bytes. Writes the buffer of compressed bytes to `out` whenever it is full, and at the
 * end of the stream (`flush` is Z_FINISH). */
static void put_packed(struct packing *p, const void *bytes, size_t size, int flush) {
    int status;

    p->z.next_in = (unsigned char *)(uintptr_t)bytes; /* zlib only reads from here */
    p->z.avail_in = (unsigned)size;                   /* fits: see too_large */
    do {
        status = deflate(&p->z, flush);
        if (p->z.avail_out == 0 || status == Z_STREAM_END) {
            base64(p->bytes, sizeof(p->bytes) - p->z.avail_out, p->out);
            p->z.next_out = p->bytes;
            p->z.avail_out = sizeof(p->bytes);
        }
    } while (p->z.avail_in || (flush == Z_FINISH && status == Z_OK));
}

static void put_block(struct packing *p, const void *bytes, size_t size) {
    unsigned char head[4] = {(unsigned char)size, (unsigned char)(size >> 8),
                             (unsigned char)(size >> 16), (unsigned char)(size >> 24)};

    put_packed(p, head, sizeof(head), Z_NO_FLUSH);
    put_packed(p, bytes, size, Z_NO_FLUSH);
}

static bool put_pack(const struct pack *pack, FILE *out) {
    struct packing *p = must_alloc(NULL, 1, sizeof(*p));

    memset(&p->z, 0, sizeof(p->z));
    p->out = out;
    p->z.next_out = p->bytes;
    p->z.avail_out = sizeof(p->bytes);
    bool done = deflateInit(&p->z, Z_DEFAULT_COMPRESSION) == Z_OK;
    if (done) {
        put_block(p, pack->head, pack->head_size);
        size_t count = pack->columns[THREAD_OFF].size ? HTML_COLUMNS : THREAD_OFF;
        for (size_t i = 0; i < count; i++) {
            put_block(p, pack->columns[i].bytes, pack->columns[i].size);
        }
        put_packed(p, "", 0, Z_FINISH);
        deflateEnd(&p->z);
    }
    free(p);
    return done;
}

static bool too_large(const struct pack *pack) {
    bool large = pack->head_size > UINT32_MAX;

    for (size_t i = 0; i < HTML_COLUMNS; i++) {
        large |= pack->columns[i].size > UINT32_MAX;
    }
    return large;
}

static bool put_source(const struct export_job *job, struct source *source, const char *name,
                       struct error *ret_error) {
    FILE *out = job->out;
    struct html_collected c;
    struct pack pack = {0};
    bool done = html_collect(&c, source, ret_error);

    if (done) {
        make_pack(&pack, &c, job, name ? name : "");
        html_collected_free(&c);
        done = source_was_read(job->source, ret_error) &&
               (!job->against || source_was_read(job->against, ret_error));
    }
    if (done) {
        fputs("<script type=\"application/octet-stream\" class=\"pack\">\n", out);
        done = !too_large(&pack) && put_pack(&pack, out);
        fputs("</script>\n", out);
        if (!done) {
            error_set(ret_error, "its names and payloads are too large for a page");
        }
    }
    free_pack(&pack);
    return done;
}

bool export_html(const struct export_job *job, struct error *ret_error) {
    FILE *out = job->out;

    fwrite(page_before, 1, page_before_size, out);
    bool done = !job->against || put_source(job, job->against, job->against_name, ret_error);
    done = done && put_source(job, job->source, job->name, ret_error);
    fwrite(page_after, 1, page_after_size, out);
    return done;
}
