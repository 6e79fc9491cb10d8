/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_ALL_H
#define NVTXH_IMPL_ALL_H

/*
 * The only door to NVTX, and everything that is not on the fast path: finding out who listens,
 * making domains, registering strings and naming categories, each once. Not API.
 *
 * One lock serialises all of that; events take none. NVTX 3.0 may run the tool's entry point
 * several times when threads race for the first call, so the first call is made under the lock. A
 * forked child may inherit the lock from a thread that it does not have: the lock holds a process
 * id, and is free to whoever finds a foreign one. A tool that calls annotated code from within is
 * not waited for.
 */

#include "../config.h"

#if NVTXH_I_IMPL

#if defined(NVTX_NO_IMPL)
#error                                                                                             \
    "nvtxh: NVTX_NO_IMPL is defined, so the NVTX headers would have no implementation in this file. Define NVTXH_NO_IMPL as well, and NVTXH_IMPLEMENTATION in a file without NVTX_NO_IMPL."
#endif

#include "../core/symbols.h"
#include "../state.h"
#include "../color.h"
#include "../domain.h"
#include "../category.h"
#include "../core/site.h"
#include "../scope.h"
#include "../mark.h"
#include "../push.h"
#include "../range.h"
#include "../thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#if !defined(__cplusplus) && !defined(__USE_MISC)
extern long syscall(long number, ...); /* which strict C hides */
#endif

#include "nvtx.h"


/* The tool's own function, or NULL if it has none: one call less than through NVTX's. */
#define NVTXH_I_NVTX(function) (NVTX_VERSIONED_IDENTIFIER(nvtxGlobals).function##_impl_fnptr)

/* What the linked object shares. */
struct nvtxh_i_shared {
    uint32_t lock;  /* the process id of the holder */
    bool inherited; /* the lock was, from the process we were forked from */
    bool exiting;
    unsigned char left_out;     /* a push has been, on whichever thread: see impl_push.h */
    bool knows_exit;            /* on_exit will be called */
    struct nvtxh_i_slot *slots; /* one for each site in the section, in its order */
    struct nvtxh_i_further_slot *further_slots; /* all others */
    uintptr_t to_slots;                         /* from a site's address to its slot's */
    struct nvtxh_i_range_pool *range_pools;     /* see impl_range_pool.h */
};

/* Pushes left out while paused: see impl_push.h. */
#define NVTXH_I_SKIP_DOMAINS 8
#define NVTXH_I_SKIP_RUNS 8
struct nvtxh_i_skip {
    struct nvtxh_domain *domain;
    uint32_t n_runs; /* run 0 was left out, run 1 was not, ...; none: the entry is free */
    uint32_t runs[NVTXH_I_SKIP_RUNS];
};

/* A formatted message: here if it is short, on the heap up to 64 KiB. */
#define NVTXH_I_TEXT_MAX 65536
struct nvtxh_i_message {
    const char *text;
    char *heap;
    char here[512];
};

/* An event, and what its payload points at. */
struct nvtxh_i_whole_event {
    nvtxEventAttributes_t nvtx;
    struct nvtxh_i_payload_told attached;
};

struct nvtxh_i_thread {
    bool busy; /* holds the lock */
    uint32_t n_skips;
    struct nvtxh_i_skip skips[NVTXH_I_SKIP_DOMAINS];
};

NVTXH_I_C_BEGIN

extern struct nvtxh_i_shared nvtxh_i_shared NVTXH_I_HIDDEN;
extern __thread struct nvtxh_i_thread nvtxh_i_this_thread NVTXH_I_HIDDEN;
NVTXH_I_EVENT struct nvtxh_i_thread *nvtxh_i_of_thread(void);
NVTXH_I_COLD void nvtxh_i_attach(void);
NVTXH_I_COLD void nvtxh_i_make_domain(struct nvtxh_domain *domain);
NVTXH_I_COLD void nvtxh_i_name_category(struct nvtxh_category *category);
NVTXH_I_COLD struct nvtxh_i_slot *nvtxh_i_register(const struct nvtxh_i_site *site,
                                                   struct nvtxh_domain *domain);
NVTXH_I_COLD bool nvtxh_i_lock(int *ret_cancel);
NVTXH_I_COLD void nvtxh_i_unlock(int cancel);
NVTXH_I_EVENT void nvtxh_i_event(struct nvtxh_i_whole_event *event, const struct nvtxh_i_site *site,
                                 struct nvtxh_domain *domain, struct nvtxh_category *category,
                                 uint32_t color, const struct nvtxh_i_payload_type *payload_type,
                                 uint64_t payload_bits);
