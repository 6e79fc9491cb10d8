/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cursor.h"
#include "../util/memory.h"

#include <stdlib.h>

void cursor_begin(struct cursor *c, struct recording *r, size_t first, size_t count) {
    char *buffer = c->buffer;
    size_t capacity = c->capacity;

    free(c->last.presets.all);
    *c = (struct cursor){.recording = r,
                         .chunk = first,
                         .end = first + count,
                         .buffer = buffer,
                         .capacity = capacity};
}

void cursor_resume(struct cursor *c, struct recording *r, size_t first, size_t count,
                   struct cursor_place *place) {
    cursor_begin(c, r, first, count);
    if (!place->begun) {
        return;
    }
    while (c->chunk < c->end && r->chunks[c->chunk].seq < place->seq) {
        c->chunk++;
    }
    c->last = *place;
    place->presets = (struct presets){0};
}

void cursor_stop(struct cursor *c, struct cursor_place *ret_place) {
    *ret_place = c->last;
    ret_place->at += (uint32_t)c->at;
    c->last.presets = (struct presets){0};
}

void cursor_end(struct cursor *c) {
    free(c->buffer);
    free(c->last.presets.all);
    *c = (struct cursor){0};
}

/* Whether chunk `ref` was read whole, before its writer reused it for a later chunk of the ring. */
static bool is_whole(const struct cursor *c, const struct chunk_ref *ref) {
    struct rec_chunk now;

    return !c->is_live || !ref->ring || recording_chunk(c->recording, ref, &now);
}

/* Goes on from the chunk that was read last to `ref`. Notes what is missing between the two. */
static void next_chunk(struct cursor *c, const struct chunk_ref *ref) {
    enum { SHORT_REST = 256 }; /* bytes; a chunk's rest of up to this size may just be unused */
    uint32_t next = c->last.begun ? c->last.seq + 1 : 0,
             read = REC_CHUNK_HEADER + c->last.at + (uint32_t)c->at;
    uint64_t missed =
        ref->seq > next ? (uint64_t)(ref->seq - next) * (ref->size - REC_CHUNK_HEADER) : 0;
    bool has_rest = c->last.begun && !c->is_there && c->last.size > read + SHORT_REST;

    missed += has_rest ? c->last.size - read : 0;
    if (missed && ref->ring) {
        c->missed += missed;
        c->missed_until = ref->begun;
    }
    c->after_gap |= c->last.begun && (ref->seq != next || has_rest);
    c->next_thread |= c->last.begun && ref->tid != c->last.tid;
    c->last.begun = true;
    c->last.seq = ref->seq;
    c->last.size = ref->size;
    c->last.at = 0;
    c->last.base = ref->base;
    c->last.tid = ref->tid;
}

/* Reads into the buffer the next chunk, or the rest of a chunk that an earlier cursor has read in
 * part. False at the end. */
static bool next_bytes(struct cursor *c) {
    while (c->chunk < c->end && !c->recording->source.error) {
        const struct chunk_ref *ref = &c->recording->chunks[c->chunk++];
        bool resumes = c->last.begun && !c->is_there && ref->seq == c->last.seq;
        uint32_t skip = REC_CHUNK_HEADER + (resumes ? c->last.at : 0);
        size_t size = ref->used > skip ? ref->used - skip : 0;

        if (resumes && !size) { /* the chunk was read to its end */
            c->is_there = true;
            continue;
        }
        if (size > c->capacity || !c->buffer) {
            c->buffer = must_alloc(c->buffer, size, 1);
            c->capacity = size;
        }
        size_t got = recording_read(c->recording, c->buffer, size, ref->offset + skip);
        if (!is_whole(c, ref) || c->recording->source.error) {
            continue;
        }
        if (!resumes) {
            next_chunk(c, ref);
        }
        c->recording->damage.missing += size - got;
        c->recording->read_bytes += size;
        if (c->recording->source.progress) {
            c->recording->source.progress("reading", c->recording->read_bytes,
                                          c->recording->read_all);
        }
        c->is_there = true;
        c->at = 0;
        c->used = got & ~(size_t)7;
        c->place = ref->offset + skip;
        c->bytes += c->used;
        if (c->used) {
            return true;
        }
    }
    return false;
}

/* Takes a word of 8 bytes. False: the chunk has no word left. */
static bool word(struct cursor *c, uint64_t *ret) {
    if (c->used - c->at < 8) {
        return false;
    }
    memcpy(ret, c->buffer + c->at, 8);
    c->at += 8;
    return true;
}

static bool attributes(struct cursor *c, uint64_t head, struct record *ret) {
    uint64_t w;
    int payload_words = rec_payload_words(ret->payload_type);

    if (!word(c, &w)) {
        return false;
    }
    ret->text = (uint32_t)w;
    ret->color = (uint32_t)(w >> 32);
    ret->has_color = head & REC_HAS_COLOR;
    ret->has_category = head & REC_HAS_CATEGORY;
    if (ret->has_category || payload_words == 1) {
        if (!word(c, &w)) {
            return false;
        }
        ret->category = (uint32_t)w;
        ret->payload = w >> 32;
    }
    return payload_words != 2 || word(c, &ret->payload);
}

