/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_EVENT_PAYLOAD_H
#define NVTXH_WRITE_EVENT_PAYLOAD_H
/* Events of the extensions, written to the calling thread's stream: payloads instead of attributes, samples, and
 * whatever else is bytes. Ranges end by the functions of event.h. */
#include "../format/format.h"

#include <nvtx3/nvToolsExt.h>

#include <stddef.h>
#include <stdint.h>

struct ext_data;
int event_payload_push(uint32_t domain, const struct ext_data *data, size_t count);
void event_payload_mark(uint32_t domain, const struct ext_data *data, size_t count);
nvtxRangeId_t event_payload_start(uint32_t domain, const struct ext_data *data, size_t count);

/* A deferred event. */
void event_payload_submit(uint32_t domain, const struct ext_data *data, size_t count);

/* A sample of a counter: a number, or with REC_PAYLOAD_NONE the reason why there is none. */
void event_payload_count(uint32_t domain, uint64_t counter, enum rec_payload type, uint64_t value);

/* A record of an extension: see stream_write_pieces. */
struct stream_piece;
void event_payload_pieces(uint32_t domain, enum rec_extended what,
                          const struct stream_piece *pieces, size_t count);

#endif /* NVTXH_WRITE_EVENT_PAYLOAD_H */
