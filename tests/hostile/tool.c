/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool with random behaviour, seeded by HOSTILE_SEED: it takes any of NVTX's functions or none,
 * fails after it has taken some, returns NULL, garbage, or an earlier result, calls NVTX and
 * annotated code from its callbacks, takes and withdraws functions during a call, and waits. It
 * ignores arguments, so that one function serves for all. */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { MODULES = 64, NESTED = 3 };

static uint64_t drawn, answered;
static unsigned taken, restless; /* of 4: how many functions, and how often they change */
static __thread int nested;
static struct table {
    NvtxFunctionTable functions;
    unsigned size;
} tables[MODULES];
static int table_count;
static void (*annotated)(void);

static uint64_t draw(void) {
    uint64_t x = __atomic_add_fetch(&drawn, 0x9e3779b97f4a7c15u, __ATOMIC_RELAXED);

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t answer(void) {
    uint64_t x;

    switch (draw() % 5) {
    case 0:
        return 0;
    case 1:
        return (uint64_t)-1;
    case 2:
        return __atomic_load_n(&answered, __ATOMIC_RELAXED);
    case 3:
        return draw() % 4;
    default:
        x = draw();
        __atomic_store_n(&answered, x, __ATOMIC_RELAXED);
        return x;
    }
}

static uint64_t any(void);

static void change(void) {
    int count = __atomic_load_n(&table_count, __ATOMIC_ACQUIRE);

    if (count && draw() % 4 < restless) {
        struct table *t = &tables[draw() % (unsigned)count];
        unsigned id = 1 + (unsigned)(draw() % t->size);
        if (id < t->size && t->functions[id]) {
            __atomic_store_n(t->functions[id], draw() % 2 ? NULL : (NvtxFunctionPointer)any,
                             __ATOMIC_RELAXED);
        }
    }
}

static void call_back(void) {
    switch (draw() % 8) {
    case 0:
        nvtxMarkA("of the tool");
        break;
    case 1:
        nvtxRangePushA("of the tool");
        break;
    case 2:
        nvtxRangePop();
        break;
    case 3:
        nvtxDomainCreateA("of the tool");
        break;
    default:
        if (annotated) {
            annotated();
        }
    }
}

static uint64_t any(void) {
    uint64_t what = draw() % 64;

    if (nested < NESTED) {
        nested++;
        if (what < 4) {
            call_back();
        } else if (what < 8) {
            change();
        } else if (what == 8) {
            sched_yield();
        } else if (what == 9 && draw() % 64 == 0) {
            nanosleep(&(struct timespec){0, 1000}, NULL);
        }
        nested--;
    }

    return answer();
}

static int is_taken(void) {
    return draw() % 4 < taken;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);
int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *info);

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);
    const char *seed = getenv("HOSTILE_SEED");

    nested += NESTED;
    if (!drawn) {
        drawn = seed ? strtoull(seed, NULL, 10) << 20 : 1;
        taken = (unsigned)(draw() % 5);
        restless = (unsigned)(draw() % 5);
        *(void **)(void *)&annotated = dlsym(RTLD_DEFAULT, "annotated_for_tool");
        /* NVTX waits for the end of its own first call; this call comes from inside that one, so it
         * must not wait. */
        nvtxInitialize(NULL);
    }
    for (unsigned module = NVTX_CB_MODULE_CORE; module <= NVTX_CB_MODULE_CORE2; module++) {
        NvtxFunctionTable functions;
        unsigned size;

        if (!callbacks->GetModuleFunctionTable((NvtxCallbackModule)module, &functions, &size)) {
            continue;
        }
        for (unsigned id = 1; id < size; id++) {
            if (functions[id] && is_taken()) {
                *functions[id] = (NvtxFunctionPointer)any;
            }
        }
        if (table_count < MODULES) {
            tables[table_count] = (struct table){functions, size};
            __atomic_store_n(&table_count, table_count + 1, __ATOMIC_RELEASE);
        }
        if (annotated && draw() % 8 == 0) {
            annotated();
        }
    }
    nested -= NESTED;
    errno = ENOTTY;
    return draw() % 8 != 0;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    nvtxExtModuleInfo_t *info) {
    for (size_t s = 0; s < info->segmentsCount; s++) {
        for (size_t id = 1; id < info->segments[s].slotCount; id++) {
            if (is_taken()) {
                info->segments[s].functionSlots[id] = (intptr_t)any;
            }
        }
    }
    return draw() % 8 != 0;
}
