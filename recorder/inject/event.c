/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "event.h"
#include "extension.h"
#include "names.h"
#include "payload.h"
#include "thread.h"

#include <string.h>

/* Word 0, a range id, the message and colour, category and half a payload, a payload. */
enum { WORDS_MOST = 5 };

/* NVTX_PAYLOAD_TYPE_EXT: the payload is an array of ext_data, reserved0 says of how many. */
#define PAYLOAD_EXTENDED UINT32_C(0xdfbd0009)

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
    } else if (payload && payload != PAYLOAD_EXTENDED) {
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
    const struct rec_chunk *chunk;
    uint64_t ticks, *begin;

    do {
        chunk = t->stream.chunk;
        ticks = clock_ticks(output_clock);
        begin = stream_reserve(&t->stream, WORDS_MOST, ticks);
        if (__builtin_expect(!begin, 0)) {
            stream_drop(&t->stream);
            return;
        }
    } while (
        __builtin_expect(t->stream.chunk != chunk, 0)); /* made meanwhile: not the range's time */
    uint64_t *at = begin + 1;
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

static __attribute__((noinline)) void write_payload(struct thread *t, uint64_t word,
                                                    const nvtxEventAttributes_t *a)
{
    const struct ext_data *data;

    memcpy(&data, &a->payload.ullValue, sizeof(data));
    payload_write(&t->stream, word >> 16 & 0xffff, REC_EXTENDED_PAYLOAD, data,
                  a->reserved0 > 0 ? (size_t)a->reserved0 : 0);
}

static inline void write_begin(struct thread *t, uint64_t word, uint64_t id,
                               const nvtxEventAttributes_t *a)
{
    if (__builtin_expect(!a, 0)) {
        write_event(t, word, id, 0, NULL);
    } else if (__builtin_expect(a->size < sizeof(*a), 0)) {
        write_short_attributes(t, word, id, a);
    } else {
        if (__builtin_expect((uint32_t)a->payloadType == PAYLOAD_EXTENDED, 0)) {
            write_payload(t, word, a);
        }
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

/* NULL: nothing of this is to be seen. */
static inline struct thread *enter(uint32_t domain)
{
    return domain == NAMES_UNWANTED ? NULL : thread_enter();
}

int event_push(uint32_t domain, const nvtxEventAttributes_t *attributes)
{
    struct thread *t = enter(domain);

    if (!t) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    int depth = (int)t->depth[domain]++;
    if (names_captures(domain)) {
        gate_pushed(t, domain, depth, attributes);
    }
    if (thread_records(t)) {
        write_begin(t, rec_word(REC_PUSH, domain), 0, attributes);
    }
    thread_leave(t);
    return depth;
}

int event_push_text(const char *text)
{
    if (!names_default_usual()) {
        nvtxEventAttributes_t a = {
            .size = sizeof(a), .messageType = NVTX_MESSAGE_TYPE_ASCII, .message.ascii = text};
        return event_push(names_default, &a);
    }
    struct thread *t = thread_enter();
    if (!t) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    int depth = (int)t->depth[0]++;
    if (thread_records(t)) {
        write_event(t, REC_PUSH, 0, text ? intern_text(&t->intern, &t->stream, text) : 0, NULL);
    }
    thread_leave(t);
    return depth;
}

int event_pop_payload(uint32_t domain, const struct ext_data *data, size_t count, uint64_t ticks)
{
    struct thread *t = enter(domain);

    if (!t) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    int depth = NVTX_NO_PUSH_POP_TRACKING;
    bool records = thread_records(t);
    if (t->depth[domain]) {
        depth = (int)--t->depth[domain];
        if (records) {
            payload_write(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);
            write_end(t, rec_word(REC_POP, domain), 0, ticks);
        }
        if (names_captures(domain)) {
            gate_popped(t, domain, depth);
        }
    } else if (records) {
        process_lose(REC_LOSS_POP);
    }
    thread_leave(t);
    return depth;
}

int event_pop(uint32_t domain, uint64_t ticks)
{
    return event_pop_payload(domain, NULL, 0, ticks);
}

void event_mark(uint32_t domain, const nvtxEventAttributes_t *attributes)
{
    struct thread *t = enter(domain);

    if (!t) {
        return;
    }
    if (thread_records(t)) {
        write_begin(t, rec_word(REC_MARK, domain), 0, attributes);
    }
    thread_leave(t);
}

/* Unique in the process without asking anybody: the thread's number, and a count of its own. */
static uint64_t new_range(struct thread *t)
{
    return t->serial << 40 | ++t->ranges;
}

nvtxRangeId_t event_start(uint32_t domain, const nvtxEventAttributes_t *attributes)
{
    struct thread *t = enter(domain);

    if (!t) {
        return 0;
    }
    uint64_t id = new_range(t);
    if (names_captures(domain)) {
        gate_started(domain, id, attributes);
    }
    if (thread_records(t)) {
        write_begin(t, rec_word(REC_START, domain), id, attributes);
    }
    thread_leave(t);
    return id;
}

void event_end_payload(uint32_t domain, nvtxRangeId_t id, const struct ext_data *data, size_t count)
{
    uint64_t ticks = clock_ticks(output_clock);
    struct thread *t = id ? enter(domain) : NULL;

    if (!t) {
        return;
    }
    if (thread_records(t)) {
        payload_write(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);
        write_end(t, rec_word(REC_END, domain), id, ticks);
    }
    if (names_captures(domain)) {
        gate_ended(id);
    }
    thread_leave(t);
}

void event_end(uint32_t domain, nvtxRangeId_t id)
{
    event_end_payload(domain, id, NULL, 0);
}

/* --- the extensions --------------------------------------------------------------------------- */

int event_push_payload(uint32_t domain, const struct ext_data *data, size_t count)
{
    struct thread *t = enter(domain);

    if (!t) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    int depth = (int)t->depth[domain]++;
    if (thread_records(t)) {
        payload_write(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);
        write_event(t, rec_word(REC_PUSH, domain), 0, 0, NULL);
    }
    thread_leave(t);
    return depth;
}

void event_mark_payload(uint32_t domain, const struct ext_data *data, size_t count)
{
    struct thread *t = enter(domain);

    if (!t) {
        return;
    }
    if (thread_records(t)) {
        payload_write(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);
        write_event(t, rec_word(REC_MARK, domain), 0, 0, NULL);
    }
    thread_leave(t);
}

nvtxRangeId_t event_start_payload(uint32_t domain, const struct ext_data *data, size_t count)
{
    struct thread *t = enter(domain);

    if (!t) {
        return 0;
    }
    uint64_t id = new_range(t);
    if (thread_records(t)) {
        payload_write(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);
        write_event(t, rec_word(REC_START, domain), id, 0, NULL);
    }
    thread_leave(t);
    return id;
}

void event_submit(uint32_t domain, const struct ext_data *data, size_t count)
{
    struct thread *t = enter(domain);

    if (!t) {
        return;
    }
    if (thread_records(t)) {
        payload_write(&t->stream, domain, REC_EXTENDED_EVENT, data, count);
    }
    thread_leave(t);
}

static void write_count(struct thread *t, uint64_t word, uint64_t counter, uint64_t value)
{
    uint64_t ticks = clock_ticks(output_clock);
    uint64_t *at = stream_reserve(&t->stream, 3, ticks);

    if (!at) {
        stream_drop(&t->stream);
        return;
    }
    at[0] = word | stream_time(&t->stream, ticks);
    at[1] = counter;
    at[2] = value;
    stream_publish(&t->stream, 3);
}

void event_count(uint32_t domain, uint64_t counter, enum rec_payload type, uint64_t value)
{
    struct thread *t = enter(domain);

    if (!t) {
        return;
    }
    if (thread_records(t)) {
        write_count(t, rec_word(REC_COUNT, domain) | (uint64_t)type << 5, counter, value);
    }
    thread_leave(t);
}

static void write_parts(struct thread *t, uint64_t word, enum rec_extended what,
                        const struct event_part *parts, size_t count, size_t size)
{
    uint64_t ticks = clock_ticks(output_clock);
    size_t words = 2 + (size + 7) / 8;
    uint64_t *at = stream_reserve(&t->stream, words, ticks);

    if (!at) {
        stream_drop(&t->stream);
        return;
    }
    at[words - 1] = 0;
    at[0] = word | stream_time(&t->stream, ticks);
    at[1] = (uint64_t)size | (uint64_t)what << 32;
    char *to = (char *)&at[2];
    for (size_t i = 0; i < count; i++) {
        if (parts[i].size) {
            memcpy(to, parts[i].bytes, parts[i].size);
        }
        to += parts[i].size;
    }
    stream_publish(&t->stream, words);
}

void event_parts(uint32_t domain, enum rec_extended what, const struct event_part *parts,
                 size_t count)
{
    struct thread *t = enter(domain);
    size_t size = 0;

    if (!t) {
        return;
    }
    if (thread_records(t)) {
        size_t most = stream_longest(&t->stream);
        for (size_t i = 0; i < count && size <= most; i++) {
            size_t part = parts[i].size && !parts[i].bytes ? SIZE_MAX : parts[i].size;
            size = part > most - size ? SIZE_MAX : size + part;
        }
        if (size <= most) {
            write_parts(t, rec_word(REC_EXTENDED, domain), what, parts, count, size);
        } else {
            process_lose(REC_LOSS_POINTER);
        }
    }
    thread_leave(t);
}

void event_extended(uint32_t domain, enum rec_extended what, const void *body, size_t size)
{
    event_parts(domain, what, &(struct event_part){body, size}, 1);
}
