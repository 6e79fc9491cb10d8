/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "event.h"
#include "session.h"
#include "losses.h"
#include "record_write.h"
#include "thread.h"

#include <string.h>

static uint32_t text_of_message(struct thread *t, const nvtxEventAttributes_t *a) {
    if (a->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
        return handle_string(a->message.registered);
    }
    if (a->messageType == NVTX_MESSAGE_TYPE_ASCII && a->message.ascii) {
        return intern_text(&t->intern, &t->stream, a->message.ascii);
    }
    if (a->messageType == NVTX_MESSAGE_TYPE_UNICODE && a->message.unicode) {
        return intern_wide(&t->intern, &t->stream, a->message.unicode);
    }
    if (__builtin_expect((uint32_t)a->messageType > NVTX_MESSAGE_TYPE_REGISTERED, 0)) {
        losses_count(REC_LOSS_TYPE);
    }
    return 0;
}

static __attribute__((noinline)) void write_payload(struct thread *t, uint64_t word,
                                                    const nvtxEventAttributes_t *a) {
    const struct ext_data *data;

    memcpy(&data, &a->payload.ullValue, sizeof(data));
    record_payload(&t->stream, word >> 16 & 0xffff, data,
                   a->reserved0 > 0 ? (size_t)a->reserved0 : 0);
}

/* Every NVTX 3 has attributes of the same size: if they are shorter, there are none. */
static inline void write_begin(struct thread *t, uint64_t word, uint64_t id,
                               const nvtxEventAttributes_t *a) {
    if (__builtin_expect(!a || a->size < sizeof(*a), 0)) {
        record_write_event(&t->stream, word, id, 0, NULL);
        return;
    }
    if (__builtin_expect((uint32_t)a->payloadType == PAYLOAD_EXTENDED, 0)) {
        write_payload(t, word, a);
    }
    record_write_event(&t->stream, word, id, text_of_message(t, a), a);
}

/* Begins an event that matters only if it is recorded, such as a mark or a sample. Returns NULL if
 * the gate is closed (nothing is recorded now), or if the event cannot be recorded. */
static inline struct thread *enter_open(uint32_t domain) {
    struct thread *t = thread_enter_domain(domain);

    if (t && !thread_records(t)) {
        thread_leave(t);
        t = NULL;
    }
    return t;
}

int event_push(uint32_t domain, const nvtxEventAttributes_t *attributes) {
    struct thread *t = thread_enter_domain(domain);

    if (!t) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    int depth = (int)t->depth[domain]++;
    if (handle_is_capture(domain)) {
        capture_pushed(domain, depth, attributes);
    }
    if (thread_records(t)) {
        write_begin(t, rec_word(REC_PUSH, domain), 0, attributes);
    }
    thread_leave(t);
    return depth;
}

int event_pop(uint32_t domain, const struct ext_data *data, size_t count, uint64_t ticks) {
    struct thread *t = thread_enter_domain(domain);

    if (!t) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    int depth = NVTX_NO_PUSH_POP_TRACKING;
    bool records = thread_records(t);
    if (t->depth[domain]) {
        depth = (int)--t->depth[domain];
        if (records) {
            record_payload(&t->stream, domain, data, count);
            record_write_words(&t->stream, rec_word(REC_POP, domain), ticks, NULL, 0);
        }
        if (handle_is_capture(domain)) {
            capture_popped(domain, depth);
        }
    } else if (records) {
        /* Readers report this pop, which may have been meant for another domain. */
        losses_count(REC_LOSS_POP);
        stream_write_pieces(&t->stream, rec_word(REC_EXTENDED, domain), REC_EXTENDED_NO_PUSH, NULL,
                            0, 0);
    }
    thread_leave(t);
    return depth;
}

void event_mark(uint32_t domain, const nvtxEventAttributes_t *attributes) {
    struct thread *t = enter_open(domain);

    if (t) {
        write_begin(t, rec_word(REC_MARK, domain), 0, attributes);
        thread_leave(t);
    }
}

nvtxRangeId_t event_start(uint32_t domain, const nvtxEventAttributes_t *attributes) {
    struct thread *t = thread_enter_domain(domain);

    if (!t) {
        return 0;
    }
    uint64_t id = thread_new_range(t);
    if (handle_is_capture(domain)) {
        capture_started(domain, id, attributes);
    }
    if (thread_records(t)) {
        write_begin(t, rec_word(REC_START, domain), id, attributes);
    }
    thread_leave(t);
    return id;
}

void event_end(uint32_t domain, nvtxRangeId_t id, const struct ext_data *data, size_t count) {
    uint64_t ticks = clock_ticks(file_clock);
    struct thread *t = id ? thread_enter_domain(domain) : NULL;

    if (!t) {
        return;
    }
    if (thread_records(t)) {
        record_payload(&t->stream, domain, data, count);
        record_write_words(&t->stream, rec_word(REC_END, domain), ticks, &id, 1);
    }
    if (handle_is_capture(domain)) {
        capture_ended(id);
    }
    thread_leave(t);
}

uint64_t event_begin_payload(uint32_t domain, enum rec_kind kind, const struct ext_data *data,
                             size_t count) {
    struct thread *t = thread_enter_domain(domain);

    if (!t) {
        return kind == REC_PUSH ? (uint64_t)NVTX_NO_PUSH_POP_TRACKING : 0;
    }
    uint64_t depth = kind == REC_PUSH ? t->depth[domain]++ : 0;
    uint64_t id = kind == REC_START ? thread_new_range(t) : 0;
    if (thread_records(t)) {
        record_payload(&t->stream, domain, data, count);
        record_write_event(&t->stream, rec_word(kind, domain), id, 0, NULL);
    }
    thread_leave(t);
    return kind == REC_PUSH ? depth : id;
}

void event_count(uint32_t domain, uint64_t counter, enum rec_payload type, uint64_t value) {
    struct thread *t = enter_open(domain);

    if (t) {
        record_write_words(&t->stream, rec_word(REC_COUNT, domain) | (uint64_t)type << 5,
                           clock_ticks(file_clock), (uint64_t[]){counter, value}, 2);
        thread_leave(t);
    }
}

void event_extended(uint32_t domain, enum rec_extended what, const struct stream_piece *pieces,
                    size_t count) {
    struct thread *t = enter_open(domain);
    size_t size = 0;

    if (!t) {
        return;
    }
    size_t most = stream_longest(&t->stream);
    for (size_t i = 0; i < count && size <= most; i++) {
        size_t piece = pieces[i].size && !pieces[i].bytes ? SIZE_MAX : pieces[i].size;
        size = piece > most - size ? SIZE_MAX : size + piece;
    }
    if (size > most) {
        losses_count(REC_LOSS_POINTER);
    } else if (!stream_write_pieces(&t->stream, rec_word(REC_EXTENDED, domain), what, pieces, count,
                                    size)) {
        stream_drop(&t->stream);
    }
    thread_leave(t);
}
