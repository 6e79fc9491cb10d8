/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_PUSH_H
#define NVTXH_IMPL_PUSH_H

/* Explicit push and pop. During a pause (nvtxh_enable(false)), or while its domain is off, a push
 * is left out. A pop has no guard that says whether its push was left out. So each thread keeps a
 * list for each domain in which a left-out push is open. It counts the open pushes in runs, the
 * outermost first: runs 0, 2, ... were left out, runs 1, 3, ... were sent. If there is no space for
 * another run or list, a push is sent, so that pushes and pops stay balanced. Not API. */

#include "../push.h"
#include "attach.h"
#include "format.h"
#include "hooks.h"
#include "site_event.h"

enum {
    NVTXH_I_SKIP_DOMAINS = 8,
    NVTXH_I_SKIP_RUNS = 8,
};
struct nvtxh_i_skip {
    struct nvtxh_domain *domain;
    uint32_t n_runs;                  /* how many runs there are; 0: the entry is free */
    uint32_t runs[NVTXH_I_SKIP_RUNS]; /* how many open pushes each run has */
};

struct nvtxh_i_skips {
    uint32_t n; /* how many entries are not free */
    struct nvtxh_i_skip of[NVTXH_I_SKIP_DOMAINS];
};

NVTXH_I_C_BEGIN

/* True once a push has been ignored, on any thread. */
NVTXH_I_LINKONCE unsigned char nvtxh_i_any_skips NVTXH_I_LINKED("any_skips");
NVTXH_I_LINKONCE __thread struct nvtxh_i_skips nvtxh_i_skips NVTXH_I_LINKED("skips");

NVTXH_I_EVENT struct nvtxh_i_skips *nvtxh_i_skips_of_thread(void) {
    return &nvtxh_i_skips;
}

/* A thread's list of runs for a domain. MAKE: if there is none, takes a free entry. NULL: there is
 * no list or, with MAKE, no free entry. */
static inline struct nvtxh_i_skip *nvtxh_i_skip_of(struct nvtxh_i_skips *thread,
                                                   struct nvtxh_domain *domain, bool make) {
    struct nvtxh_i_skip *skip, *empty = NULL;

    if (!thread->n && !make) {
        return NULL;
    }
    for (skip = thread->of; skip < thread->of + NVTXH_I_SKIP_DOMAINS; skip++) {
        if (!skip->n_runs) {
            empty = skip;
        } else if (skip->domain == domain) {
            return skip;
        }
    }
    if (make && empty) {
        empty->domain = domain;
        return empty;
    }
    return NULL;
}

/* Records a push. PAUSED: a pause holds, or the domain is off. True: the push must be left out. */
static inline bool nvtxh_i_skip_push(struct nvtxh_domain *domain, bool paused) {
    struct nvtxh_i_skips *thread = nvtxh_i_skips_of_thread();
    struct nvtxh_i_skip *skip = nvtxh_i_skip_of(thread, domain, paused);
    bool left_out;

    if (!skip) {
        return false;
    }
    if (!skip->n_runs) {
        thread->n++;
        __atomic_store_n(&nvtxh_i_any_skips, true, __ATOMIC_RELAXED);
    }
    left_out = skip->n_runs & 1; /* was the innermost run left out? */
    if (left_out != paused && skip->n_runs < NVTXH_I_SKIP_RUNS) {
        skip->runs[skip->n_runs++] = 0;
        left_out = paused;
    }
    skip->runs[skip->n_runs - 1]++;
    return left_out;
}

/* Notes a pop. True: its push was left out. */
static inline bool nvtxh_i_skip_pop(struct nvtxh_domain *domain) {
    struct nvtxh_i_skips *thread = nvtxh_i_skips_of_thread();
    struct nvtxh_i_skip *skip = nvtxh_i_skip_of(thread, domain, false);
    bool left_out;

    if (!skip) {
        return false;
    }
    left_out = skip->n_runs & 1;
    if (!--skip->runs[skip->n_runs - 1] && !--skip->n_runs) {
        thread->n--;
    }
    return left_out;
}

