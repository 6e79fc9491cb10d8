/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_CALLBACKS_H
#define NVTXH_DEVICE_CALLBACKS_H

/* What runs on threads of CUDA's driver: the host functions of a stream, and the destructor of a
 * graph's user object. The driver may hold a lock while it calls them, so these functions take no
 * lock, allocate no memory and do not call CUDA. CUDA may call them on any thread. So the tool gets
 * marks and process ranges, which may end on another thread than they began on. Not API. */

#include "../impl/event.h"
#include "lane.h"
#include "pool.h"
#include "process.h"

NVTXH_I_C_BEGIN

static inline uint64_t nvtxh_i_slot_tell_start(const struct nvtxh_i_device_slot *slot) {
    return nvtxh_i_range_tell(slot->domain, &slot->event);
}

/* In mode INTERVAL, ends the tool's range ID. In mode EVENT, makes the mark if REACHED is true. */
static inline void nvtxh_i_slot_tell_end(const struct nvtxh_i_device_slot *slot, uint64_t id,
                                         bool reached) {
    if (slot->mode & NVTXH_DEVICE_INTERVAL) {
        nvtxh_i_lane_end(slot, id);
    }
    if ((slot->mode & NVTXH_DEVICE_EVENT) && reached) {
        nvtxh_i_lane_mark(slot);
    }
}

/* --- ranges that no graph holds ------------------------------------------------------------ */

static inline void nvtxh_i_slot_begin(struct nvtxh_i_device_slot *slot, uint64_t token) {
    uint64_t state = nvtxh_i_slot_load(slot), to;

    do {
        if (!nvtxh_i_slot_holds(state, token) ||
            nvtxh_i_slot_phase(state) != NVTXH_I_SLOT_WAITING) {
            return;
        }
        to = nvtxh_i_slot_in_phase(state, state & NVTXH_I_SLOT_OVER ? NVTXH_I_SLOT_ENDING
                                                                    : NVTXH_I_SLOT_BEGINNING);
    } while (!nvtxh_i_slot_change(slot, &state, to));
    if (!(to & NVTXH_I_SLOT_OVER)) {
        if (slot->mode) {
            slot->id = nvtxh_i_slot_tell_start(slot);
        } else {
            nvtxh_i_lane_mark(slot);
        }
        state = nvtxh_i_slot_load(slot);
        do {
            to = nvtxh_i_slot_in_phase(state, !slot->mode || (state & NVTXH_I_SLOT_OVER)
                                                  ? NVTXH_I_SLOT_ENDING
                                                  : NVTXH_I_SLOT_OPEN);
        } while (!nvtxh_i_slot_change(slot, &state, to));
        if (nvtxh_i_slot_phase(to) == NVTXH_I_SLOT_OPEN) {
            return;
        }
        if (slot->mode) {
            nvtxh_i_slot_tell_end(slot, slot->id, true);
        }
    }
    nvtxh_i_slot_free(slot);
}

/* Ends a range that has not ended yet. REACHED: the stream has reached the range's end; false: the
 * range is cancelled. */
static inline void nvtxh_i_slot_end(struct nvtxh_i_device_slot *slot, uint64_t token,
                                    bool reached) {
    uint64_t state = nvtxh_i_slot_load(slot), to;

    do {
        if (!nvtxh_i_slot_holds(state, token) || nvtxh_i_slot_phase(state) == NVTXH_I_SLOT_ENDING ||
            (state & NVTXH_I_SLOT_OVER)) {
            return;
        }
        to = nvtxh_i_slot_phase(state) == NVTXH_I_SLOT_OPEN
                 ? nvtxh_i_slot_in_phase(state, NVTXH_I_SLOT_ENDING)
                 : state | NVTXH_I_SLOT_OVER;
    } while (!nvtxh_i_slot_change(slot, &state, to));
    if (nvtxh_i_slot_phase(state) == NVTXH_I_SLOT_OPEN) {
        nvtxh_i_slot_tell_end(slot, slot->id, reached);
        nvtxh_i_slot_free(slot);
    } else if (reached && nvtxh_i_slot_phase(state) == NVTXH_I_SLOT_WAITING) {
        nvtxh_i_tally(&nvtxh_i_device.lost); /* the end came before the beginning */
    }
}

