/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_OBJECT_H
#define NVTXH_IMPL_OBJECT_H

/* The data of each linked object (executable or shared object): the state that annotations test,
 * the lock, and whether the process is about to exit. The lock serialises everything that is done
 * once: finding out who listens, making domains, registering strings, naming categories. Events
 * take no lock. NVTX 3.0 may run the tool's entry point several times when threads race for the
 * first call of NVTX, so that call is made under the lock. If a tool, called under the lock, calls
 * annotated code, this code does not wait for the lock. Not API. */

#include "../config.h"
#include "../core/arena.h"
#include "../core/compiler.h"
#include "../core/symbols.h"
#include "../core/system.h"
#include "../state.h"

#include <pthread.h>

struct nvtxh_i_object {
    uint64_t lock;           /* nvtxh_i_self() of the holder, perhaps from before a fork; 0: free */
    bool inherited;          /* this process was forked while the lock was held */
    bool exiting;            /* exit() has been called */
    bool knows_exit;         /* exit() will set `exiting` */
    uint32_t off;            /* how many names nvtxh_domain_enable has switched off */
    uint32_t switched;       /* changes with each call of nvtxh_domain_enable */
    uint32_t default_wanted; /* nvtxh_i_wanted of NVTX's default domain */
    struct nvtxh_i_switch *switches; /* the names that nvtxh_domain_enable has received */
    struct nvtxh_i_arena arena;      /* for the switches */
    char *include, *exclude;         /* the environment's lists of domains; NULL: none */
};

NVTXH_I_C_BEGIN

NVTXH_I_LINKONCE struct nvtxh_i_state nvtxh_i_state = {NVTXH_I_UNKNOWN, NVTXH_I_UNKNOWN, 0, 0};
NVTXH_I_ASSERT(sizeof(struct nvtxh_i_state) == sizeof(uint32_t), "see nvtxh_i_set_state");
NVTXH_I_LINKONCE struct nvtxh_i_object nvtxh_i_object NVTXH_I_LINKED("object");
/* Does this thread hold the lock? Also right in a forked child, where the thread has a new id. */
NVTXH_I_LINKONCE __thread bool nvtxh_i_locking NVTXH_I_LINKED("locking");

/* Takes the lock. False if this thread holds it already: the tool has called annotated code, or
 * this is a signal handler. */
NVTXH_I_COLD bool nvtxh_i_lock(int *ret_cancel) {
    uint64_t self, owner = 0;

    if (nvtxh_i_locking) {
        return false;
    }
    self = nvtxh_i_self();
    /* The tool may reach a cancellation point; a thread cancelled there would not unlock. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, ret_cancel);
    while (!__atomic_compare_exchange_n(&nvtxh_i_object.lock, &owner, self, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (owner == self) {
            pthread_setcancelstate(*ret_cancel, NULL);
            return false;
        }
        if (owner >> 32 == self >> 32) {
            owner = 0;
            sched_yield();
        }
    }
    if (owner) {
        nvtxh_i_object.inherited = true;
    }
    nvtxh_i_locking = true;
    return true;
}

NVTXH_I_COLD void nvtxh_i_unlock(int cancel) {
    nvtxh_i_locking = false;
    __atomic_store_n(&nvtxh_i_object.lock, (uint64_t)0, __ATOMIC_RELEASE);
    pthread_setcancelstate(cancel, NULL);
}

/* Under the lock: sets and clears bits of `found`. */
NVTXH_I_INLINE_LOCAL void nvtxh_i_update_found(unsigned set, unsigned clear) {
    unsigned found = __atomic_load_n(&nvtxh_i_state.found, __ATOMIC_RELAXED);

    __atomic_store_n(&nvtxh_i_state.found, (unsigned char)((found & ~clear) | set),
                     __ATOMIC_RELAXED);
}

/* In `attached`, clears the bits of WITHOUT, then sets those of WITH. NVTXH_I_DISABLED in `found`
 * clears all bits; NVTXH_I_FILTERED sets NVTXH_I_FILTER if anyone listens. Then computes `active`
 * from `attached` and `paused`. Other threads switch statistics on and off without this object's
 * lock, so the computation repeats until `attached` and `paused` have not changed during it. */
NVTXH_I_COLD void nvtxh_i_set_state(struct nvtxh_i_state *state, unsigned without, unsigned with) {
    nvtxh_i_state_word *whole = (nvtxh_i_state_word *)state;
    uint32_t before = __atomic_load_n(whole, __ATOMIC_SEQ_CST), after;
    unsigned char attached, paused;
    struct nvtxh_i_state changed;
    unsigned bits;

    do {
        __builtin_memcpy(&changed, &before, sizeof(changed));
        bits = (changed.attached & ~without) | with;
        bits &= changed.found & NVTXH_I_DISABLED ? 0 : ~(uint32_t)NVTXH_I_FILTER;
        if ((bits & (NVTXH_I_TOOL | NVTXH_I_STATS)) && (changed.found & NVTXH_I_FILTERED)) {
            bits |= NVTXH_I_FILTER;
        }
        changed.attached = (unsigned char)bits;
        __builtin_memcpy(&after, &changed, sizeof(after));
    } while (!__atomic_compare_exchange_n(whole, &before, after, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
    do {
        attached = __atomic_load_n(&state->attached, __ATOMIC_SEQ_CST);
        paused = __atomic_load_n(&state->paused, __ATOMIC_SEQ_CST);
        __atomic_store_n(&state->active, paused ? (unsigned char)0 : attached, __ATOMIC_SEQ_CST);
    } while (attached != __atomic_load_n(&state->attached, __ATOMIC_SEQ_CST) ||
             paused != __atomic_load_n(&state->paused, __ATOMIC_SEQ_CST));
}

NVTXH_I_C_END

#endif
