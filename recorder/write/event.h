/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_EVENT_H
#define NVTXH_WRITE_EVENT_H
/* Writes events to the calling thread's stream. */
#include "../format/format.h"

#include <nvtx3/nvToolsExt.h>

#include <stddef.h>
#include <stdint.h>

struct ext_data; /* payloads of the extension; NULL: there are none */

/* Push and pop return NVTX's depth: zero-based, of the range begun or ended. `ticks`: the time on entry. */
int event_push(uint32_t domain, const nvtxEventAttributes_t *attributes);
int event_push_text(const char *text); /* in the default domain, with nothing but a message */
int event_pop(uint32_t domain, const struct ext_data *data, size_t count, uint64_t ticks);
void event_mark(uint32_t domain, const nvtxEventAttributes_t *attributes);
nvtxRangeId_t event_start(uint32_t domain, const nvtxEventAttributes_t *attributes);
void event_end(uint32_t domain, nvtxRangeId_t id, const struct ext_data *data, size_t count);

/* Begins a push, range or mark with payloads in place of attributes. The range cannot begin a capture. */
uint64_t event_begin_payload(uint32_t domain, enum rec_kind kind, const struct ext_data *data,
                             size_t count); /* returns a push's depth, a range's id or 0 */
/* Writes a deferred event. */
void event_submit_payload(uint32_t domain, const struct ext_data *data, size_t count);

/* Writes a counter's sample: a number or, with REC_PAYLOAD_NONE, NVTX's number of the reason why there is none. */
void event_count(uint32_t domain, uint64_t counter, enum rec_payload type, uint64_t value);

/* Writes a REC_EXTENDED record, whose body is the pieces: see stream_write_pieces. */
struct stream_piece;
void event_extended(uint32_t domain, enum rec_extended what, const struct stream_piece *pieces, size_t count);

#endif /* NVTXH_WRITE_EVENT_H */
