/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_GATE_H
#define NVTXH_INJECT_GATE_H
/*
 * When events are recorded: always, or after a delay, for a time, or while a range of a certain name
 * is open. Each change is noted in the recording, so that what was open at a closing ends there.
 */
#include "../format/clock.h"

#include <nvtx3/nvToolsExt.h>

#include <stdbool.h>
#include <stdint.h>

/* Said here too, or code that only knows a declaration goes by way of the address. */
#define GATE_HIDDEN __attribute__((visibility("hidden")))

/* The number of the recording while events are recorded, else GATE_CLOSED. */
extern uint32_t gate_open GATE_HIDDEN;
#define GATE_CLOSED (UINT32_MAX - 1)

/* The same, 0 while they are not. */
static inline uint32_t gate_recording(void)
{
    uint32_t open = __atomic_load_n(&gate_open, __ATOMIC_ACQUIRE);
    return open == GATE_CLOSED ? 0 : open;
}

/* From these ticks on somebody must look at the clock: there is an end to the recording. */
extern uint64_t gate_check GATE_HIDDEN;

/* A recording begins, and ends. */
void gate_begin(uint32_t number);
void gate_end(void);

/* Looks at the clock, and opens or closes. True if events are recorded now. */
bool gate_poll(void);

/* Whether that comes before the upper half of the ticks has changed. */
static inline bool gate_check_is_near(uint64_t ticks)
{
    return __atomic_load_n(&gate_check, __ATOMIC_RELAXED) >> 32 <= ticks >> 32;
}

/* A range in a domain of captures: before it is recorded, and after its end is. A pushed one is
 * known by its depth, others by their number. */
void gate_pushed(uint32_t domain, int depth, const nvtxEventAttributes_t *a);
void gate_popped(uint32_t domain, int depth);
void gate_started(uint32_t domain, uint64_t range, const nvtxEventAttributes_t *a);
void gate_ended(uint64_t range);

/* In a forked child: the captures of threads that are not there any more are over. */
void gate_forked(void);

#endif /* NVTXH_INJECT_GATE_H */
