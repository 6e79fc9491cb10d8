/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sorts spans. They are cut into runs of ORDER_RUN spans, each of which is sorted in memory. If
 * there is more than one run, the runs go to a temporary file and are merged from there. */
#include "source.h"
#include "../util/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ORDER_RUN
#define ORDER_RUN 262144 /* spans sorted at once: 38 MiB */
#endif
#define MERGE_BUFFER 16384  /* bytes of a run that are in memory while runs are merged */
#define WRITE_BUFFER 262144 /* bytes that are written at once */

/* A run in the file; while the runs are merged: what is left of it. */
struct run {
    size_t left;       /* how many spans are still to be unpacked */
    uint64_t at, end;  /* offsets in the file of the part that was not read into `buffer` yet */
    uint8_t *buffer;   /* packed spans */
    size_t used, next; /* in `buffer`: where the packed spans end, and where the next one begins */
    struct span *span; /* the run's first span that was not handed out yet; unpacked */
};

struct span_order {
    struct span *spans; /* the run that is being collected */
    size_t count, capacity;
    struct run *runs; /* runs in the file; while they are merged, a heap ordered by `span` */
    size_t run_count, run_capacity;
    int fd;                                  /* of the temporary file; negative: none so far */
    uint64_t end;                            /* bytes in the file */
    int error;                               /* errno of the first failure; 0: none */
    int (*by)(const void *a, const void *b); /* the order, as for qsort */
    uint32_t pushes;                         /* pushes that enter_span has numbered */
    span_enter *enter;                       /* NULL: enter_span numbers the pushes */
    void *arg;                               /* of `enter` */
};

/* If a filter cuts ranges at the window's edges, two ranges may have the same start and end. Then
 * `place` puts the outer one first: enter_span and html_collect.c give it the lower number. */
ARRAY_ORDER(by_start, struct span,
            ORDER(x->start, y->start) ?: ORDER(y->end, x->end) ?: ORDER(x->process, y->process)
            ?: ORDER(x->tid, y->tid) ?: ORDER(x->range, y->range) ?: ORDER(x->place, y->place))

ARRAY_ORDER(by_thread, struct span,
            ORDER(x->process, y->process) ?: ORDER(x->tid, y->tid) ?: by_start(x, y))

/* --- packed spans ----------------------------------------------------------------------------- */

/* A packed span begins with a 32-bit mask: bit i is set if the 64-bit word i differs from that of
 * the span before. Then the difference of each of these words follows, zigzag encoded (0, -1, 1,
 * -2, ... become 0, 1, 2, 3, ...), so that small differences are small numbers. A number is written
 * 7 bits to a byte, lowest bits first; the highest bit of a byte is set if another byte follows. */

enum { WORDS = sizeof(struct span) / 8, PACKED_MOST = 4 + WORDS * 10 }; /* PACKED_MOST: bytes */
static_assert(sizeof(struct span) % 8 == 0 && WORDS <= 32, "one bit for each word");

/* Packs a span: writes its differences from `before`, the span before it (a struct of zeros for a
 * run's first span). Returns how many bytes it wrote, at most PACKED_MOST. */
static size_t pack(const struct span *span, const struct span *before, uint8_t *ret_bytes) {
    uint64_t words[WORDS], old[WORDS];
    uint32_t changed = 0;
    uint8_t *at = ret_bytes + sizeof(changed);

    memcpy(words, span, sizeof(words));
    memcpy(old, before, sizeof(old));
    for (size_t i = 0; i < WORDS; i++) {
        if (words[i] != old[i]) {
            uint64_t more = words[i] - old[i];
            changed |= UINT32_C(1) << i;
            for (more = more << 1 ^ (0 - (more >> 63)); more > 0x7f; more >>= 7) {
                *at++ = (uint8_t)(more | 0x80);
            }
            *at++ = (uint8_t)more;
        }
    }
    memcpy(ret_bytes, &changed, sizeof(changed));
    return (size_t)(at - ret_bytes);
}

/* Unpacks a span into *span, which must hold the previous span. Returns how many bytes it read. */
static size_t unpack(const uint8_t *bytes, struct span *span) {
    uint64_t words[WORDS];
    uint32_t changed;
    const uint8_t *at = bytes + sizeof(changed);

    memcpy(words, span, sizeof(words));
    memcpy(&changed, bytes, sizeof(changed));
    for (; changed; changed &= changed - 1) {
        uint64_t more = *at & 0x7f;
        for (unsigned shift = 7; *at++ & 0x80; shift += 7) {
            more |= (uint64_t)(*at & 0x7f) << shift;
        }
        words[__builtin_ctz(changed)] += more >> 1 ^ (0 - (more & 1));
    }
    memcpy(span, words, sizeof(words));
    return (size_t)(at - bytes);
}

/* --- runs ------------------------------------------------------------------------------------- */

static void write_run(struct span_order *o) {
    if (o->fd < 0 && (o->fd = io_temporary()) < 0) {
        o->error = errno;
        return;
    }
    qsort(o->spans, o->count, sizeof(*o->spans), o->by);
    struct run *run = ARRAY_NEW(o->runs, o->run_count, o->run_capacity);
    *run = (struct run){.left = o->count, .at = o->end};
    uint8_t *buffer = must_alloc(NULL, WRITE_BUFFER, 1);
    struct span before = {0};
    for (size_t i = 0, used = 0; i < o->count && !o->error; i++) {
        used += pack(&o->spans[i], &before, buffer + used);
        before = o->spans[i];
        if (used > WRITE_BUFFER - PACKED_MOST || i + 1 == o->count) {
            o->error = io_write(o->fd, buffer, used, o->end) ? 0 : errno;
            o->end += used;
            used = 0;
        }
    }
    free(buffer);
    run->end = o->end;
    o->count = 0;
}

