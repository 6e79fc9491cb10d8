/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_CHECK_H
#define NVTXH_IMPL_CHECK_H

/* Finds and reports mistakes in annotations: see ../check.h. Every file that defines NVTXH_CHECK
 * contains this, with or without the rest of the implementation. Not API. */

#include "../category.h"
#include "../config.h"
#include "../core/arena.h"
#include "../core/compiler.h"
#include "../core/site.h"
#include "../core/symbols.h"
#include "../domain.h"
#include "say.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NVTXH_I_CHECK_DEPTH = 256,
    NVTXH_I_CHECK_REPORTS = 256,
};

/* The scopes and pushes that are open on one thread, the innermost last. */
struct nvtxh_i_check_thread {
    size_t depth;
    bool lost; /* more were open than fit into open[]: none is checked until all are closed */
    struct {
        const struct nvtxh_i_site *site;
        struct nvtxh_domain *domain;
        uint32_t number; /* `number` of its struct nvtxh_i_check_range; 0: there was no memory */
    } open[NVTXH_I_CHECK_DEPTH];
};

/* A process range or scope that has not ended, or a push that has not been popped. */
struct nvtxh_i_check_range {
    struct nvtxh_i_check_range *next;
    const struct nvtxh_i_site *site;
    uint32_t number;  /* identifies the range; never 0 */
    uint32_t thread;  /* the thread that started it */
    uint32_t process; /* the process that started it; a forked child need not end it */
};

struct nvtxh_i_check_state {
    bool at_exit;     /* nvtxh_i_check_exit() will be called at exit */
    uint32_t started; /* the number of the range started last */
    struct nvtxh_i_check_range *ranges, *free;
    struct nvtxh_i_arena arena; /* the memory of the ranges; signal handlers cannot use malloc */
};

/* A mistake of one kind at one place. `other_...`: the place of another annotation, if any. */
struct nvtxh_i_mistake {
    unsigned kind; /* the number of the kind, from 1 */
    unsigned line, other_line;
    const char *file, *other_file;
};

struct nvtxh_i_mistakes {
    bool full; /* there was no space for a mistake, and one report has said so */
    size_t n;
    struct nvtxh_i_mistake of[NVTXH_I_CHECK_REPORTS];
};

NVTXH_I_C_BEGIN

NVTXH_I_LINKONCE struct nvtxh_i_mistakes nvtxh_i_mistakes NVTXH_I_LINKED("mistakes");
/* The lock for all data of NVTXH_CHECK that threads share. */
NVTXH_I_LINKONCE uint32_t nvtxh_i_check_lock NVTXH_I_LINKED("check_lock");
NVTXH_I_LINKONCE struct nvtxh_i_check_state nvtxh_i_check_state NVTXH_I_LINKED("check_state");
NVTXH_I_LINKONCE __thread struct nvtxh_i_check_thread nvtxh_i_check_this_thread
    NVTXH_I_LINKED("check_this_thread");

/* Reports a mistake: one line on stderr for each place, however often the mistake is made. */
NVTXH_I_COLD NVTXH_I_FORMAT(2, 3) void nvtxh_i_check_report(const struct nvtxh_i_mistake *mistake,
                                                            const char *format, ...) {
    struct nvtxh_i_mistakes *all = &nvtxh_i_mistakes;
    bool known = false, full, say;
    char text[1536];
    uint64_t blocked;
    va_list args;
    size_t i, n;
    int length;

    nvtxh_i_spin_lock(&nvtxh_i_check_lock, &blocked);
    for (i = 0; i < all->n && !known; i++) {
        known = all->of[i].kind == mistake->kind && all->of[i].line == mistake->line &&
                all->of[i].other_line == mistake->other_line &&
                !strcmp(all->of[i].file, mistake->file) &&
                !strcmp(all->of[i].other_file, mistake->other_file);
    }
    full = !known && all->n == NVTXH_I_CHECK_REPORTS;
    if (!known && !full) {
        all->of[all->n++] = *mistake;
    }
    say = full && !all->full;
    all->full = all->full || full;
    nvtxh_i_spin_unlock(&nvtxh_i_check_lock, &blocked);
    if (say) {
        snprintf(text, sizeof(text),
                 "nvtxh: mistakes at %d places were reported; no more will be\n",
                 NVTXH_I_CHECK_REPORTS);
        nvtxh_i_say(text, 0);
    }
    if (known || full) {
        return;
    }
    /* The file's name takes at most half of the line. */
    length = snprintf(text, sizeof(text) / 2, "nvtxh: %s:%u: ", mistake->file, mistake->line);
    n = length < (int)(sizeof(text) / 2) ? (size_t)length : sizeof(text) / 2 - 1;
    va_start(args, format);
    vsnprintf(text + n, sizeof(text) - 1 - n, format, args);
    va_end(args);
    memcpy(text + strlen(text), "\n", 2);
    nvtxh_i_say(text, 0);
}

