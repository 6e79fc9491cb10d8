/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "event.h"
#include "names.h"
#include "thread.h"

#include <string.h>

/* Word 0, a range id, the message and colour, category and half a payload, a payload. */
enum { WORDS_MOST = 5 };

static uint32_t text_of_message(struct thread *t, const nvtxEventAttributes_t *a)
{
    if (a->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
        return names_string_id(a->message.registered);
    }
    if (a->messageType == NVTX_MESSAGE_TYPE_ASCII && a->message.ascii) {
        return intern_text(&t->intern, &t->stream, a->message.ascii);
    }
    if (a->messageType == NVTX_MESSAGE_TYPE_UNICODE && a->message.unicode) {
        return intern_wide(&t->intern, &t->stream, a->message.unicode);
    }
    return 0;
}

/* Writes the words of the attributes, returns the end of them and the flags for word 0. */
static inline uint64_t *write_attributes(uint64_t *at, const nvtxEventAttributes_t *a,
                                         uint32_t text, uint64_t *ret_flags)
{
    uint64_t flags = 0;
    uint64_t word = text;

    if (a->colorType == NVTX_COLOR_ARGB) {
        word |= (uint64_t)a->color << 32;
        flags |= REC_HAS_COLOR;
    }
    *at++ = word;
    unsigned payload = (unsigned)a->payloadType;
    int payload_words = rec_payload_words(payload);
    if (payload_words) {
        flags |= (uint64_t)payload << 5;
    } else if (payload) {
        process_lose(REC_LOSS_EXTENDED);
    }
    if (a->category || payload_words == 1) {
        uint32_t half = payload_words == 1 ? a->payload.uiValue : 0;
        *at++ = (uint64_t)a->category | (uint64_t)half << 32;
        flags |= a->category ? REC_HAS_CATEGORY : 0;
    }
    if (payload_words == 2) {
        *at++ = a->payload.ullValue;
    }
    *ret_flags = flags;
    return at;
}

/* A beginning is stamped after its text has been looked up, so that our own work is not in it. `a`
 * may be NULL. */
static inline void write_event(struct thread *t, uint64_t word, uint64_t id, uint32_t text,
                               const nvtxEventAttributes_t *a)
{
    uint64_t ticks = clock_ticks(output_clock);
    uint64_t *begin = stream_reserve(&t->stream, WORDS_MOST, ticks);
    uint64_t *at = begin;

    if (__builtin_expect(!at, 0)) {
        stream_drop(&t->stream);
        return;
    }
    if (__builtin_expect(ticks == t->stream.base, 0)) {
        ticks = clock_ticks(output_clock); /* a chunk was made on the way: not the range's time */
    }
    at++;
    if (id) {
        *at++ = id;
    }
    if (a) {
        uint64_t flags;
        at = write_attributes(at, a, text, &flags);
        word |= flags;
    } else {
        *at++ = text;
    }
    *begin = word | stream_time(&t->stream, ticks);
    stream_publish(&t->stream, (size_t)(at - begin));
}

/* From a caller older, or more careless, than we are. */
static __attribute__((noinline)) void write_short_attributes(struct thread *t, uint64_t word,
                                                             uint64_t id,
                                                             const nvtxEventAttributes_t *a)
{
    nvtxEventAttributes_t whole;

    memset(&whole, 0, sizeof(whole));
    memcpy(&whole, a, a->size);
    write_event(t, word, id, text_of_message(t, &whole), &whole);
}

static inline void write_begin(struct thread *t, uint64_t word, uint64_t id,
                               const nvtxEventAttributes_t *a)
{
    if (__builtin_expect(!a, 0)) {
        write_event(t, word, id, 0, NULL);
    } else if (__builtin_expect(a->size < sizeof(*a), 0)) {
        write_short_attributes(t, word, id, a);
    } else {
        write_event(t, word, id, text_of_message(t, a), a);
    }
}

static inline void write_end(struct thread *t, uint64_t word, uint64_t id, uint64_t ticks)
{
    size_t words = id ? 2 : 1;
    uint64_t *at = stream_reserve(&t->stream, words, ticks);

    if (!at) {
        stream_drop(&t->stream);
        return;
    }
    at[0] = word | stream_time(&t->stream, ticks);
    if (id) {
        at[1] = id;
    }
    stream_publish(&t->stream, words);
}

int event_push(uint32_t domain, const nvtxEventAttributes_t *attributes)
{
    struct thread *t = thread_enter();

    if (!t) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    int depth = (int)t->depth[domain]++;
    write_begin(t, rec_word(REC_PUSH, domain), 0, attributes);
    thread_leave(t);
    return depth;
}

int event_push_text(const char *text)
{
    struct thread *t = thread_enter();

    if (!t) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    int depth = (int)t->depth[0]++;
    write_event(t, REC_PUSH, 0, text ? intern_text(&t->intern, &t->stream, text) : 0, NULL);
    thread_leave(t);
    return depth;
}

int event_pop(uint32_t domain, uint64_t ticks)
{
    struct thread *t = thread_enter();

    if (!t) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    int depth = NVTX_NO_PUSH_POP_TRACKING;
    if (t->depth[domain]) {
        depth = (int)--t->depth[domain];
        write_end(t, rec_word(REC_POP, domain), 0, ticks);
    } else {
        process_lose(REC_LOSS_POP);
    }
    thread_leave(t);
    return depth;
}

void event_mark(uint32_t domain, const nvtxEventAttributes_t *attributes)
{
    struct thread *t = thread_enter();

    if (t) {
        write_begin(t, rec_word(REC_MARK, domain), 0, attributes);
        thread_leave(t);
    }
}

nvtxRangeId_t event_start(uint32_t domain, const nvtxEventAttributes_t *attributes)
{
    struct thread *t = thread_enter();

    if (!t) {
        return 0;
    }
    /* Unique without asking anybody: the stream's number, and a count of its own. */
    uint64_t id = (uint64_t)t->stream.index << 40 | ++t->ranges;
    write_begin(t, rec_word(REC_START, domain), id, attributes);
    thread_leave(t);
    return id;
}

void event_end(uint32_t domain, nvtxRangeId_t id)
{
    uint64_t ticks = clock_ticks(output_clock);
    struct thread *t = id ? thread_enter() : NULL;

    if (t) {
        write_end(t, rec_word(REC_END, domain), id, ticks);
        thread_leave(t);
    }
}
