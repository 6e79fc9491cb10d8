/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_ATTACH_H
#define NVTXH_IMPL_ATTACH_H

/* nvtxh_i_find_out(), which the first annotation calls, loads the tool and finds out who listens.
 * nvtxh_enable(false) pauses annotations. Not API. */

#include "../state.h"
#include "domain.h"
#include "hooks.h"
#include "object.h"
#include "say.h"
#include "slot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

NVTXH_I_C_BEGIN

/* exit() calls this before the destructor nvtxh_i_on_unload(), which then knows that the process
 * exits. dlclose() calls the destructor first, so `exiting` is not yet set. */
NVTXH_I_COLD void nvtxh_i_on_exit(void) {
    nvtxh_i_object.exiting = true;
}

/* Under the lock: has exit() call nvtxh_i_on_exit(). */
NVTXH_I_COLD void nvtxh_i_know_exit(void) {
    if (!nvtxh_i_object.knows_exit) {
        __atomic_store_n(&nvtxh_i_object.knows_exit, !atexit(nvtxh_i_on_exit), __ATOMIC_RELAXED);
    }
}

NVTXH_I_COLD bool nvtxh_i_tool_attached(void) {
    return NVTXH_I_TOOL_FUNCTION(nvtxDomainRangePushEx) || NVTXH_I_TOOL_FUNCTION(nvtxRangePushEx) ||
           NVTXH_I_TOOL_FUNCTION(nvtxDomainRangeStartEx) ||
           NVTXH_I_TOOL_FUNCTION(nvtxRangeStartEx) || NVTXH_I_TOOL_FUNCTION(nvtxDomainMarkEx) ||
           NVTXH_I_TOOL_FUNCTION(nvtxMarkEx) || NVTXH_I_TOOL_FUNCTION(nvtxNameOsThreadA);
}

/* If NVTXH_STATS asks for statistics, says on stderr that no file of the linked object has them. */
static inline void nvtxh_i_stats_missing(void) {
    const char *output = getenv("NVTXH_STATS");

    if (output && *output && strcmp(output, "0")) {
        nvtxh_i_say("nvtxh: NVTXH_STATS is set, but this program or library has no statistics: "
                    "include nvtxh/stats.h in one of its files, or link nvtxh-split\n",
                    0);
    }
}

/* Would NVTX wait for ever? If a process forks during another thread's first NVTX call, NVTX in the
 * child waits for a thread that does not exist there. Such a wait is certain if the child inherited
 * our lock from a thread that held it, or if the child has only one thread. */
NVTXH_I_COLD bool nvtxh_i_nvtx_waits_for_ever(void) {
    struct stat tasks; /* st_nlink is the number of threads + 2 */

    return NVTX_VERSIONED_IDENTIFIER(nvtxGlobals).initState == NVTX_INIT_STATE_STARTED &&
           (nvtxh_i_object.inherited || (!stat("/proc/self/task", &tasks) && tasks.st_nlink == 3));
}

/* A copy of a variable of the environment. NULL: it is unset or empty, or there is no memory. */
NVTXH_I_COLD char *nvtxh_i_environment(const char *name) {
    const char *text = getenv(name);
    size_t size = text && *text ? strlen(text) + 1 : 0;
    char *copy = size ? (char *)malloc(size) : NULL;

    return copy ? (char *)memcpy(copy, text, size) : NULL;
}

/* Reads the environment. False: annotations are off. */
NVTXH_I_COLD bool nvtxh_i_environment_allows(void) {
    const char *ours = getenv("NVTXH_DISABLE"), *all = getenv("NVTX_DISABLE");

    if ((ours && *ours) || (all && *all)) {
        nvtxh_i_update_found(NVTXH_I_DISABLED, 0);
        return false;
    }
    nvtxh_i_object.include = nvtxh_i_environment("NVTXH_DOMAIN_INCLUDE");
    nvtxh_i_object.exclude = nvtxh_i_environment("NVTXH_DOMAIN_EXCLUDE");
    if (nvtxh_i_object.include || nvtxh_i_object.exclude) {
        nvtxh_i_update_found(NVTXH_I_FILTERED, 0);
    }
    return true;
}