NVTXH_I_COLD struct nvtxh_i_check_thread *nvtxh_i_check_of_thread(void) {
    return &nvtxh_i_check_this_thread;
}

static inline const char *nvtxh_i_check_domain_name(const struct nvtxh_domain *domain) {
    return domain ? domain->nvtxh_i_name : "(default)";
}

static inline bool nvtxh_i_check_is_push(const struct nvtxh_i_site *site) {
    return (site->kind & ~NVTXH_I_KIND_FORMAT) == NVTXH_I_KIND_PUSH;
}

static inline bool nvtxh_i_check_is_scope(const struct nvtxh_i_site *site) {
    return (site->kind & ~NVTXH_I_KIND_FORMAT) == NVTXH_I_KIND_SCOPE;
}

static inline const char *nvtxh_i_check_message(const struct nvtxh_i_site *site) {
    return site->message ? site->message : "(null)";
}

NVTXH_I_COLD void nvtxh_i_check_category(const struct nvtxh_i_site *site,
                                         struct nvtxh_domain *domain,
                                         const struct nvtxh_category *category) {
    struct nvtxh_domain *home, *here = nvtxh_i_domain_of(domain, site->domain);

    if (!category || (uintptr_t)category & 1) {
        return;
    }
    home = nvtxh_i_domain_of(category->nvtxh_i_domain, NULL);
    /* Compares names, too: nvtxh_domain_named() may have made a second object for a domain. */
    if (home != here && strcmp(nvtxh_i_check_domain_name(home), nvtxh_i_check_domain_name(here))) {
        struct nvtxh_i_mistake mistake = {1, site->line, category->nvtxh_i_line, site->file,
                                          category->nvtxh_i_file};

        nvtxh_i_check_report(
            &mistake,
            "'%s' in domain '%s' uses category '%s' (%s:%u), which belongs to domain '%s'",
            nvtxh_i_check_message(site), nvtxh_i_check_domain_name(here), category->nvtxh_i_name,
            category->nvtxh_i_file, category->nvtxh_i_line, nvtxh_i_check_domain_name(home));
    }
}

/* Is it certain that this range was forgotten? A push may still be popped, and a scope may still
 * end, while its thread runs. exit() may be called in a scope.
 * *WAITS: how many times this function may still wait for 1 ms. It waits because the kernel still
 * has a thread for a moment after pthread_join() has returned. */
NVTXH_I_COLD bool nvtxh_i_check_forgotten(const struct nvtxh_i_check_range *range,
                                          unsigned *waits) {
    bool is_scope = nvtxh_i_check_is_scope(range->site);

    if (range->process != nvtxh_i_getpid()) {
        return false;
    }
    if (!is_scope && !nvtxh_i_check_is_push(range->site)) {
        return true;
    }
    if (range->thread == nvtxh_i_gettid()) {
        return !is_scope;
    }
    while (!syscall(SYS_tgkill, range->process, range->thread, 0)) {
        if (!*waits) {
            return false;
        }
        --*waits;
        poll(NULL, 0, 1); /* a millisecond */
    }
    return errno == ESRCH;
}

