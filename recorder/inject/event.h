/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_EVENT_H
#define NVTXH_INJECT_EVENT_H
/* What happens, written to the calling thread's stream. */
#include "../format/format.h"

#include <nvtx3/nvToolsExt.h>

#include <stddef.h>
#include <stdint.h>

/* Push and pop return the depth as NVTX defines it: zero-based, of the range begun or ended. A pop
 * brings the time at which it came in. */
int event_push(uint32_t domain, const nvtxEventAttributes_t *attributes);
int event_push_text(const char *text); /* the default domain, nothing but a message */
int event_pop(uint32_t domain, uint64_t ticks);
void event_mark(uint32_t domain, const nvtxEventAttributes_t *attributes);
nvtxRangeId_t event_start(uint32_t domain, const nvtxEventAttributes_t *attributes);
void event_end(uint32_t domain, nvtxRangeId_t id);

/* The same with what the payload extension gives instead of attributes. */
struct ext_data;
int event_push_payload(uint32_t domain, const struct ext_data *data, size_t count);
int event_pop_payload(uint32_t domain, const struct ext_data *data, size_t count, uint64_t ticks);
void event_mark_payload(uint32_t domain, const struct ext_data *data, size_t count);
nvtxRangeId_t event_start_payload(uint32_t domain, const struct ext_data *data, size_t count);
void event_end_payload(uint32_t domain, nvtxRangeId_t id, const struct ext_data *data,
                       size_t count);

/* A deferred event. */
void event_submit(uint32_t domain, const struct ext_data *data, size_t count);

/* A sample of a counter: a number, or with REC_PAYLOAD_NONE the reason why there is none. */
void event_count(uint32_t domain, uint64_t counter, enum rec_payload type, uint64_t value);

/* A record of an extension: the body is what stands in `parts`, one after the other. */
struct event_part {
    const void *bytes;
    size_t size;
};
void event_parts(uint32_t domain, enum rec_extended what, const struct event_part *parts,
                 size_t count);
void event_extended(uint32_t domain, enum rec_extended what, const void *body, size_t size);

#endif /* NVTXH_INJECT_EVENT_H */
