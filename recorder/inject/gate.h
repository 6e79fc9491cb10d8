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

struct thread;

/* The number of the recording while events are recorded, else 0. */
extern uint32_t gate_open;

/* From these ticks on somebody must look at the clock: there is an end to the recording. */
extern uint64_t gate_check;

/* A recording begins, and ends. */
void gate_begin(uint32_t number);
void gate_end(void);

/* Looks at the clock, and opens or closes. True if events are recorded now. */
bool gate_poll(void);

/* How far from these ticks the next look may be away. */
static inline uint64_t gate_limit(uint64_t ticks)
{
    uint64_t check = __atomic_load_n(&gate_check, __ATOMIC_RELAXED);
    uint64_t far = check > ticks ? check - ticks : 0;

    return far < UINT64_C(0x7fffffff) ? far : UINT64_C(0x7fffffff);
}

/* A range in a domain of captures: before it is recorded, and after its end is. A pushed one is
 * known by its depth, others by their number. */
void gate_pushed(struct thread *t, uint32_t domain, int depth, const nvtxEventAttributes_t *a);
void gate_popped(struct thread *t, uint32_t domain, int depth);
void gate_started(uint32_t domain, uint64_t range, const nvtxEventAttributes_t *a);
void gate_ended(uint64_t range);

#endif /* NVTXH_INJECT_GATE_H */