/* --- ranges that a graph holds --------------------------------------------------------------- */

/* Every replay (launch of the graph) begins and ends the range. If two instantiations of the graph
 * run at once, both begin the range: the tool gets the first beginning and the last end. A range
 * whose end was not captured never begins, because it would never end. */
static inline void nvtxh_i_slot_replay_begin(struct nvtxh_i_device_slot *slot, uint64_t token) {
    uint64_t state = nvtxh_i_slot_load(slot), to;

    if (!slot->mode) {
        nvtxh_i_lane_mark(slot);
        return;
    }
    do {
        if (!nvtxh_i_slot_holds(state, token) || nvtxh_i_slot_phase(state) == NVTXH_I_SLOT_ENDING) {
            return;
        }
        if (!(state & NVTXH_I_SLOT_END_SENT) ||
            (state & NVTXH_I_SLOT_DEPTH_MASK) == NVTXH_I_SLOT_DEPTH_MASK) {
            nvtxh_i_tally(&nvtxh_i_device.lost);
            return;
        }
        to = state + NVTXH_I_SLOT_DEPTH;
        if (nvtxh_i_slot_phase(state) == NVTXH_I_SLOT_WAITING) {
            to = nvtxh_i_slot_in_phase(to, NVTXH_I_SLOT_BEGINNING);
            to = (to & ~(uint64_t)0xffff0000u) | ((to + NVTXH_I_SLOT_EPOCH) & 0xffff0000u);
        }
    } while (!nvtxh_i_slot_change(slot, &state, to));
    if (nvtxh_i_slot_phase(state) != NVTXH_I_SLOT_WAITING) {
        nvtxh_i_tally(&nvtxh_i_device.lost);
        return;
    }
    __atomic_store_n(&slot->id, nvtxh_i_slot_tell_start(slot), __ATOMIC_RELAXED);
    state = nvtxh_i_slot_load(slot);
    do {
        to = nvtxh_i_slot_in_phase(state, state & NVTXH_I_SLOT_DEPTH_MASK ? NVTXH_I_SLOT_OPEN
                                                                          : NVTXH_I_SLOT_ENDING);
    } while (!nvtxh_i_slot_change(slot, &state, to));
    if (nvtxh_i_slot_phase(to) == NVTXH_I_SLOT_OPEN) {
        return;
    }
    nvtxh_i_slot_tell_end(slot, slot->id, true); /* the end came during nvtxh_i_slot_tell_start() */
    __atomic_store_n(&slot->state, nvtxh_i_slot_in_phase(to, NVTXH_I_SLOT_WAITING),
                     __ATOMIC_RELEASE);
}

static inline void nvtxh_i_slot_replay_end(struct nvtxh_i_device_slot *slot, uint64_t token) {
    uint64_t state = nvtxh_i_slot_load(slot), to, id;

    if (!(slot->mode & NVTXH_DEVICE_INTERVAL)) {
        nvtxh_i_slot_tell_end(slot, 0, true);
        return;
    }
    do {
        if (!nvtxh_i_slot_holds(state, token) || nvtxh_i_slot_phase(state) == NVTXH_I_SLOT_ENDING) {
            return;
        }
        if (!(state & NVTXH_I_SLOT_DEPTH_MASK)) {
            nvtxh_i_tally(&nvtxh_i_device.lost); /* the end came before the beginning */
            return;
        }
        id = __atomic_load_n(&slot->id, __ATOMIC_RELAXED);
        to = state - NVTXH_I_SLOT_DEPTH;
        if (!(to & NVTXH_I_SLOT_DEPTH_MASK) && nvtxh_i_slot_phase(to) == NVTXH_I_SLOT_OPEN) {
            to = nvtxh_i_slot_in_phase(to, NVTXH_I_SLOT_WAITING);
        }
    } while (!nvtxh_i_slot_change(slot, &state, to));
    if (nvtxh_i_slot_phase(state) == NVTXH_I_SLOT_OPEN &&
        nvtxh_i_slot_phase(to) == NVTXH_I_SLOT_WAITING) {
        nvtxh_i_slot_tell_end(slot, id, true);
    }
}