void span_order_add(void *order, const struct span *span) {
    struct span_order *o = order;

    if (o->error) {
        return;
    }
    if (o->count == ORDER_RUN) {
        write_run(o);
    }
    *ARRAY_NEW(o->spans, o->count, o->capacity) = *span;
}

static uint32_t enter_span(void *arg, const struct span *span, const struct span *outer) {
    struct span_order *o = arg;
    return o->enter ? o->enter(o->arg, span, outer) : ++o->pushes & SPAN_PLACE;
}

/* Unpacks the run's next span. False: the run has ended, or reading failed. */
static bool next_span(struct span_order *o, struct run *run) {
    if (!run->left) {
        return false;
    }
    if (run->used - run->next < PACKED_MOST && run->at < run->end) {
        run->used -= run->next;
        memmove(run->buffer, run->buffer + run->next, run->used);
        run->next = 0;
        size_t capacity = MERGE_BUFFER - run->used;
        size_t size = run->end - run->at < capacity ? (size_t)(run->end - run->at) : capacity;
        if (io_read(o->fd, run->buffer + run->used, size, run->at) < size) {
            o->error = errno ? errno : EIO;
            return false;
        }
        run->at += size;
        run->used += size;
    }
    run->next += unpack(run->buffer + run->next, run->span);
    run->left--;
    return true;
}

static bool earlier(const struct span_order *o, const struct run *a, const struct run *b) {
    return o->by(a->span, b->span) < 0;
}

static void sink(const struct span_order *o, size_t count, size_t i) {
    struct run *heap = o->runs;

    for (;;) {
        size_t first = i, left = 2 * i + 1, right = left + 1;
        first = left < count && earlier(o, &heap[left], &heap[first]) ? left : first;
        first = right < count && earlier(o, &heap[right], &heap[first]) ? right : first;
        if (first == i) {
            return;
        }
        struct run moved = heap[i];
        heap[i] = heap[first];
        heap[first] = moved;
        i = first;
    }
}

static void merge(struct span_order *o, struct source *s, span_function *f, void *arg) {
    size_t all = 0, done = 0, live = o->run_count;
    uint8_t *buffers = must_alloc(NULL, live, MERGE_BUFFER);
    struct span *spans = must_alloc(NULL, live, sizeof(*spans));

    for (size_t i = 0; i < live; i++) {
        all += o->runs[i].left;
        o->runs[i].buffer = buffers + i * MERGE_BUFFER;
        o->runs[i].span = &spans[i];
        spans[i] = (struct span){0};
        next_span(o, &o->runs[i]);
    }
    for (size_t i = live; i-- > 0 && !o->error;) {
        sink(o, live, i);
    }
    while (live && !o->error && !s->error) {
        struct run *run = &o->runs[0];
        if (s->progress && done++ % 65536 == 0) {
            s->progress("writing", done, all);
        }
        f(arg, run->span);
        if (!next_span(o, run)) {
            *run = o->runs[--live];
        }
        sink(o, live, 0);
    }
    free(buffers);
    free(spans);
}

struct span_order *span_order_begin(void) {
    struct span_order *o = must_alloc(NULL, 1, sizeof(*o));

    *o = (struct span_order){.fd = -1, .by = by_start};
    return o;
}

bool span_order_end(struct span_order *o, struct source *s, span_function *f, void *arg,
                    struct error *ret_error) {
    if (!o->error && o->run_count == 0) {
        ARRAY_SORT(o->spans, o->count, o->by);
        for (size_t i = 0; i < o->count && !s->error; i++) {
            f(arg, &o->spans[i]);
        }
    } else if (!o->error) {
        write_run(o);
        free(o->spans);
        o->spans = NULL;
        if (!o->error) {
            merge(o, s, f, arg);
        }
    }
    free(o->spans);
    free(o->runs);
    if (o->fd >= 0) {
        close(o->fd);
    }
    int error = o->error;
    free(o);
    if (error) {
        return error_set(ret_error, "cannot sort in a file in $TMPDIR or /var/tmp: %s",
                         strerror(error));
    }
    return source_was_read(s, ret_error);
}

/* Sorts the spans of a source. */
static bool spans_sorted(struct source *s, int (*by)(const void *a, const void *b),
                         span_function *f, span_enter *enter, void *arg,
                         struct span_totals *ret_totals, struct error *ret_error) {
    struct span_order *o = span_order_begin();

    o->by = by;
    o->enter = enter;
    o->arg = arg;
    spans_each(s, span_order_add, enter_span, o, ret_totals);
    return span_order_end(o, s, f, arg, ret_error);
}

bool spans_in_order_nested(struct source *s, span_function *f, span_enter *enter, void *arg,
                           struct span_totals *ret_totals, struct error *ret_error) {
    return spans_sorted(s, by_start, f, enter, arg, ret_totals, ret_error);
}

bool spans_by_thread(struct source *s, span_function *f, void *arg, struct error *ret_error) {
    struct span_totals totals;
    return spans_sorted(s, by_thread, f, NULL, arg, &totals, ret_error);
}

bool spans_in_order(struct source *s, span_function *f, void *arg, struct error *ret_error) {
    struct span_totals totals;
    return spans_sorted(s, by_start, f, NULL, arg, &totals, ret_error);
}
