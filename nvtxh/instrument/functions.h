/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INSTRUMENT_FUNCTIONS_H
#define NVTXH_INSTRUMENT_FUNCTIONS_H

/* The functions that have been called, by address. Not API. */

#include "symbols.h"
#include "../core/site.h"

#if NVTXH_ENABLED

enum { NVTXH_I_TABLE = 1024 };

#pragma GCC visibility push(hidden) /* because sites are hidden in C++ */
struct nvtxh_i_function {
    void *address;
    struct nvtxh_i_site_own site;
    uint32_t settings;    /* nvtxh_i_settings when `wanted` was computed */
    uint32_t wanted;      /* whether the patterns (settings.h) show the function */
    uint32_t short_calls; /* how many calls in a row, up to now, took less than nvtxh_i_least_ns */
};

/* A hash table with open addressing. When it is half full, it is copied into a table of twice the
 * size. The old table is not freed, because other threads may be reading it. */
struct nvtxh_i_function_table {
    size_t n;                       /* the number of entries, a power of two */
    struct nvtxh_i_function *of[1]; /* the entries; NULL: free */
};
#pragma GCC visibility pop

static struct nvtxh_i_function_table *nvtxh_i_functions;
static size_t nvtxh_i_n_functions;
static uint32_t nvtxh_i_functions_lock;

NVTXH_I_UNHOOKED static size_t nvtxh_i_function_hash(const void *address) {
    return (size_t)(((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u) >> 20);
}

NVTXH_I_UNHOOKED static struct nvtxh_i_function *nvtxh_i_function_find(
    const struct nvtxh_i_function_table *table, const void *address) {
    struct nvtxh_i_function *f;
    size_t i;

    for (i = nvtxh_i_function_hash(address); table; i++) {
        f = __atomic_load_n(&table->of[i & (table->n - 1)], __ATOMIC_ACQUIRE);
        if (!f || f->address == address) {
            return f;
        }
    }
    return NULL;
}

NVTXH_I_UNHOOKED static void nvtxh_i_function_put(struct nvtxh_i_function_table *table,
                                                  struct nvtxh_i_function *f) {
    size_t i = nvtxh_i_function_hash(f->address);

    while (table->of[i & (table->n - 1)]) {
        i++;
    }
    __atomic_store_n(&table->of[i & (table->n - 1)], f, __ATOMIC_RELEASE);
}

/* Under the lock: makes space for one more function. False on failure. */
NVTXH_I_UNHOOKED static bool nvtxh_i_functions_grow(void) {
    size_t n = nvtxh_i_functions ? 2 * nvtxh_i_functions->n : (size_t)NVTXH_I_TABLE, i;
    struct nvtxh_i_function_table *larger;

    if (nvtxh_i_functions && 2 * nvtxh_i_n_functions < nvtxh_i_functions->n) {
        return true;
    }
    larger = NVTXH_I_INSTRUMENT_ALLOC(struct nvtxh_i_function_table,
                                      sizeof(*larger) + n * sizeof(larger->of[0]));
    if (!larger) {
        return nvtxh_i_functions && nvtxh_i_n_functions + 1 < nvtxh_i_functions->n;
    }
    larger->n = n;
    for (i = 0; nvtxh_i_functions && i < nvtxh_i_functions->n; i++) {
        if (nvtxh_i_functions->of[i]) {
            nvtxh_i_function_put(larger, nvtxh_i_functions->of[i]);
        }
    }
    __atomic_store_n(&nvtxh_i_functions, larger, __ATOMIC_RELEASE);
    return true;
}

/* Finds or adds a function. USUAL: the signals that the thread blocks outside of signal handlers.
 * If more are blocked now, the thread is in a handler, where malloc must not be called. */
NVTXH_I_UNHOOKED static struct nvtxh_i_function *nvtxh_i_function_add(void *address,
                                                                      uint64_t usual) {
    struct nvtxh_i_function *f;
    const char *file, *name;
    uint64_t blocked;

    nvtxh_i_spin_lock(&nvtxh_i_functions_lock, &blocked);
    f = nvtxh_i_function_find(nvtxh_i_functions, address);
    if (!f && nvtxh_i_functions_grow() &&
        (f = NVTXH_I_INSTRUMENT_ALLOC(struct nvtxh_i_function, sizeof(*f)))) {
        name = nvtxh_i_function_name((uintptr_t)address, blocked & ~usual, &file);
        f->address = address;
        f->site.nvtxh_i_record.message = name ? name : "(no memory)";
        f->site.nvtxh_i_record.function = f->site.nvtxh_i_record.message;
        f->site.nvtxh_i_record.file = file;
        f->site.nvtxh_i_record.kind = NVTXH_I_KIND_SCOPE;
        f->site.nvtxh_i_record.flags = NVTXH_I_SITE_OWN | NVTXH_I_SITE_HOME;
        nvtxh_i_function_put(nvtxh_i_functions, f);
        nvtxh_i_n_functions++;
    }
    nvtxh_i_spin_unlock(&nvtxh_i_functions_lock, &blocked);
    return f;
}

#endif
#endif
