/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_OBJECT_H
#define NVTXH_IMPL_OBJECT_H

/*
 * What a linked object (executable or shared object) has one of: the state that annotations ask, the
 * lock, and whether the process is about to exit. Not API.
 *
 * The lock serialises all that is done once: finding out who listens, making domains, registering
 * strings, naming categories. Events take no lock. NVTX 3.0 may run the tool's entry point several
 * times when threads race for the first call, so the first call is made under the lock. A forked
 * child may inherit the lock from a thread that it does not have: the lock holds a process id, and
 * is free to whoever finds a foreign one. A tool that calls annotated code from within is not
 * waited for.
 */

#include "../config.h"
#include "../core/compiler.h"
#include "../core/symbols.h"
#include "../state.h"

#if NVTXH_I_IMPL

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

struct nvtxh_i_object {
    uint32_t lock;   /* the process id of the holder */
    bool inherited;  /* the lock was, from the process we were forked from */
    bool exiting;    /* exit() has been called */
    bool knows_exit; /* `exiting` will be set */
};

NVTXH_I_C_BEGIN

extern struct nvtxh_i_object nvtxh_i_object NVTXH_I_HIDDEN;
extern __thread bool nvtxh_i_locking NVTXH_I_HIDDEN;

NVTXH_I_LINKONCE struct nvtxh_i_state nvtxh_i_state = {NVTXH_I_UNKNOWN, NVTXH_I_UNKNOWN, 0, 0};
NVTXH_I_LINKONCE struct nvtxh_i_object nvtxh_i_object;
NVTXH_I_LINKONCE __thread bool nvtxh_i_locking; /* this thread holds the lock */

/* False if this thread has it already: the tool has called annotated code. */
NVTXH_I_FN_COLD(bool, nvtxh_i_lock, (int *ret_cancel))
{
    uint32_t pid = NVTXH_I_CAST(uint32_t, getpid());
    uint32_t owner = 0;

    if (nvtxh_i_locking)
        return false;
    /* What the tool does may be a cancellation point, and nobody would unlock. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, ret_cancel);
    while (!__atomic_compare_exchange_n(&nvtxh_i_object.lock, &owner, pid, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (owner && owner != pid) {
            if (__atomic_compare_exchange_n(&nvtxh_i_object.lock, &owner, pid, false,
                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
                nvtxh_i_object.inherited = true;
                break;
            }
        }
        owner = 0;
        sched_yield();
    }
    nvtxh_i_locking = true;
    return true;
}

NVTXH_I_FN_COLD(void, nvtxh_i_unlock, (int cancel))
{
    nvtxh_i_locking = false;
    __atomic_store_n(&nvtxh_i_object.lock, 0u, __ATOMIC_RELEASE);
    pthread_setcancelstate(cancel, NVTXH_I_NULL);
}

/*
 * Who is attached, and what follows from that and from what has been asked for. Statistics are
 * switched without this object's lock: whoever comes last sees what the others have done.
 */
NVTXH_I_COLD_HERE void nvtxh_i_set_state(struct nvtxh_i_state *state, unsigned without,
                                         unsigned with)
{
    unsigned char attached = __atomic_load_n(&state->attached, __ATOMIC_SEQ_CST), paused;

    while (!__atomic_compare_exchange_n(&state->attached, &attached,
                                        NVTXH_I_CAST(unsigned char, (attached & ~without) | with),
                                        false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    do {
        attached = __atomic_load_n(&state->attached, __ATOMIC_SEQ_CST);
        paused = __atomic_load_n(&state->paused, __ATOMIC_SEQ_CST);
        __atomic_store_n(&state->active, paused ? NVTXH_I_CAST(unsigned char, 0) : attached,
                         __ATOMIC_SEQ_CST);
    } while (attached != __atomic_load_n(&state->attached, __ATOMIC_SEQ_CST) ||
             paused != __atomic_load_n(&state->paused, __ATOMIC_SEQ_CST));
}

NVTXH_I_C_END

#endif
#endif
