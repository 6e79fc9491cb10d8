/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Writes events to the calling thread's stream (its records in the file), for NVTX's callbacks.
 * Some of these callbacks are declared here, too: those of the fast path for pushes and pops. */
#include "../format/format.h"

#include <nvtx3/nvToolsExt.h>
#include <stddef.h>
#include <stdint.h>

struct ext_data; /* payloads of the payload extension; NULL: none */

/* event_push and event_pop return NVTX's depth, from 0, of the range that begins or ends. `ticks`:
 * when the pop was called. */
int event_push(uint32_t domain, const nvtxEventAttributes_t *attributes);
int event_pop(uint32_t domain, const struct ext_data *data, size_t count, uint64_t ticks);
void event_mark(uint32_t domain, const nvtxEventAttributes_t *attributes);
nvtxRangeId_t event_start(uint32_t domain, const nvtxEventAttributes_t *attributes);
void event_end(uint32_t domain, nvtxRangeId_t id, const struct ext_data *data, size_t count);

/* Writes a push, a mark or the start of a process range with payloads in place of attributes. Such
 * a range cannot be a capture (session.h). */
uint64_t event_begin_payload(uint32_t domain, enum rec_kind kind, const struct ext_data *data,
                             size_t count); /* returns a push's depth, a range's id; mark: 0 */

/* Writes a counter's sample: a number or, with REC_PAYLOAD_NONE, NVTX's reason for having none. */
void event_count(uint32_t domain, uint64_t counter, enum rec_payload type, uint64_t value);

/* Writes a REC_EXTENDED record, whose body is the pieces: see stream_write_pieces. */
struct stream_piece;
void event_extended(uint32_t domain, enum rec_extended what, const struct stream_piece *pieces,
                    size_t count);

/* The callbacks of pushes and pops that entry_core.c usually uses (see fast_callbacks). A pop, or a
 * push that has a preset, takes the fast path if the chunk has room. Everything else goes to the
 * functions of entry_slow.c. */
int entry_fast_push(const nvtxEventAttributes_t *a);
int entry_fast_push_text(const char *text);
int entry_fast_pop(void);
int entry_fast_domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a);
int entry_fast_domain_pop(nvtxDomainHandle_t domain);

/* The slow path, which calls event_push and event_pop. It is in a file of its own, because it would
 * take registers from the fast path if the compiler inlined it. */

/* How far the fast path got. */
enum progress {
    WRITTEN, /* the event is recorded */
    NOTHING, /* nothing has changed */
    BEGUN,   /* the thread is marked busy */
    COUNTED  /* the thread is marked busy, and its depth was increased by 1 */
};

#define ENTRY_SLOW __attribute__((cold))

ENTRY_SLOW int entry_slow_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a,
                               enum progress done);
ENTRY_SLOW int entry_slow_push_text(const char *text, enum progress done);

/* `low` and `high` are the halves of the ticks, as the processor returns them. */
ENTRY_SLOW int entry_slow_pop(nvtxDomainHandle_t domain, uint32_t low, uint32_t high,
                              enum progress done);
