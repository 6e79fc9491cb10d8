/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the compiler calls at both ends of every function: see instrument.h.
 *
 * Each thread keeps the functions that it is in, shown or not, so that what ends is what has begun.
 * It is busy while it works on that: what is called from there, and may itself be instrumented, is
 * not looked at.
 */
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

#include "instrument_symbols.h"

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

enum { NVTXH_I_SHORT_CALLS = 8, NVTXH_I_TABLE = 1024 };

struct function {
    void *address;
    struct nvtxh_i_site_own site;
    uint32_t settings; /* the settings that `wanted` follows from */
    uint32_t wanted;
    uint32_t short_calls; /* in a row */
};

/* Open addressing; replaced by one of twice the size when half full, and then kept for readers. */
struct table {
    size_t n; /* a power of two */
    struct function *of[];
};

/* A function that a thread is in. */
struct entered {
    struct function *function; /* NULL: no memory */
    void *address, *caller;
    uintptr_t stack;
    uintptr_t open; /* as in a scope's guard; 0: not shown */
    uint64_t start;
};

struct thread {
    bool busy;
    size_t n, room, shown;
    struct entered *entered;
    uintptr_t stack_low, stack_high;
};

static __thread struct thread here;
static struct table *functions;
static size_t n_functions;
static uint32_t lock; /* the process id of the holder: a fork may leave it locked */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static char *patterns; /* replaced, never freed: somebody may be reading */
static unsigned depth_limit;
static uint64_t least_ns;
static uint32_t settings = 1;

