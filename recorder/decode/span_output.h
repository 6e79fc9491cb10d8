/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Makes spans of the records that engine.c does not handle itself: samples of counters, uses of
 * synchronization objects. struct span_output says where spans go. */
#include "cursor.h"
#include "recording.h"
#include "../analysis/span.h"

/* How records of a process become spans, and where the spans go. */
struct span_output {
    struct recording *recording;
    struct process *process;
    uint32_t stream;  /* the stream that is being read */
    span_function *f; /* receives the spans, with `arg` */
    void *arg;
    struct span_blobs payload; /* the payload of the next event */
};

/* A span without a length: a mark, or a sample of a counter. */
static inline struct span span_output_instant(const struct span_output *p, uint32_t domain,
                                              uint32_t text, uint32_t tid, int64_t now,
                                              enum span_style style) {
    return (struct span){.style = style,
                         .process = p->process->source,
                         .tid = tid,
                         .end_tid = tid,
                         .stream = p->stream,
                         .start = now,
                         .end = now,
                         .domain = domain,
                         .domain_name = source_domain(p->process->source, domain),
                         .text = text};
}

/* Hands out a span that was kept since its beginning was read. Sets span->process again, because
 * the process has a new struct if the recording was opened again since then. */
static inline void span_output_kept(const struct span_output *p, struct span *span) {
    span->process = p->process->source;
    p->f(p->arg, span);
}

/* Moves a process range or mark from its thread to the lane of the name that a scope had at the
 * span's start. `i`: index + 1 in schemas.names of this name or a later one; 0: does nothing. */
static inline void span_output_lane(const struct span_output *p, struct span *span, uint32_t i) {
    const struct schemas *s = &p->process->schemas;

    if (!i || i > s->name_count) {
        return;
    }
    while (s->names[i - 1].before &&
           recording_ns(p->recording, p->process, s->names[i - 1].ticks) > span->start) {
        i = s->names[i - 1].before;
    }
    span->tid = span->end_tid = span->stream = SOURCE_LANES + i;
}

/* Whether an end without a beginning is an error. It is not if the beginning may be in the
 * parent of a forked child, in a time that was not recorded, or in overwritten chunks. */
static inline bool span_output_is_error(const struct span_output *p) {
    const struct process *process = p->process;
    return !process->info.forked && !process->gate_count && !process->info.ring;
}

/* Hand out a record of kind REC_COUNT or REC_EXTENDED as spans. A payload is no span: it is kept in
 * p->payload for the event that follows it. */
void span_extended_count(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);
void span_extended_record(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);

/* Attaches the payload kept in p->payload to a span. If the payload has a scope, a process range or
 * mark goes to the scope's lane. If the payload has a message, a span without a message gets it. */
void span_extended_attach(struct span_output *p, struct span *span);

/* --- payloads that have a schema -------------------------------------------------------------- */

/* Receives the values of a payload. The payload of an event is stored as blobs (struct rec_blob); a
 * sample of a counter is one value without a blob's header. An entry without a name is named by its
 * index. */
struct payload_reader {
    struct payload_visitor to;
    bool hidden; /* visit the entries that are marked as hidden, too */
    /* Set by the decoder: */
    unsigned depth;                   /* number of structs and arrays around the value */
    uint64_t type;                    /* of the value; not valid for a text */
    const struct schema_entry *entry; /* the entry of the value, or NULL */
};

/* Decodes the blobs of an event. A value that cannot be read is VALUE_NOTHING. The value of a blob
 * has the name of the blob's schema. Without such a name, it is called `unnamed` in the event's
 * first blob, `unnamed`[1] in the second, and so on. True: there were more values than the
 * limits allow. */
bool payload_visit(struct recording *r, const struct process *p, uint32_t domain, const char *blobs,
                   size_t size, const char *unnamed, struct payload_reader *reader);

/* Like payload_visit, for one value without blobs, such as a sample of a counter. */
void payload_visit_one(struct recording *r, const struct process *p, uint32_t domain, uint64_t type,
                       const char *bytes, size_t size, struct payload_reader *reader);
