/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gates.h"
#include "../base/memory.h"

#include <assert.h>
#include <string.h>

void gates_take(struct process *p, const char *body, uint32_t size, bool open)
{
    struct gate g = {.open = open};
    const struct gate *last = p->gate_count ? &p->gates[p->gate_count - 1] : NULL;

    if (size < sizeof(g.ticks)) {
        return;
    }
    memcpy(&g.ticks, body, sizeof(g.ticks));
    if (last && (last->open == g.open || last->ticks > g.ticks)) {
        return;
    }
    ARRAY_ADD(p->gates, p->gate_count, p->gate_room);
    assert(p->gates);
    p->gates[p->gate_count++] = g;
}

int64_t gates_cut(struct recording *r, struct process *p, int64_t start, int64_t end)
{
    size_t low = 0, high = p->gate_count;

    while (low < high) { /* finds the first gate that is not before the start */
        size_t middle = low + (high - low) / 2;
        if (recording_ns(r, p, p->gates[middle].ticks) < start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low += low < p->gate_count && p->gates[low].open;
    int64_t closed = low < p->gate_count ? recording_ns(r, p, p->gates[low].ticks) : end;
    return closed < end ? closed : end;
}
