/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "event_payload.h"
#include "losses.h"
#include "record_payload.h"
#include "record_write.h"
#include "thread.h"

int event_payload_push(uint32_t domain, const struct ext_data *data, size_t count)
{
    struct thread *t = thread_enter_domain(domain);

    if (!t) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    int depth = (int)t->depth[domain]++;
    if (thread_records(t)) {
        record_payload(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);
        record_write_event(&t->stream, rec_word(REC_PUSH, domain), 0, 0, NULL);
    }
    thread_leave(t);
    return depth;
}

void event_payload_mark(uint32_t domain, const struct ext_data *data, size_t count)
{
    struct thread *t = thread_enter_domain(domain);

    if (!t) {
        return;
    }
    if (thread_records(t)) {
        record_payload(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);
        record_write_event(&t->stream, rec_word(REC_MARK, domain), 0, 0, NULL);
    }
    thread_leave(t);
}

nvtxRangeId_t event_payload_start(uint32_t domain, const struct ext_data *data, size_t count)
{
    struct thread *t = thread_enter_domain(domain);

    if (!t) {
        return 0;
    }
    uint64_t id = thread_new_range(t);
    if (thread_records(t)) {
        record_payload(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);
        record_write_event(&t->stream, rec_word(REC_START, domain), id, 0, NULL);
    }
    thread_leave(t);
    return id;
}

void event_payload_submit(uint32_t domain, const struct ext_data *data, size_t count)
{
    struct thread *t = thread_enter_domain(domain);

    if (!t) {
        return;
    }
    if (thread_records(t)) {
        record_payload(&t->stream, domain, REC_EXTENDED_EVENT, data, count);
    }
    thread_leave(t);
}

static void write_count(struct thread *t, uint64_t word, uint64_t counter, uint64_t value)
{
    uint64_t ticks = clock_ticks(file_clock);
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

void event_payload_count(uint32_t domain, uint64_t counter, enum rec_payload type, uint64_t value)
{
    struct thread *t = thread_enter_domain(domain);

    if (!t) {
        return;
    }
    if (thread_records(t)) {
        write_count(t, rec_word(REC_COUNT, domain) | (uint64_t)type << 5, counter, value);
    }
    thread_leave(t);
}

void event_payload_pieces(uint32_t domain, enum rec_extended what,
                          const struct stream_piece *pieces, size_t count)
{
    struct thread *t = thread_enter_domain(domain);
    size_t size = 0;

    if (!t) {
        return;
    }
    if (thread_records(t)) {
        size_t most = stream_longest(&t->stream);
        for (size_t i = 0; i < count && size <= most; i++) {
            size_t piece = pieces[i].size && !pieces[i].bytes ? SIZE_MAX : pieces[i].size;
            size = piece > most - size ? SIZE_MAX : size + piece;
        }
        if (size > most) {
            losses_count(REC_LOSS_POINTER);
        } else if (!stream_write_pieces(&t->stream, rec_word(REC_EXTENDED, domain), what, pieces,
                                        count, size)) {
            stream_drop(&t->stream);
        }
    }
    thread_leave(t);
}