/* Reports forgotten ranges. Called at exit, or when the shared object is unloaded. */
NVTXH_I_COLD void nvtxh_i_check_exit(void) {
    struct nvtxh_i_check_range *range;
    unsigned waits = 10;
    uint64_t blocked;

    nvtxh_i_spin_lock(&nvtxh_i_check_lock, &blocked);
    range = nvtxh_i_check_state.ranges;
    nvtxh_i_check_state.ranges = NULL;
    nvtxh_i_spin_unlock(&nvtxh_i_check_lock, &blocked);
    for (; range; range = range->next) {
        const struct nvtxh_i_site *site = range->site;
        struct nvtxh_i_mistake mistake = {5, site->line, 0, site->file, ""};

        if (nvtxh_i_check_forgotten(range, &waits)) {
            nvtxh_i_check_report(
                &mistake,
                nvtxh_i_check_is_push(site) ? "'%s' was pushed, and has not been popped at exit"
                : nvtxh_i_check_is_scope(site)
                    ? "scope '%s' had not ended when its thread did; compile C with -fexceptions, "
                      "so that pthread_exit and pthread_cancel end scopes; in coroutines use "
                      "NVTXH_RANGE_SCOPE"
                    : "process range '%s' has not ended at exit",
                nvtxh_i_check_message(site));
        }
    }
}

NVTXH_I_COLD uint32_t nvtxh_i_check_start(const struct nvtxh_i_site *site) {
    struct nvtxh_i_check_state *state = &nvtxh_i_check_state;
    struct nvtxh_i_check_range *range;
    uint32_t number = 0;
    bool first = false;
    uint64_t blocked;

    nvtxh_i_spin_lock(&nvtxh_i_check_lock, &blocked);
    range = state->free;
    if (range) {
        state->free = range->next;
    } else {
        range =
            (struct nvtxh_i_check_range *)nvtxh_i_arena_alloc(&state->arena, sizeof(*range), 16);
    }
    if (range) {
        first = !state->at_exit;
        state->at_exit = true;
        range->site = site;
        range->process = nvtxh_i_getpid();
        range->thread = nvtxh_i_gettid();
        number = range->number = ++state->started ? state->started : ++state->started;
        range->next = state->ranges;
        state->ranges = range;
    }
    nvtxh_i_spin_unlock(&nvtxh_i_check_lock, &blocked);
    if (first) {
        atexit(nvtxh_i_check_exit);
    }
    return number;
}

NVTXH_I_COLD void nvtxh_i_check_end(uint32_t number) {
    struct nvtxh_i_check_range **link = &nvtxh_i_check_state.ranges, *range;
    uint64_t blocked;

    if (!number) {
        return;
    }
    nvtxh_i_spin_lock(&nvtxh_i_check_lock, &blocked);
    while (*link && (*link)->number != number) {
        link = &(*link)->next;
    }
    range = *link;
    if (range) {
        *link = range->next;
        range->next = nvtxh_i_check_state.free;
        nvtxh_i_check_state.free = range;
    }
    nvtxh_i_spin_unlock(&nvtxh_i_check_lock, &blocked);
}

NVTXH_I_COLD void nvtxh_i_check_open(const struct nvtxh_i_site *site, struct nvtxh_domain *domain,
                                     const struct nvtxh_category *category) {
    struct nvtxh_i_check_thread *thread = nvtxh_i_check_of_thread();
    size_t i;

    nvtxh_i_check_category(site, domain, category);
    if (!thread->lost && thread->depth < NVTXH_I_CHECK_DEPTH) {
        thread->open[thread->depth].site = site;
        thread->open[thread->depth].domain = nvtxh_i_domain_of(domain, site->domain);
        thread->open[thread->depth].number = nvtxh_i_check_start(site);
    } else if (!thread->lost) {
        thread->lost = true;
        for (i = 0; i < NVTXH_I_CHECK_DEPTH; i++) {
            nvtxh_i_check_end(thread->open[i].number);
        }
    }
    thread->depth++;
}

