/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_PAIRING_H
#define NVTXH_READ_PAIRING_H
/* The open ranges while the records of a process are read. */
#include "cursor.h"
#include "deferred_halves.h"
#include "nesting.h"
#include "span_extended.h"

struct pairing {
    struct span_output out;
    span_enter *enter;
    struct span_totals *totals;
    struct deferred_halves halves; /* of this process */
    struct nesting nest;           /* of this stream; process ranges use its halves, too */
    bool after_gap;                /* of this stream */
    struct map ranges;             /* range id -> half */
    struct map texts;              /* this stream's texts */
    int64_t process_last;          /* latest time in this process */
};

/* Before the first record of a process, and of each of its streams. */
void pairing_begin_process(struct pairing *p, struct process *process);
void pairing_begin_stream(struct pairing *p);

/* An event of thread `tid`, at `now`. */
void pairing_event(struct pairing *p, const struct record *r, uint32_t tid, int64_t now);

/* The recording was closed: the stream's open ranges end. */
void pairing_close(struct pairing *p, int64_t at);

/* Chunks of the stream are missing after an event at `last`: its open ranges end there. Pops of ranges that began in
 * the gap may follow. */
void pairing_gap(struct pairing *p, int64_t last);

/* Call these after the last record of a thread, at `last`, of a stream, and of a process, which ended at `end`: they
 * hand out the ranges without an end. If a thread lost events, the ends may be among them, so such ranges end where the
 * thread was last seen. Another thread may continue the stream. */
void pairing_next_thread(struct pairing *p, int64_t last, bool lost_events);
void pairing_end_stream(struct pairing *p, int64_t last, bool lost_events);
void pairing_end_process(struct pairing *p, int64_t end);

void pairing_free(struct pairing *p);

#endif /* NVTXH_READ_PAIRING_H */
