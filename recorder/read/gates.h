/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_GATES_H
#define NVTXH_READ_GATES_H
/* The gates of a process say when it was recorded and when it was not. */
#include "recording.h"

/* Adds a gate from the stream of definitions. Ignores one that is earlier than the gate before it, or of the same
 * kind. */
void gates_take(struct process *p, const char *body, uint32_t size, bool open);

/* Whether the process was recorded before its first gate. */
static inline bool gates_open_first(const struct process *p)
{
    return !p->gate_count || !p->gates[0].open;
}

/* The end of a range: `end`, or the time at which the next gate after `start` closes, if that is earlier. */
int64_t gates_cut(struct recording *r, struct process *p, int64_t start, int64_t end);

#endif /* NVTXH_READ_GATES_H */
