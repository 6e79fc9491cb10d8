/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_POOL_H
#define NVTXH_DEVICE_POOL_H

#include "../core/symbols.h"
/* The pool of device ranges. All that is known of a range is in a slot of a static table. A host
 * function gets a token instead of a pointer: the slot's number and its generation, which changes
 * with every use of the slot. So a call that comes late, twice or after its range was given up
 * finds another generation in the slot and does nothing. The same holds for a stale handle. Not
 * API.
 *
 * A slot's state is one word. The upper 32 bits are the generation, the lower ones a phase and
 * flags. Where several threads may change it, they use compare-and-swap.
 *
 *   not captured:  FREE > WAITING > BEGINNING > OPEN > ENDING > FREE
 *     FREE       in the free list, or taken out of the list by the thread that fills the slot
 *     WAITING    its first host function has not run yet. If OVER is set, the range has ended or
 *                was cancelled, and the host function frees the slot
 *     BEGINNING  the tool is being called. If OVER is set during the call, the calling thread then
 *                ends the range
 *     OPEN       begun
 *     ENDING     the tool is being called, or the slot is being freed
 *   captured by a graph:  FREE > WAITING > BEGINNING > OPEN > WAITING > ... > FREE
 *     and DEPTH counts the replays that have begun the range and not ended it: see callbacks.h */

#include "../impl/nvtx.h"
#include "calls.h"
#include "types.h"

enum {
    NVTXH_I_SLOT_PHASE = 0x7,
    NVTXH_I_SLOT_FREE = 0,
    NVTXH_I_SLOT_WAITING = 1,
    NVTXH_I_SLOT_BEGINNING = 2,
    NVTXH_I_SLOT_OPEN = 3,
    NVTXH_I_SLOT_ENDING = 4,
    NVTXH_I_SLOT_END_SENT = 0x8, /* an end has been enqueued */
    NVTXH_I_SLOT_OVER = 0x10,
    NVTXH_I_SLOT_CAPTURED = 0x20, /* the slot belongs to a graph */
    NVTXH_I_SLOT_DEPTH = 0x100,   /* one replay that has begun the range and not ended it */
    NVTXH_I_SLOT_DEPTH_MASK = 0xff00,
    NVTXH_I_SLOT_EPOCH = 0x10000, /* 16 bits count replays, so that a new `id` changes the state */
};

enum { NVTXH_I_DEVICE_TEXT = 144 }; /* bytes of a formatted message, with the final zero */

struct nvtxh_i_device_slot {
    uint64_t state;
    uint64_t previous; /* the token of the range that ends where this slot's range begins */
    uint64_t id;       /* the tool's id of the range while it is open */
    uint64_t capture;  /* the number of the stream capture, or 0 */
    struct nvtxh_domain *domain;
    nvtxh_i_stream stream; /* the stream in which the range began */
    uint32_t next;         /* index + 1 of the next slot in the free list */
    uint32_t mode;         /* the mode when the range began; of a mark: 0 */
    uint32_t scope;        /* the id of the stream's scope: see lane.h; 0: none */
    nvtxEventAttributes_t event;
    char text[NVTXH_I_DEVICE_TEXT]; /* the formatted message of `event` */
};
NVTXH_I_ASSERT(sizeof(struct nvtxh_i_device_slot) == 256, "see NVTXH_DEVICE_RANGES");
NVTXH_I_ASSERT(NVTXH_DEVICE_RANGES > 0 && NVTXH_DEVICE_RANGES <= 1 << 24,
               "NVTXH_DEVICE_RANGES is a number from 1 to 16777216");

struct nvtxh_i_device_pool {
    /* Ends a range of this pool. Other linked objects call it if they have the range's handle. */
    nvtxh_i_status (*end)(nvtxh_i_stream stream, struct nvtxh_device_range range);
    uint64_t free_slots; /* index + 1 of the first free slot; upper half: a count against ABA */
    uint32_t n_used;     /* how many slots have ever been used */
    uint32_t mode;       /* what nvtxh_device_mode() returns; bit 31 is set once it is known */
    /* `ready`: the preparations of process.h are done. `exiting`: exit() was called. */
    unsigned char ready, exiting;
    uint64_t lost, cancelled, exhausted; /* see struct nvtxh_device_counts */
};

NVTXH_I_C_BEGIN

/* end.h defines nvtxh_i_device */
extern NVTXH_I_HIDDEN struct nvtxh_i_device_pool nvtxh_i_device NVTXH_I_LINKED("device");
/* The slots are not a member of the pool: as a variable of their own, which is all zero, they take
 * no space in the object file (.bss). */