static bool long_body(struct cursor *c, struct record *ret) {
    uint64_t w;

    if (!word(c, &w)) {
        return false;
    }
    ret->size = (uint32_t)w;
    ret->id = (uint32_t)(w >> 32);
    size_t padded = ((size_t)ret->size + 7) & ~(size_t)7;
    if (padded > c->used - c->at) {
        return false;
    }
    ret->body = c->buffer + c->at;
    ret->place = c->place + c->at;
    c->at += padded;
    return true;
}

/* False: the record is not a valid preset. */
static bool add_preset(struct presets *all, const struct record *r) {
    struct rec_preset body;

    if (!record_body(r, &body, sizeof(body)) || !body.number || body.number > REC_PRESET_MAX) {
        return false;
    }
    if (body.number >= all->count) {
        size_t count = body.number + 64;
        all->all = must_alloc(all->all, count, sizeof(*all->all));
        memset(all->all + all->count, 0, (count - all->count) * sizeof(*all->all));
        all->count = count;
    }
    all->all[body.number] = (struct record){.kind = REC_PUSH,
                                            .domain = r->domain,
                                            .text = body.text,
                                            .color = body.color,
                                            .category = body.category,
                                            .has_color = body.flags & REC_HAS_COLOR,
                                            .has_category = body.flags & REC_HAS_CATEGORY};
    return true;
}

/* A push with an unknown preset counts as damage but is returned, because otherwise its pop would
 * end the range around it. */
static bool push_by_preset(struct cursor *c, uint64_t head, struct record *ret) {
    uint32_t number = head >> REC_PRESET_SHIFT & REC_PRESET_MAX;
    struct record push =
        number < c->last.presets.count ? c->last.presets.all[number] : (struct record){0};

    c->recording->damage.bad_records += push.kind == REC_NONE;
    push.kind = REC_PUSH;
    push.payload_type = ret->payload_type;
    push.ticks = ret->ticks;
    *ret = push;
    return !rec_payload_words(ret->payload_type) || word(c, &ret->payload);
}

static bool decode(struct cursor *c, struct record *ret) {
    uint64_t head;
    struct rec_sample sample;

    if (!word(c, &head)) {
        return false;
    }
    *ret = (struct record){.kind = head & 31,
                           .payload_type = head >> 5 & 7,
                           .domain = head >> 16 & 0xffff,
                           .ticks = c->last.base + (head >> 32)};
    if (ret->kind >= REC_LONG) {
        return long_body(c, ret) &&
               (!record_is_extended(ret, REC_EXTENDED_PRESET) || add_preset(&c->last.presets, ret));
    }
    switch (ret->kind) {
    case REC_PUSH:
    case REC_MARK:
        return attributes(c, head, ret);
    case REC_PUSH_PRESET:
        return push_by_preset(c, head, ret);
    case REC_POP:
        return true;
    case REC_START:
        return word(c, &ret->range) && attributes(c, head, ret);
    case REC_END:
        return word(c, &ret->range);
    case REC_COUNT:
        return word(c, &ret->range) && word(c, &ret->payload);
    case REC_REBASE:
        if (!word(c, &c->last.base) || c->used - c->at < sizeof(sample)) {
            return false;
        }
        c->at += sizeof(sample);
        return true;
    default:
        return false;
    }
}

bool cursor_next(struct cursor *c, struct record *ret) {
    c->after_gap = c->last.gap;
    c->next_thread = c->last.next_thread;
    c->last.gap = c->last.next_thread = false;
    for (;;) {
        if (c->at >= c->used && !next_bytes(c)) {
            c->last.gap = c->after_gap;
            c->last.next_thread = c->next_thread;
            return false;
        }
        if (!decode(c, ret)) {
            c->recording->damage.bad_records++;
            /* the size of this record is unknown, so the rest of the chunk is skipped */
            c->last.at = c->last.size;
            c->at = c->used = 0;
        } else if (ret->kind == REC_THREAD && c->recording->chunks[c->chunk - 1].stream) {
            c->next_thread = true;
            c->last.tid = ret->id;
        } else if (ret->kind != REC_REBASE && !record_is_extended(ret, REC_EXTENDED_PRESET)) {
            return true;
        }
    }
}

void cursor_definitions(struct recording *r, struct process *p, cursor_definition *f, void *arg) {
    struct cursor c = {0};
    struct record rec;
    size_t count = 0;

    while (count < p->chunk_count && r->chunks[p->first_chunk + count].stream == 0) {
        count++;
    }
    cursor_begin(&c, r, p->first_chunk, count);
    while (cursor_next(&c, &rec)) {
        f(arg, r, p, &rec);
    }
    cursor_end(&c);
}