/* Removes entry i from the thread's open ranges. */
static inline void nvtxh_i_check_remove(struct nvtxh_i_check_thread *thread, size_t i) {
    thread->depth--;
    for (; i < thread->depth && i + 1 < NVTXH_I_CHECK_DEPTH; i++) {
        thread->open[i] = thread->open[i + 1];
    }
    if (!thread->depth) {
        thread->lost = false;
    }
}

NVTXH_I_COLD void nvtxh_i_check_close(const struct nvtxh_i_site *site) {
    struct nvtxh_i_check_thread *thread = nvtxh_i_check_of_thread();
    size_t mine, i;

    if (thread->lost || !thread->depth) {
        if (thread->depth) {
            nvtxh_i_check_remove(thread, thread->depth);
        }
        return;
    }
    for (mine = thread->depth; mine && thread->open[mine - 1].site != site; mine--) {
    }
    if (!mine) {
        return; /* the scope began on another thread, or while `lost` was set */
    }
    for (i = thread->depth; i > mine; i--) {
        const struct nvtxh_i_site *inner = thread->open[i - 1].site;

        if (thread->open[i - 1].domain == thread->open[mine - 1].domain) {
            struct nvtxh_i_mistake mistake = {2, site->line, inner->line, site->file, inner->file};

            nvtxh_i_check_report(&mistake,
                                 "scope '%s' ends while '%s' (%s:%u), begun later, is still open; "
                                 "in coroutines and fibers use NVTXH_RANGE_SCOPE",
                                 nvtxh_i_check_message(site), nvtxh_i_check_message(inner),
                                 inner->file, inner->line);
        }
    }
    nvtxh_i_check_end(thread->open[mine - 1].number);
    nvtxh_i_check_remove(thread, mine - 1);
}

NVTXH_I_COLD void nvtxh_i_check_pop(struct nvtxh_domain *domain, const char *file, unsigned line) {
    struct nvtxh_i_check_thread *thread = nvtxh_i_check_of_thread();
    struct nvtxh_i_mistake mistake = {3, line, 0, file, ""};
    const struct nvtxh_i_site *other;
    size_t i;

    if (thread->lost) {
        nvtxh_i_check_remove(thread, thread->depth);
        return;
    }
    for (i = thread->depth; i && thread->open[i - 1].domain != domain; i--) {
    }
    if (i && nvtxh_i_check_is_push(thread->open[i - 1].site)) {
        nvtxh_i_check_end(thread->open[i - 1].number);
        nvtxh_i_check_remove(thread, i - 1);
        return;
    }
    if (i) {
        other = thread->open[i - 1].site;
        mistake.other_line = other->line;
        mistake.other_file = other->file;
        nvtxh_i_check_report(&mistake,
                             "pop without a push in domain '%s'; it ends scope '%s' (%s:%u)",
                             nvtxh_i_check_domain_name(domain), nvtxh_i_check_message(other),
                             other->file, other->line);
        return;
    }
    for (i = thread->depth; i && !nvtxh_i_check_is_push(thread->open[i - 1].site); i--) {
    }
    if (i) {
        other = thread->open[i - 1].site;
        mistake.kind = 4;
        mistake.other_line = other->line;
        mistake.other_file = other->file;
        nvtxh_i_check_report(
            &mistake, "pop in domain '%s', but '%s' (%s:%u) was pushed in domain '%s'",
            nvtxh_i_check_domain_name(domain), nvtxh_i_check_message(other), other->file,
            other->line, nvtxh_i_check_domain_name(thread->open[i - 1].domain));
        return;
    }
    nvtxh_i_check_report(&mistake, "pop without a push in domain '%s'",
                         nvtxh_i_check_domain_name(domain));
}

NVTXH_I_C_END

#endif
