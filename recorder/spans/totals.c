/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "recording_source.h"
#include "../read/cursor.h"

void totals_add_stream(struct span_totals *t, struct recording *r, size_t first, size_t count)
{
    const struct chunk_ref *ref = &r->chunks[first];

    for (size_t i = 0; i < count; i++) {
        uint32_t before = i ? ref[i - 1].seq + 1 : 0;
        t->dropped += ref[i].dropped;
        t->lost[REC_LOSS_SHORT] += ref[i].left_out;
        r->damage.bad_chunks += !ref[i].ring && ref[i].seq != before; /* some chunks are missing */
    }
}

void totals_add_losses(struct span_totals *t, const uint64_t lost[REC_LOSS_SIZE])
{
    for (int i = 0; i < REC_LOSS_SIZE; i++) {
        t->lost[i] += lost[i];
    }
    t->dropped += lost[REC_LOSS_NO_STREAM] + lost[REC_LOSS_NESTED];
}

void totals_add_statistics(struct span_totals *t, const struct recording *r)
{
    t->events += r->statistics.events;
    t->threads += r->statistics.threads;
    t->open += r->statistics.open;
}

/* The length of a short record in words, by the lower 9 bits of its first word. 0: long, a rebase, or not valid. */
enum { HEADS = 512 };
static uint8_t lengths[HEADS];

static void make_lengths(void)
{
    for (unsigned head = 0; head < HEADS; head++) {
        unsigned payload = (unsigned)rec_payload_words(head >> 5 & 7);
        unsigned attributes = 1u + (head & REC_HAS_CATEGORY || payload == 1 ? 1u : 0u) + (payload == 2 ? 1u : 0u);
        unsigned n = 0;
        switch (head & 31) {
        case REC_PUSH:
        case REC_MARK:
            n = 1 + attributes;
            break;
        case REC_POP:
            n = 1;
            break;
        case REC_START:
            n = 2 + attributes;
            break;
        case REC_END:
            n = 2;
            break;
        case REC_COUNT:
            n = 3;
            break;
        case REC_PUSH_PRESET:
            n = payload ? 2 : 1;
            break;
        default:
            break;
        }
        lengths[head] = (uint8_t)n;
    }
}

struct count {
    uint64_t events, threads;
    uint64_t before; /* events of the stream's earlier threads */
};

static void thread_over(struct count *n)
{
    n->threads += n->events > n->before;
    n->before = n->events;
}

/* Counts a record that is not a short event. Returns its length in words; 0: it is invalid. */
static size_t other(const uint64_t *at, size_t left, struct count *n)
{
    enum rec_kind kind = at[0] & 31;

    if (kind == REC_REBASE) {
        return 5;
    }
    if (kind < REC_LONG || left < 2) {
        return 0;
    }
    uint32_t id = (uint32_t)(at[1] >> 32);
    if (kind == REC_THREAD) {
        thread_over(n);
    }
    n->events +=
        kind == REC_EXTENDED && id != REC_EXTENDED_PAYLOAD && id != REC_EXTENDED_PRESET && id != REC_EXTENDED_NO_PUSH;
    return 2 + ((size_t)(uint32_t)at[1] + 7) / 8;
}

/* Counts the events of the chunk that the cursor has loaded. Pops and pushes by preset are tested by branches, which
 * the processor predicts. A length from the table would make each record wait for the one before. */
static void count_chunk(struct cursor *c, struct count *n)
{
    const uint64_t *at = (const uint64_t *)(const void *)c->buffer, *end = at + c->used / 8;
    uint64_t events = n->events;

    while (at < end) {
        uint64_t before = events, low = *at & 0xff;
        if (low == REC_POP || low == REC_PUSH_PRESET) {
            at++;
            events++;
            continue;
        }
        size_t words = lengths[*at % HEADS];
        events += words > 0;
        if (!words) {
            n->events = events;
            words = other(at, (size_t)(end - at), n);
            events = n->events;
        }
        if (!words || words > (size_t)(end - at)) {
            c->recording->damage.bad_records++;
            events = before;
            break;
        }
        at += words;
    }
    n->events = events;
}

/* Counts the events of a stream while gates are open. */
static void count_gated(struct cursor *c, const struct process *p, struct count *n)
{
    bool open = gates_open_first(p);
    size_t gate = 0;
    struct record r;

    while (cursor_next(c, &r)) {
        if (c->next_thread) {
            thread_over(n);
        }
        if (!record_is_of_events(&r)) {
            continue;
        }
        for (; gate < p->gate_count && p->gates[gate].ticks <= r.ticks; gate++) {
            open = p->gates[gate].open;
        }
        n->events += open && record_is_event(&r);
    }
}

static struct count count_stream(struct cursor *c, const struct process *p)
{
    struct count n = {0};

    if (p->gate_count) {
        count_gated(c, p, &n);
    }
    while (!p->gate_count && cursor_chunk(c)) {
        count_chunk(c, &n);
    }
    thread_over(&n);
    return n;
}

void totals_count(struct recording *r, struct span_totals *ret_totals)
{
    struct cursor c = {0};

    *ret_totals = (struct span_totals){0};
    make_lengths();
    recording_begin_reading(r);
    for (size_t n = 0; n < r->source.process_count; n++) {
        const struct process *p = &r->processes[n];
        for (size_t first = 0, next = 0; recording_next_stream(r, p, &first, &next);) {
            totals_add_stream(ret_totals, r, first, next - first);
            cursor_begin(&c, r, first, next - first);
            struct count found = count_stream(&c, p);
            ret_totals->events += found.events;
            ret_totals->threads += r->chunks[first].lane == 0 ? found.threads : 0;
        }
        totals_add_losses(ret_totals, p->info.lost);
    }
    totals_add_losses(ret_totals, r->header.lost);
    totals_add_statistics(ret_totals, r);
    cursor_end(&c);
}
