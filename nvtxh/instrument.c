/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hooks that the compiler calls at both ends of every function: see instrument.h. Each thread
 * lists the functions that it is in, shown or not, so that the hook at a function's end finds its
 * beginning. While a hook runs, hooks that a signal handler or the tool calls do nothing. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef NVTXH_DISABLE
#include "../nvtxh.h"
#include "instrument.h"
#include "stats.h"

#define NVTXH_I_HOOK __attribute__((__no_instrument_function__, __visibility__("default")))

void __cyg_profile_func_enter(void *function, void *caller) NVTXH_I_HOOK;
void __cyg_profile_func_exit(void *function, void *caller) NVTXH_I_HOOK;

#if NVTXH_ENABLED

#include "core/text.h"
#include "instrument/settings.h"
#include "instrument/functions.h"
#include "instrument/stack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

enum { NVTXH_I_SHORT_CALLS = 8 }; /* after this many short calls in a row, a function is hidden */

/* A function that a thread is in. */
struct entered {
    struct nvtxh_i_function *function; /* its record; NULL: nobody listened, or no memory */
    void *address, *caller;
    uintptr_t call_site; /* from where its hook was called */
    uintptr_t stack;     /* the address of the hook's frame, just below the function's frame */
    uintptr_t open;      /* the value of the guard of its scope (scope.h); 0: it is not shown */
    uint64_t start; /* when it was called, in ns; 0: not read, because nvtxh_i_least_ns was 0 */
};

struct thread {
    bool busy;                 /* a hook is running; it may be changing `entered` */
    size_t n, capacity, shown; /* how many entries of `entered` are in use, allocated, shown */
    struct entered *entered;
    struct nvtxh_i_stack stack;
    uint64_t signals; /* the signals that were blocked when the thread called its first function */
};

static bool used; /* some thread has had a function in its `entered` */
static __thread struct thread here;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