NVTXH_I_EVENT uint32_t nvtxh_i_auto_color(const char *message);
NVTXH_I_COLD void nvtxh_i_remember(struct nvtxh_i_slot *slot, struct nvtxh_category *category,
                                   uint32_t color, const nvtxEventAttributes_t *event);
NVTXH_I_EVENT NVTXH_I_FORMAT(3, 0) void nvtxh_i_format_long(struct nvtxh_i_message *message,
                                                            int length, const char *format,
                                                            va_list args);
NVTXH_I_EVENT uintptr_t nvtxh_i_scope_enter_any(const struct nvtxh_i_site *site,
                                                struct nvtxh_domain *domain,
                                                struct nvtxh_category *category, uint32_t color,
                                                const struct nvtxh_i_payload_type *payload_type,
                                                uint64_t payload_bits);
NVTXH_I_EVENT uintptr_t nvtxh_i_scope_enter_any_plain(const struct nvtxh_i_site *site);
NVTXH_I_EVENT int nvtxh_i_push_any(const struct nvtxh_i_site *site, struct nvtxh_domain *domain,
                                   struct nvtxh_category *category, uint32_t color,
                                   const struct nvtxh_i_payload_type *payload_type,
                                   uint64_t payload_bits);
NVTXH_I_EVENT int nvtxh_i_push_rest(const struct nvtxh_i_site *site, struct nvtxh_domain *domain,
                                    struct nvtxh_category *category, uint32_t color,
                                    const struct nvtxh_i_payload_type *payload_type,
                                    uint64_t payload_bits);
NVTXH_I_COLD void nvtxh_i_on_exit(void);
NVTXH_I_COLD_ANYWHERE void nvtxh_i_on_unload(void) __attribute__((__destructor__));

/* There if the implementation includes payload.h. True if it has told the end of a range. */
NVTXH_I_LINKONCE bool nvtxh_i_payload_close(struct nvtxh_domain *domain, const nvtxRangeId_t *range,
                                            const struct nvtxh_i_payload_type *payload_type,
                                            uint64_t payload_bits, int *ret_depth);

NVTXH_I_LINKONCE struct nvtxh_i_state nvtxh_i_state = {NVTXH_I_UNKNOWN, NVTXH_I_UNKNOWN, 0, 0};
NVTXH_I_LINKONCE struct nvtxh_i_shared nvtxh_i_shared;
NVTXH_I_LINKONCE __thread struct nvtxh_i_thread nvtxh_i_this_thread;

/* The ends of the section, which the linker names; not there if nothing is in it. */
extern const struct nvtxh_i_site __start_nvtxh_sites[] NVTXH_I_LINKONCE;
extern const struct nvtxh_i_site __stop_nvtxh_sites[] NVTXH_I_LINKONCE;

NVTXH_I_ONCE struct nvtxh_i_thread *nvtxh_i_of_thread(void)
{
    return &nvtxh_i_this_thread;
}

/* False if this thread has it already: the tool has called annotated code. */
NVTXH_I_ONCE bool nvtxh_i_lock(int *ret_cancel)
{
    struct nvtxh_i_thread *thread = nvtxh_i_of_thread();
    uint32_t pid = NVTXH_I_CAST(uint32_t, getpid());
    uint32_t owner = 0;

    if (thread->busy)
        return false;
    /* What the tool does may be a cancellation point, and nobody would unlock. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, ret_cancel);
    while (!__atomic_compare_exchange_n(&nvtxh_i_shared.lock, &owner, pid, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (owner && owner != pid) {
            if (__atomic_compare_exchange_n(&nvtxh_i_shared.lock, &owner, pid, false,
                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
                nvtxh_i_shared.inherited = true;
                break;
            }
        }
        owner = 0;
        sched_yield();
    }
    thread->busy = true;
    return true;
}

NVTXH_I_ONCE void nvtxh_i_unlock(int cancel)
{
    nvtxh_i_of_thread()->busy = false;
    __atomic_store_n(&nvtxh_i_shared.lock, 0u, __ATOMIC_RELEASE);
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

NVTXH_I_COLD_HERE bool nvtxh_i_tool_attached(void)
{
    return NVTXH_I_NVTX(nvtxDomainRangePushEx) || NVTXH_I_NVTX(nvtxRangePushEx) ||
           NVTXH_I_NVTX(nvtxDomainRangeStartEx) || NVTXH_I_NVTX(nvtxRangeStartEx) ||
           NVTXH_I_NVTX(nvtxDomainMarkEx) || NVTXH_I_NVTX(nvtxMarkEx) ||
           NVTXH_I_NVTX(nvtxNameOsThreadA);
}

NVTXH_I_C_END

#include "hooks.h"
#include "domain.h"
#include "slot.h"
#include "attach.h"
#include "format.h"
#include "event.h"
#include "mark.h"
#include "range.h"
#include "push.h"

#endif
#endif