NVTXH_I_SYMBOL_QUIET static void acquire(void)
{
    uint32_t process = (uint32_t)getpid(), owner = 0;

    while (!__atomic_compare_exchange_n(&lock, &owner, process, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
        if (owner == process) {
            owner = 0;
            sched_yield();
        }
}

NVTXH_I_SYMBOL_QUIET static void release(void)
{
    __atomic_store_n(&lock, 0u, __ATOMIC_RELEASE);
}

NVTXH_I_SYMBOL_QUIET static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* --- settings --- */

NVTXH_I_SYMBOL_QUIET static bool matches(const char *pattern, size_t n, const char *name)
{
    char text[256];

    if (n >= sizeof(text))
        return false;
    memcpy(text, pattern, n);
    text[n] = 0;
    return !fnmatch(text, name, 0);
}

NVTXH_I_SYMBOL_QUIET static bool is_wanted(const char *name)
{
    const char *at = __atomic_load_n(&patterns, __ATOMIC_ACQUIRE);
    bool any = false, in = false;

    if (!strncmp(name, "nvtxh_i_", 8))
        return false;
    while (at && *at) {
        size_t n = strcspn(at, ",");

        if (*at == '-' && matches(at + 1, n - 1, name))
            return false;
        if (*at != '-' && n) {
            any = true;
            in |= matches(at, n, name);
        }
        at += n + (at[n] == ',');
    }
    return in || !any;
}

NVTXH_I_SYMBOL_QUIET void nvtxh_instrument_filter(const char *given)
{
    char *copy = given && *given ? strdup(given) : NULL;

    __atomic_store_n(&patterns, copy, __ATOMIC_RELEASE);
    __atomic_add_fetch(&settings, 1, __ATOMIC_RELEASE);
}

NVTXH_I_SYMBOL_QUIET void nvtxh_instrument_depth(unsigned most)
{
    __atomic_store_n(&depth_limit, most, __ATOMIC_RELAXED);
}

NVTXH_I_SYMBOL_QUIET void nvtxh_instrument_min(uint64_t ns)
{
    __atomic_store_n(&least_ns, ns, __ATOMIC_RELAXED);
    __atomic_add_fetch(&settings, 1, __ATOMIC_RELEASE);
}

NVTXH_I_SYMBOL_QUIET static void thread_ends(void *entered)
{
    bool busy = here.busy;

    here.busy = true;
    free(entered);
    here.entered = NULL;
    here.n = here.room = here.shown = 0;
    here.busy = busy;
}

NVTXH_I_SYMBOL_QUIET static void begin(void)
{
    const char *filter = getenv("NVTXH_INSTRUMENT"), *depth = getenv("NVTXH_INSTRUMENT_DEPTH");
    const char *least = getenv("NVTXH_INSTRUMENT_MIN");
    char *end;

    pthread_key_create(&key, thread_ends);
    if (filter && !patterns)
        nvtxh_instrument_filter(filter);
    if (depth && !depth_limit)
        depth_limit = (unsigned)strtoul(depth, NULL, 10);
    if (least && !least_ns) {
        double ns = strtod(least, &end);

        ns *= !strcmp(end, "us") ? 1e3 : !strcmp(end, "ms") ? 1e6 : !strcmp(end, "s") ? 1e9 : 1;
        nvtxh_instrument_min(ns > 0 ? (uint64_t)ns : 0);
    }
}

/* --- functions --- */

NVTXH_I_SYMBOL_QUIET static size_t hash(const void *address)
{
    return (size_t)(((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u) >> 20);
}

NVTXH_I_SYMBOL_QUIET static struct function *find(const struct table *table, const void *address)
{
    struct function *f;
    size_t i;

    for (i = hash(address); table; i++) {
        f = __atomic_load_n(&table->of[i & (table->n - 1)], __ATOMIC_ACQUIRE);
        if (!f || f->address == address)
            return f;
    }
    return NULL;
}

NVTXH_I_SYMBOL_QUIET static void put(struct table *table, struct function *f)
{
    size_t i = hash(f->address);

    while (table->of[i & (table->n - 1)])
        i++;
    __atomic_store_n(&table->of[i & (table->n - 1)], f, __ATOMIC_RELEASE);
}

/* Under the lock: room for one more. */
NVTXH_I_SYMBOL_QUIET static bool grow(void)
{
    size_t n = functions ? 2 * functions->n : NVTXH_I_TABLE, i;
    struct table *larger;

    if (functions && 2 * n_functions < functions->n)
        return true;
    larger = (struct table *)calloc(1, sizeof(*larger) + n * sizeof(larger->of[0]));
    if (!larger)
        return functions && n_functions + 1 < functions->n;
    larger->n = n;
    for (i = 0; functions && i < functions->n; i++)
        if (functions->of[i])
            put(larger, functions->of[i]);
    __atomic_store_n(&functions, larger, __ATOMIC_RELEASE);
    return true;
}

NVTXH_I_SYMBOL_QUIET static struct function *add(void *address)
{
    struct function *f;
    const char *file;
    char *name;

    acquire();
    f = find(functions, address);
    if (!f && grow() && (f = (struct function *)calloc(1, sizeof(*f)))) {
        name = nvtxh_i_function_name((uintptr_t)address, &file);
        f->address = address;
        f->site.nvtxh_i_record.message = name ? name : "(no memory)";
        f->site.nvtxh_i_record.function = f->site.nvtxh_i_record.message;
        f->site.nvtxh_i_record.file = file;
        f->site.nvtxh_i_record.kind = NVTXH_I_KIND_SCOPE;
        f->site.nvtxh_i_record.flags = NVTXH_I_SITE_OWN | NVTXH_I_SITE_HOME;
        put(functions, f);
        n_functions++;
    }
    release();
    return f;
}

NVTXH_I_SYMBOL_QUIET static bool is_shown(struct function *f)
{
    uint32_t current = __atomic_load_n(&settings, __ATOMIC_ACQUIRE);

    if (__atomic_load_n(&f->settings, __ATOMIC_ACQUIRE) != current) {
        __atomic_store_n(&f->wanted, is_wanted(f->site.nvtxh_i_record.message), __ATOMIC_RELAXED);
        __atomic_store_n(&f->short_calls, 0u, __ATOMIC_RELAXED);
        __atomic_store_n(&f->settings, current, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&f->wanted, __ATOMIC_RELAXED) &&
           __atomic_load_n(&f->short_calls, __ATOMIC_RELAXED) < NVTXH_I_SHORT_CALLS &&
           (!depth_limit || here.shown < depth_limit);
}

/* --- the hooks --- */

/* The last of those that this thread is in, however it was left. */
NVTXH_I_SYMBOL_QUIET static void leave(bool in_time)
{
    struct entered e = here.entered[--here.n];
    uint64_t least = __atomic_load_n(&least_ns, __ATOMIC_RELAXED);

    if (e.open) {
        here.shown--;
        nvtxh_i_scope_leave(e.open);
    }
    if (!in_time || !least || !e.start || !e.function)
        return;
    if (now() - e.start >= least)
        __atomic_store_n(&e.function->short_calls, 0u, __ATOMIC_RELAXED);
    else if (__atomic_load_n(&e.function->short_calls, __ATOMIC_RELAXED) < NVTXH_I_SHORT_CALLS)
        __atomic_add_fetch(&e.function->short_calls, 1, __ATOMIC_RELAXED);
}

NVTXH_I_SYMBOL_QUIET static bool make_room(void)
{
    size_t room = here.room ? 2 * here.room : 256;
    struct entered *more;
    pthread_attr_t attributes;
    void *low;
    size_t size;

    if (here.n < here.room)
        return true;
    pthread_once(&once, begin);
    if (!here.stack_high && !pthread_getattr_np(pthread_self(), &attributes)) {
        if (!pthread_attr_getstack(&attributes, &low, &size)) {
            here.stack_low = (uintptr_t)low;
            here.stack_high = (uintptr_t)low + size;
        }
        pthread_attr_destroy(&attributes);
    }
    more = (struct entered *)realloc(here.entered, room * sizeof(*more));
    if (!more)
        return false;
    here.entered = more;
    here.room = room;
    pthread_setspecific(key, more);
    return true;
}

void __cyg_profile_func_enter(void *address, void *caller)
{
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    struct function *f;
    struct entered *e;
    int saved_errno;

    if (here.busy || (!here.n && !nvtxh_i_active()))
        return;
    here.busy = true;
    saved_errno = errno;
    if (make_room()) {
        /* What is no deeper in the stack than this one has been left, by longjmp. */
        if (stack >= here.stack_low && stack < here.stack_high)
            while (here.n && here.entered[here.n - 1].stack <= stack)
                leave(false);
        f = find(__atomic_load_n(&functions, __ATOMIC_ACQUIRE), address);
        if (!f)
            f = add(address);
        e = &here.entered[here.n++];
        e->function = f;
        e->address = address;
        e->caller = caller;
        e->stack = stack;
        e->open = 0;
        e->start = __atomic_load_n(&least_ns, __ATOMIC_RELAXED) ? now() : 0;
        if (f && nvtxh_i_active() && is_shown(f))
            e->open = nvtxh_i_scope_enter_own(&f->site.nvtxh_i_record);
        if (e->open)
            here.shown++;
    }
    errno = saved_errno;
    here.busy = false;
}

void __cyg_profile_func_exit(void *address, void *caller)
{
    int saved_errno;
    size_t i;

    if (here.busy || !here.n)
        return;
    here.busy = true;
    saved_errno = errno;
    for (i = here.n; i; i--)
        if (here.entered[i - 1].address == address && here.entered[i - 1].caller == caller)
            break;
    while (i && here.n > i)
        leave(false);
    if (i)
        leave(true);
    errno = saved_errno;
    here.busy = false;
}

#else

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)function;
    (void)caller;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
}

void nvtxh_instrument_filter(const char *given)
{
    (void)given;
}

void nvtxh_instrument_depth(unsigned most)
{
    (void)most;
}

void nvtxh_instrument_min(uint64_t ns)
{
    (void)ns;
}

#endif
