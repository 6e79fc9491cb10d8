/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "derive.h"
#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20 }; /* bytes; a record that would begin beyond this goes to a new chunk */

struct writing {
    const struct statistics_file *file;
    int fd;
    uint64_t offset; /* where the next chunk goes */
    struct rec_chunk chunk;
    char *buffer;
    size_t used, room;
    bool done;
};

static void write_chunk(struct writing *w) {
    size_t size = (w->used + REC_ALIGN - 1) / REC_ALIGN * REC_ALIGN;

    w->chunk.size = (uint32_t)size;
    w->chunk.used = w->used;
    memset(w->buffer + w->used, 0, size - w->used);
    memcpy(w->buffer, &w->chunk, sizeof(w->chunk));
    w->done = w->done && io_write(w->fd, w->buffer, size, w->offset);
    w->offset += size;
    w->chunk.seq++;
    w->used = REC_CHUNK_HEADER;
}

/* Adds a record of a kind from REC_LONG on. Returns where its body of `size` bytes goes. */
static char *add_record(struct writing *w, enum rec_kind kind, uint32_t id, size_t size) {
    size_t all = 16 + (size + 7) / 8 * 8;
    uint64_t words[2] = {rec_word(kind, 0), (uint64_t)id << 32 | size};

    if (w->used > CHUNK) {
        write_chunk(w);
    }
    if (w->used + all + REC_ALIGN > w->room) {
        w->room = w->used + all + CHUNK;
        w->buffer = must_alloc(w->buffer, w->room, 1);
    }
    char *at = w->buffer + w->used;
    w->used += all;
    memset(at, 0, all);
    memcpy(at, words, sizeof(words));
    return at + sizeof(words);
}

static uint32_t bins_of(const struct distribution *d) {
    uint32_t bins = 0;
    uint64_t low, count;

    for (size_t at = 0; distribution_next_bin(d, &at, &low, &count);) {
        bins++;
    }
    return bins;
}

static void add_summary_row(struct writing *w, const struct summary_row *row) {
    const struct distribution *d = &row->durations;
    const struct text *texts[] = {texts_at(w->file->texts, row->domain_name),
                                  texts_at(w->file->texts, row->text),
                                  texts_at(w->file->texts, row->category_name)};
    struct rec_row out = {.style = row->style,
                          .color = row->color,
                          .category = row->category,
                          .has_category = row->has_category,
                          .domain_size = (uint32_t)texts[0]->size,
                          .text_size = (uint32_t)texts[1]->size,
                          .category_size = (uint32_t)texts[2]->size,
                          .bin_count = bins_of(d),
                          .count = row->instances,
                          .min = d->min,
                          .max = d->max,
                          .total = d->total,
                          .squares = d->squares,
                          .self = row->self,
                          .value_total = row->value_total,
                          .value_min = row->value_min,
                          .value_max = row->value_max,
                          .value_last = row->value_last,
                          .drift = drift_stored(row->drift)};
    struct rec_bin bin;
    char *to = add_record(w, REC_EXTENDED, REC_EXTENDED_ROW,
                          sizeof(out) + out.bin_count * sizeof(bin) + texts[0]->size +
                              texts[1]->size + texts[2]->size + sizeof(row->inclusive));

    memcpy(to, &out, sizeof(out));
    to += sizeof(out);
    for (size_t at = 0; distribution_next_bin(d, &at, &bin.low, &bin.count);) {
        memcpy(to, &bin, sizeof(bin));
        to += sizeof(bin);
    }
    for (size_t i = 0; i < 3; i++) {
        memcpy(to, texts[i]->bytes, texts[i]->size);
        to += texts[i]->size;
    }
    memcpy(to, &row->inclusive, sizeof(row->inclusive));
}

bool statistics_file_write(const struct statistics_file *s, int fd, uint64_t *ret_size) {
    struct writing w = {.file = s,
                        .fd = fd,
                        .offset = REC_HEADER_SIZE,
                        .used = REC_CHUNK_HEADER,
                        .done = true,
                        .chunk = {.magic = REC_CHUNK_MAGIC,
                                  .tid = s->process.pid,
                                  .clock = s->head.clock,
                                  .base = s->head.start.ticks,
                                  .sample = s->head.start}};
    struct rec_header head = s->head;

    memcpy(add_record(&w, REC_PROCESS, 0, sizeof(s->process)), &s->process, sizeof(s->process));
    memcpy(add_record(&w, REC_EXTENDED, REC_EXTENDED_STATISTICS, sizeof(s->of)), &s->of,
           sizeof(s->of));
    if (s->bound) {
        memcpy(add_record(&w, REC_EXTENDED, REC_EXTENDED_BOUND, sizeof(s->bound)), &s->bound,
               sizeof(s->bound));
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->rows[i].instances) {
            add_summary_row(&w, &s->rows[i]);
        }
    }
    write_chunk(&w);
    head.next_offset = *ret_size = w.offset;
    head.next_process = 1;
    w.done = w.done && io_write(fd, &head, sizeof(head), 0);
    free(w.buffer);
    return w.done;
}
