/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_PAIRING_H
#define NVTXH_SPANS_PAIRING_H
/* Pairs beginnings and ends of ranges while the records of a process are read. */
#include "deferred_halves.h"
#include "nesting.h"
#include "span_extended.h"
#include "../read/cursor.h"

struct pairing {
    struct span_output out;
    span_enter *enter;
    struct span_totals *totals;
    struct deferred_halves halves; /* this process's deferred events that are half a range each */
    struct nesting nest;           /* of this stream; process ranges use its halves, too */
    bool after_gap;                /* chunks of this stream are missing before the current record */
    struct map ranges;             /* range id -> index in nest.halves */
    struct map texts;     /* number of a text in this stream -> number in recording.texts */
    int64_t process_last; /* time of the latest event of this process */
};

/* Call these before the first record of a process, and of each of its streams. */
void pairing_begin_process(struct pairing *p, struct process *process);
void pairing_begin_stream(struct pairing *p);

/* Takes an event of thread `tid`, at the time `now`. */
void pairing_event(struct pairing *p, const struct record *r, uint32_t tid, int64_t now);

/* A gate closes at `at`: the stream's open pushes end there. */
void pairing_close(struct pairing *p, int64_t at);

/* Chunks of the stream are missing after an event at `last`: the stream's open pushes end there. A later pop without
 * a push is no error, because its push may be missing. */
void pairing_gap(struct pairing *p, int64_t last);

/* Call these after the last record of a thread whose stream another thread continues, of a stream, and of a process.
 * `last` is the time of the last event, `end` that of the process's end. They give ends to ranges without an end,
 * and pairing_end_process hands these out. If a thread lost events, the ends may be among them, so its open pushes
 * end at `last`. */
void pairing_next_thread(struct pairing *p, int64_t last, bool lost_events);
void pairing_end_stream(struct pairing *p, int64_t last, bool lost_events);
void pairing_end_process(struct pairing *p, int64_t end);

void pairing_free(struct pairing *p);

#endif /* NVTXH_SPANS_PAIRING_H */