/* Finds the tool, and whether statistics are on. Returns the bits of `attached`. */
NVTXH_I_COLD unsigned nvtxh_i_listeners_found(void) {
    bool stuck = nvtxh_i_nvtx_waits_for_ever(); /* then this forked child has no tool */
    unsigned attached = 0;

    if (!stuck) {
        nvtxInitialize(NULL);
    }
    if (!stuck && nvtxh_i_tool_attached()) {
        attached = NVTXH_I_TOOL | (nvtxh_i_register_all() ? NVTXH_I_SLOTS : 0);
        nvtxh_i_know_exit();
    }
    if (NVTXH_I_IS_LINKED(stats_listens)) {
        attached |= NVTXH_I_SYMBOL(stats_listens)();
    } else {
        nvtxh_i_stats_missing();
    }
    if (attached) {
        nvtxh_i_check_domains();
    }
    return attached;
}

NVTXH_I_COLD void nvtxh_i_attach(void) {
    int cancel = 0, saved_errno = errno;

    if (!nvtxh_i_lock(&cancel)) {
        return;
    }
    if (!(__atomic_load_n(&nvtxh_i_state.found, __ATOMIC_RELAXED) & NVTXH_I_READY)) {
        unsigned attached = nvtxh_i_environment_allows() ? nvtxh_i_listeners_found() : 0;

        nvtxh_i_update_found(NVTXH_I_READY, 0);
        nvtxh_i_set_state(&nvtxh_i_state, NVTXH_I_UNKNOWN, attached);
    }
    nvtxh_i_unlock(cancel);
    errno = saved_errno;
}

/* The slow part of nvtxh_i_active_known() or, with PUSHES, of nvtxh_i_attached_known(). */
NVTXH_I_ENTRY_DEF bool nvtxh_i_find_out(bool pushes) {
    const unsigned char *listener_bits = pushes ? &nvtxh_i_state.attached : &nvtxh_i_state.active;

    if (!__atomic_load_n(listener_bits, __ATOMIC_ACQUIRE)) {
        return false;
    }
    /* Paused before the first annotation: do not look for listeners. The caller notes that a push
     * is left out. */
    if (pushes && __atomic_load_n(&nvtxh_i_state.paused, __ATOMIC_RELAXED)) {
        return true;
    }
    nvtxh_i_attach();
    /* False while this thread is loading the tool, which may call annotated code. */
    return (int8_t)__atomic_load_n(listener_bits, __ATOMIC_ACQUIRE) > 0;
}

NVTXH_I_LINKONCE bool nvtxh_listening(void) {
    if (NVTXH_I_UNLIKELY(__atomic_load_n(&nvtxh_i_state.attached, __ATOMIC_RELAXED) &
                         NVTXH_I_UNKNOWN)) {
        nvtxh_i_attach();
    }
    return nvtxh_i_listeners(attached) & (NVTXH_I_TOOL | NVTXH_I_STATS);
}

/* Called after nvtxh_listening(): has the environment switched annotations off? */
NVTXH_I_INLINE bool nvtxh_i_disabled(void) {
    return __atomic_load_n(&nvtxh_i_state.found, __ATOMIC_RELAXED) & NVTXH_I_DISABLED;
}

NVTXH_I_LINKONCE void nvtxh_enable(bool on) {
    int cancel = 0;
    bool locked = nvtxh_i_lock(&cancel);

    __atomic_store_n(&nvtxh_i_state.paused, (unsigned char)(!on), __ATOMIC_SEQ_CST);
    nvtxh_i_set_state(&nvtxh_i_state, 0, 0);
    if (locked) {
        nvtxh_i_unlock(cancel);
    }
}

NVTXH_I_LINKONCE bool nvtxh_enabled(void) {
    return !__atomic_load_n(&nvtxh_i_state.paused, __ATOMIC_RELAXED);
}

NVTXH_I_C_END

#endif
