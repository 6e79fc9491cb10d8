/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_EVENT_H
#define NVTXH_WRITE_EVENT_H
/* What happens, written to the calling thread's stream. */
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

/* The same with payloads of the payload extension. */
struct ext_data;
int event_pop_payload(uint32_t domain, const struct ext_data *data, size_t count, uint64_t ticks);
void event_end_payload(uint32_t domain, nvtxRangeId_t id, const struct ext_data *data,
                       size_t count);

#endif /* NVTXH_WRITE_EVENT_H */