/* Has a pause postponed the search for a tool until now? */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_postponed(bool paused) {
    return paused && (__atomic_load_n(&nvtxh_i_state.attached, __ATOMIC_RELAXED) & NVTXH_I_UNKNOWN);
}

/* Has a push ever been left out? If not, a thread need not look at its lists. */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_left_out(void) {
    return nvtxh_i_is_set(&nvtxh_i_any_skips);
}

/* Do only statistics listen, and was no push ever left out? WHO: `active` or `attached`. */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_only_counted(const unsigned char *who) {
    return __atomic_load_n(who, __ATOMIC_ACQUIRE) == NVTXH_I_STATS && !nvtxh_i_left_out();
}

/* Records a push. True: the push is sent to those who listen. */
static inline bool nvtxh_i_push_wanted(struct nvtxh_domain *domain) {
    bool paused = __atomic_load_n(&nvtxh_i_state.paused, __ATOMIC_RELAXED) != 0;
    bool postponed = nvtxh_i_postponed(paused);

    /* Paused before the first annotation: do not look for listeners yet. */
    if (!postponed && !nvtxh_listening()) {
        return false;
    }
    /* Notes the push even without a pause, because an outer push may have been left out. */
    if (nvtxh_i_skip_push(domain, paused || nvtxh_i_domain_off(domain))) {
        return false;
    }
    /* Postponed, but sent, because the lists have no space for the push: look for listeners now. */
    return !postponed || nvtxh_listening();
}

/* The general case of a push. The functions below take a shorter way if they can. */
NVTXH_I_EVENT int nvtxh_i_push_rest(const struct nvtxh_i_site *site, const struct nvtxh_attr *a) {
    struct nvtxh_i_whole_event event;
    int depth = NVTX_NO_PUSH_POP_TRACKING;

    if (nvtxh_i_push_wanted(a->domain)) {
        unsigned attached = nvtxh_i_listeners(attached);

        if (attached & NVTXH_I_TOOL) {
            nvtxh_i_event(&event, site, a);
            nvtxh_i_push_event(a->domain, &event.nvtx, &depth);
        }
        if (attached & NVTXH_I_STATS) {
            (void)NVTXH_I_SYMBOL(stats_push)(site, a->domain);
        }
    }
    return depth;
}

/* What nvtxh_i_push() and nvtxh_i_push_plain() do if they cannot use the cached event. */
NVTXH_I_EVENT int nvtxh_i_push_any(const struct nvtxh_i_site *site, NVTXH_I_ATTR_PARAMETERS) {
    struct nvtxh_attr a;

    if (nvtxh_i_only_counted(&nvtxh_i_state.active)) {
        return NVTXH_I_SYMBOL(stats_push)(site, domain);
    }
    a = NVTXH_I_ATTR_GIVEN;
    return nvtxh_i_push_rest(site, &a);
}

NVTXH_I_ENTRY_DEF int nvtxh_i_push(const struct nvtxh_i_site *site, NVTXH_I_ATTR_PARAMETERS) {
    const struct nvtxh_attr a = NVTXH_I_ATTR_GIVEN;
    nvtxEventAttributes_t event;
    int depth = NVTX_NO_PUSH_POP_TRACKING;

    if (nvtxh_i_left_out() || !nvtxh_i_event_ready(&event, site, &a)) {
        return nvtxh_i_push_any(site, NVTXH_I_ATTR_ARGUMENTS(domain, a));
    }
    nvtxh_i_push_event(domain, &event, &depth);
    return depth;
}