NVTXH_I_UNHOOKED static uint64_t now_ns(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

NVTXH_I_UNHOOKED static void thread_ends(void *entered) {
    bool busy = here.busy;

    here.busy = true;
    munmap(entered, here.capacity * sizeof(*here.entered));
    here.entered = NULL;
    here.n = here.capacity = here.shown = 0;
    here.busy = busy;
}

NVTXH_I_UNHOOKED static void begin_instrumenting(void) {
    const char *filter = getenv("NVTXH_INSTRUMENT"), *depth = getenv("NVTXH_INSTRUMENT_DEPTH");
    const char *least = getenv("NVTXH_INSTRUMENT_MIN");
    char *end;

    pthread_key_create(&key, thread_ends);
    if (filter && !nvtxh_i_patterns) {
        nvtxh_instrument_filter(filter);
    }
    if (depth && !nvtxh_i_depth_limit) {
        nvtxh_i_depth_limit = (unsigned)strtoul(depth, NULL, 10);
    }
    if (least && !nvtxh_i_least_ns) {
        double ns = nvtxh_i_number_read(least, &end);

        ns *= !strcmp(end, "us") ? 1e3 : !strcmp(end, "ms") ? 1e6 : !strcmp(end, "s") ? 1e9 : 1;
        nvtxh_instrument_min(ns > 0 ? (uint64_t)ns : 0);
    }
}

/* --- the hooks --- */

NVTXH_I_UNHOOKED static bool is_shown(struct nvtxh_i_function *f) {
    uint32_t current = __atomic_load_n(&nvtxh_i_settings, __ATOMIC_ACQUIRE);

    if (__atomic_load_n(&f->settings, __ATOMIC_ACQUIRE) != current) {
        __atomic_store_n(&f->wanted, nvtxh_i_is_wanted(f->site.nvtxh_i_record.message),
                         __ATOMIC_RELAXED);
        __atomic_store_n(&f->short_calls, 0u, __ATOMIC_RELAXED);
        __atomic_store_n(&f->settings, current, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&f->wanted, __ATOMIC_RELAXED) &&
           __atomic_load_n(&f->short_calls, __ATOMIC_RELAXED) < NVTXH_I_SHORT_CALLS &&
           (!nvtxh_i_depth_limit || here.shown < nvtxh_i_depth_limit);
}

/* Leaves the innermost function. IN_TIME: it returns now; false: longjmp or a throw has left it. */
NVTXH_I_UNHOOKED static void leave_function(bool in_time) {
    struct entered e = here.entered[--here.n];
    uint64_t least = __atomic_load_n(&nvtxh_i_least_ns, __ATOMIC_RELAXED);

    if (e.open) {
        here.shown--;
        nvtxh_i_scope_leave(e.open);
    }
    if (!in_time || !least || !e.start || !e.function) {
        return;
    }
    if (now_ns() - e.start >= least) {
        __atomic_store_n(&e.function->short_calls, 0u, __ATOMIC_RELAXED);
    } else if (__atomic_load_n(&e.function->short_calls, __ATOMIC_RELAXED) < NVTXH_I_SHORT_CALLS) {
        __atomic_add_fetch(&e.function->short_calls, 1, __ATOMIC_RELAXED);
    }
}

/* Makes space for an entry in `entered`. Does not call malloc, because a signal handler may call
 * this function, and may have interrupted malloc. False: no memory. */
NVTXH_I_UNHOOKED static bool grow_entered(void) {
    size_t capacity = here.capacity ? 2 * here.capacity : 256;
    void *more;

    if (here.n < here.capacity) {
        return true;
    }
    pthread_once(&once, begin_instrumenting);
    if (!here.capacity) {
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &here.signals, sizeof(here.signals));
    }
    more = mmap(NULL, capacity * sizeof(*here.entered), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED) {
        return false;
    }
    if (here.capacity) {
        memcpy(more, here.entered, here.n * sizeof(*here.entered));
        munmap(here.entered, here.capacity * sizeof(*here.entered));
    }
    here.entered = (struct entered *)more;
    here.capacity = capacity;
    pthread_setspecific(key, more);
    return true;
}

/* The record of the function at an address. NULL: no memory. */
NVTXH_I_UNHOOKED static struct nvtxh_i_function *function_at(void *address) {
    struct nvtxh_i_function *f =
        nvtxh_i_function_find(__atomic_load_n(&nvtxh_i_functions, __ATOMIC_ACQUIRE), address);

    return f ? f : nvtxh_i_function_add(address, here.signals);
}

/* How many entries have not been left by longjmp or a throw, when a hook says at CALL_SITE that the
 * function at ADDRESS begins. A caller's entry has a higher frame address than this hook. Functions
 * that the compiler inlined into a function have that function's frame address and caller, and
 * call their hooks from its code. An inlined function returns before the same call site runs again.
 */
NVTXH_I_UNHOOKED static size_t still_entered(uintptr_t stack, uintptr_t address, void *caller,
                                             uintptr_t call_site) {
    size_t i = here.n, n;

    while (i && here.entered[i - 1].stack < stack) {
        i--;
    }
    for (n = i; i && here.entered[i - 1].stack == stack; i--) {
        if (here.entered[i - 1].caller != caller || here.entered[i - 1].call_site == call_site) {
            n = i - 1;
        }
    }
    /* If ADDRESS is between two call sites, these are in different functions: it is not inlined. */
    if (n > i && address <= call_site &&
        (here.entered[i].call_site < address || here.entered[i].call_site > call_site)) {
        return i;
    }
    return n;
}

/* Adds a function to `entered`, and begins its scope. Not inlined: if it were, the hook would save
 * many registers before it knows whether anyone listens. */
NVTXH_I_UNHOOKED __attribute__((__noinline__)) static void enter(void *address, void *caller,
                                                                 uintptr_t call_site) {
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    struct nvtxh_i_function *f = NULL;
    struct entered *e;
    size_t n;
    int saved_errno;

    if (here.busy || (!here.n && !nvtxh_i_active())) {
        return;
    }
    here.busy = true;
    saved_errno = errno;
    if (grow_entered() && (here.n || nvtxh_i_active_known())) {
        n = still_entered(stack, (uintptr_t)address, caller, call_site);
        while (here.n > n && nvtxh_i_stack_has(&here.stack, stack)) { /* else a coroutine's stack */
            leave_function(false);
        }
        if (nvtxh_i_active()) {
            f = function_at(address);
        }
        e = &here.entered[here.n++];
        e->function = f;
        e->address = address;
        e->caller = caller;
        e->call_site = call_site;
        e->stack = stack;
        e->open = 0;
        e->start = __atomic_load_n(&nvtxh_i_least_ns, __ATOMIC_RELAXED) ? now_ns() : 0;
        if (f && nvtxh_i_active() && is_shown(f)) {
            e->open = nvtxh_i_scope_enter_plain(&f->site.nvtxh_i_record);
        }
        if (e->open) {
            here.shown++;
        }
        if (!__atomic_load_n(&used, __ATOMIC_RELAXED)) {
            __atomic_store_n(&used, true, __ATOMIC_RELAXED);
        }
    }
    errno = saved_errno;
    here.busy = false;
}

NVTXH_I_UNHOOKED __attribute__((__noinline__)) static void leave_to(void *address, void *caller) {
    int saved_errno;
    size_t i;

    if (here.busy || !here.n) {
        return;
    }
    here.busy = true;
    saved_errno = errno;
    for (i = here.n; i; i--) {
        if (here.entered[i - 1].address == address && here.entered[i - 1].caller == caller) {
            break;
        }
    }
    while (i && here.n > i) {
        leave_function(false);
    }
    if (i) {
        leave_function(true);
    }
    errno = saved_errno;
    here.busy = false;
}

/* Both hooks test `used`, so that programs without a listener do not access `here`: in a shared
 * object, each access to it is a function call. */
void __cyg_profile_func_enter(void *address, void *caller) {
    if (nvtxh_i_active() || __atomic_load_n(&used, __ATOMIC_RELAXED)) {
        enter(address, caller, (uintptr_t)__builtin_return_address(0));
    }
}

void __cyg_profile_func_exit(void *address, void *caller) {
    if (__atomic_load_n(&used, __ATOMIC_RELAXED)) {
        leave_to(address, caller);
    }
}

#else

#pragma GCC diagnostic ignored "-Wunused-parameter"

void __cyg_profile_func_enter(void *function, void *caller) {
}

void __cyg_profile_func_exit(void *function, void *caller) {
}

void nvtxh_instrument_filter(const char *patterns) {
}

void nvtxh_instrument_depth(unsigned most) {
}

void nvtxh_instrument_min(uint64_t ns) {
}

#endif