NVTXH_I_LINKONCE struct nvtxh_i_device_slot nvtxh_i_slots[NVTXH_DEVICE_RANGES] NVTXH_I_LINKED(
    "slots");

static inline void nvtxh_i_tally(uint64_t *counter) {
    __atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED);
}

static inline uint64_t nvtxh_i_slot_load(struct nvtxh_i_device_slot *slot) {
    return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
}

/* Changes the slot's state from *STATE to TO. On failure, *STATE becomes the slot's state. */
static inline bool nvtxh_i_slot_change(struct nvtxh_i_device_slot *slot, uint64_t *state,
                                       uint64_t to) {
    return __atomic_compare_exchange_n(&slot->state, state, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

static inline uint32_t nvtxh_i_slot_phase(uint64_t state) {
    return (uint32_t)state & NVTXH_I_SLOT_PHASE;
}

static inline uint64_t nvtxh_i_slot_in_phase(uint64_t state, uint32_t phase) {
    return (state & ~(uint64_t)NVTXH_I_SLOT_PHASE) | phase;
}

/* The slot of a token; NULL: the token is invalid. */
static inline struct nvtxh_i_device_slot *nvtxh_i_slot_at(uint64_t token) {
    uint32_t number = (uint32_t)token;

    return number - 1 < NVTXH_DEVICE_RANGES ? &nvtxh_i_slots[number - 1] : NULL;
}

/* Does a slot in this state still belong to the token? */
static inline bool nvtxh_i_slot_holds(uint64_t state, uint64_t token) {
    return state >> 32 == token >> 32 && nvtxh_i_slot_phase(state) != NVTXH_I_SLOT_FREE;
}

/* Allocates a slot that has never been used; NULL: there is none. */
NVTXH_I_COLD struct nvtxh_i_device_slot *nvtxh_i_slot_new(void) {
    uint32_t n = __atomic_load_n(&nvtxh_i_device.n_used, __ATOMIC_RELAXED);

    while (n < NVTXH_DEVICE_RANGES) {
        if (__atomic_compare_exchange_n(&nvtxh_i_device.n_used, &n, n + 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            return &nvtxh_i_slots[n];
        }
    }
    nvtxh_i_tally(&nvtxh_i_device.exhausted);
    return NULL;
}

/* Allocates a slot; its new token is *RET_TOKEN. NULL: all are taken. Generations are never 0. The
 * slot's state stays FREE until the caller sets it. */
NVTXH_I_HOT struct nvtxh_i_device_slot *nvtxh_i_slot_alloc(uint64_t *ret_token) {
    uint64_t head = __atomic_load_n(&nvtxh_i_device.free_slots, __ATOMIC_ACQUIRE), next;
    uint32_t number = (uint32_t)head, generation;
    struct nvtxh_i_device_slot *slot;

    for (;;) {
        if (NVTXH_I_UNLIKELY(!number)) {
            slot = nvtxh_i_slot_new();
            if (!slot) {
                return slot;
            }
            number = (uint32_t)(slot - nvtxh_i_slots) + 1;
            break;
        }
        slot = &nvtxh_i_slots[number - 1];
        next = (((head >> 32) + 1) << 32) | __atomic_load_n(&slot->next, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&nvtxh_i_device.free_slots, &head, next, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
            break;
        }
        number = (uint32_t)head;
    }
    generation = (uint32_t)(nvtxh_i_slot_load(slot) >> 32) + 1;
    *ret_token = (uint64_t)(generation ? generation : 1) << 32 | number;
    return slot;
}

/* Puts a slot, whose state is FREE already, into the free list. */
static inline void nvtxh_i_slot_put(struct nvtxh_i_device_slot *slot) {
    uint64_t head = __atomic_load_n(&nvtxh_i_device.free_slots, __ATOMIC_RELAXED), next;

    do {
        __atomic_store_n(&slot->next, (uint32_t)head, __ATOMIC_RELAXED);
        next = (((head >> 32) + 1) << 32) | (uint32_t)(slot - nvtxh_i_slots + 1);
    } while (!__atomic_compare_exchange_n(&nvtxh_i_device.free_slots, &head, next, false,
                                          __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Frees a slot that no other thread uses: its phase is ENDING, or it has not been published. */
static inline void nvtxh_i_slot_free(struct nvtxh_i_device_slot *slot) {
    uint64_t state = nvtxh_i_slot_load(slot);

    __atomic_store_n(&slot->state, state & ~(uint64_t)UINT32_MAX, __ATOMIC_RELEASE);
    nvtxh_i_slot_put(slot);
}

NVTXH_I_C_END

#endif