NVTXH_I_ENTRY_DEF int nvtxh_i_push_plain(const struct nvtxh_i_site *site) {
    const struct nvtxh_i_slot *slot;
    nvtxRangePushEx_impl_fntype push;

    if (!nvtxh_i_ready_slot_plain(site, nvtxh_i_tool_alone(), &slot) || nvtxh_i_left_out() ||
        !(push = NVTXH_I_TOOL_FUNCTION(nvtxRangePushEx))) {
        return nvtxh_i_push_any(site, site->domain, NULL, 0, NULL, 0);
    }
    return push(nvtxh_i_event_of(slot));
}

NVTXH_I_EVENT NVTXH_I_FORMAT(4, 0) int nvtxh_i_push_format(const struct nvtxh_i_site *site,
                                                           const struct nvtxh_attr *a,
                                                           struct nvtxh_domain *domain,
                                                           const char *format, va_list args) {
    int depth = NVTX_NO_PUSH_POP_TRACKING;
    struct nvtxh_i_formatted f;
    unsigned attached;

    if (!nvtxh_i_push_wanted(domain)) {
        return depth;
    }
    attached = nvtxh_i_listeners(attached);
    if (attached & NVTXH_I_TOOL) {
        nvtxh_i_format(&f, site, a, domain, format, args);
        nvtxh_i_push_event(domain, &f.event.nvtx, &depth);
        nvtxh_i_formatted_free(&f);
    }
    if (attached & NVTXH_I_STATS) {
        (void)NVTXH_I_SYMBOL(stats_push)(site, domain);
    }
    return depth;
}

NVTXH_I_ENTRY_DEF int nvtxh_i_pushf(const struct nvtxh_i_site *site, const struct nvtxh_attr *a,
                                    const char *format, ...) {
    struct nvtxh_domain *domain = nvtxh_i_domainf(site, a);
    va_list args;
    int depth;

    if (nvtxh_i_only_counted(&nvtxh_i_state.active)) {
        return NVTXH_I_SYMBOL(stats_push)(site, domain);
    }
    va_start(args, format);
    depth = nvtxh_i_push_format(site, a, domain, format, args);
    va_end(args);
    return depth;
}

/* The general case of a pop, which nvtxh_i_pop() falls back to. */
NVTXH_I_EVENT int nvtxh_i_pop_any(struct nvtxh_domain *domain, struct nvtxh_payload_value payload) {
    bool postponed =
        nvtxh_i_postponed(__atomic_load_n(&nvtxh_i_state.paused, __ATOMIC_RELAXED) != 0);
    unsigned attached;
    int depth;

    if (!postponed && !nvtxh_listening()) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    if (nvtxh_i_skip_pop(domain) || postponed) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    attached = nvtxh_i_listeners(attached);
    if (attached & NVTXH_I_STATS) {
        (void)NVTXH_I_SYMBOL(stats_pop)(domain);
    }
    if (!(attached & NVTXH_I_TOOL)) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    (void)nvtxh_i_handle(domain); /* a pop without a push may be the domain's first event */
    if (payload.nvtxh_i_type && NVTXH_I_IS_LINKED(payload_close) &&
        NVTXH_I_SYMBOL(payload_close)(domain, NULL, payload, &depth)) {
        return depth;
    }
    return nvtxh_i_pop_event(domain);
}

NVTXH_I_ENTRY_DEF int nvtxh_i_pop(struct nvtxh_domain *domain, NVTXH_I_PAYLOAD_PARAMETERS) {
    if ((nvtxh_i_listeners(attached) & (NVTXH_I_STATS | NVTXH_I_UNKNOWN)) || nvtxh_i_left_out() ||
        payload_type || (domain && !__atomic_load_n(&domain->nvtxh_i_made, __ATOMIC_ACQUIRE))) {
        return nvtxh_i_only_counted(&nvtxh_i_state.attached)
                   ? NVTXH_I_SYMBOL(stats_pop)(domain)
                   : nvtxh_i_pop_any(domain, NVTXH_I_PAYLOAD_GIVEN);
    }
    return nvtxh_i_pop_event(domain);
}

NVTXH_I_C_END

#endif
