/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_SPAN_OUTPUT_H
#define NVTXH_SPANS_SPAN_OUTPUT_H
/* Where the spans of a process go. */
#include "../read/recording.h"
#include "../source/span.h"

/* What turns records of a process into spans. */
struct span_output {
    struct recording *recording;
    struct process *process;
    uint32_t stream;  /* the stream that is being read */
    span_function *f; /* receives the spans, with `arg` */
    void *arg;
    struct span_blobs payload;      /* of the next event */
    struct deferred_halves *halves; /* takes deferred halves of ranges; NULL: they become marks */
    uint64_t *unplaced;             /* counts deferred events of unknown clocks; may be NULL */
};

/* A span without a length: a mark, or a sample of a counter. */
static inline struct span span_output_instant(const struct span_output *p, uint32_t domain, uint32_t text, uint32_t tid,
                                              int64_t now, enum span_style style)
{
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

/* Hands out a span that was kept since its beginning. The recording may have been opened again since. */
static inline void span_output_kept(const struct span_output *p, struct span *span)
{
    span->process = p->process->source;
    p->f(p->arg, span);
}

/* Whether an end without a beginning is an error. Otherwise the beginning may be missing: in a forked child's parent,
 * behind a closed gate, or in overwritten chunks of a ring. */
static inline bool span_output_is_error(const struct span_output *p)
{
    const struct process *process = p->process;
    return !process->info.forked && !process->gate_count && !process->info.ring;
}

#endif /* NVTXH_SPANS_SPAN_OUTPUT_H */