/* --- the host functions ----------------------------------------------------------------------- */

static inline void nvtxh_i_token_begin(uint64_t token) {
    struct nvtxh_i_device_slot *slot = nvtxh_i_slot_at(token);
    uint64_t state = slot ? nvtxh_i_slot_load(slot) : 0;

    if (!slot || !nvtxh_i_slot_holds(state, token)) {
        return;
    }
    if (state & NVTXH_I_SLOT_CAPTURED) {
        nvtxh_i_slot_replay_begin(slot, token);
    } else {
        nvtxh_i_slot_begin(slot, token);
    }
}

static inline void nvtxh_i_token_end(uint64_t token, bool reached) {
    struct nvtxh_i_device_slot *slot = nvtxh_i_slot_at(token);
    uint64_t state = slot ? nvtxh_i_slot_load(slot) : 0;

    if (!slot || !nvtxh_i_slot_holds(state, token)) {
        return;
    }
    if (state & NVTXH_I_SLOT_CAPTURED) {
        nvtxh_i_slot_replay_end(slot, token);
    } else {
        nvtxh_i_slot_end(slot, token, reached);
    }
}

static inline void NVTXH_I_HOST_CALL nvtxh_i_host_begin(void *token) {
    if (!nvtxh_i_device_exiting()) {
        nvtxh_i_token_begin((uintptr_t)token);
    }
}

static inline void NVTXH_I_HOST_CALL nvtxh_i_host_end(void *token) {
    if (!nvtxh_i_device_exiting()) {
        nvtxh_i_token_end((uintptr_t)token, true);
    }
}

/* Ends the previous range, and begins the token's range. Reads `previous` before the state: if the
 * state then shows that the slot still belongs to the token, `previous` is valid. */
static inline void NVTXH_I_HOST_CALL nvtxh_i_host_next(void *data) {
    uint64_t token = (uintptr_t)data, previous;
    struct nvtxh_i_device_slot *slot = nvtxh_i_slot_at(token);

    if (!slot || nvtxh_i_device_exiting()) {
        return;
    }
    previous = __atomic_load_n(&slot->previous, __ATOMIC_ACQUIRE);
    if (!nvtxh_i_slot_holds(nvtxh_i_slot_load(slot), token)) {
        return;
    }
    nvtxh_i_token_end(previous, true);
    nvtxh_i_token_begin(token);
}

/* CUDA calls this when a graph and all its clones and instantiations are destroyed. Frees the slot
 * that the graph held. */
static inline void NVTXH_I_HOST_CALL nvtxh_i_host_destroy(void *data) {
    uint64_t token = (uintptr_t)data, state;
    struct nvtxh_i_device_slot *slot = nvtxh_i_slot_at(token);

    if (!slot || nvtxh_i_device_exiting()) {
        return;
    }
    state = nvtxh_i_slot_load(slot);
    do {
        if (!nvtxh_i_slot_holds(state, token)) {
            return;
        }
    } while (!nvtxh_i_slot_change(slot, &state, nvtxh_i_slot_in_phase(state, NVTXH_I_SLOT_ENDING)));
    if (nvtxh_i_slot_phase(state) == NVTXH_I_SLOT_OPEN) {
        nvtxh_i_slot_tell_end(slot, slot->id, false); /* an error has stopped a replay */
        nvtxh_i_tally(&nvtxh_i_device.lost);
    }
    nvtxh_i_slot_free(slot);
}

NVTXH_I_C_END

#endif
