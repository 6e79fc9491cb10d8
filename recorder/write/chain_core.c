/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that NVTX's core calls when there are other tools, and the tables that the tools fill in. */
#include "chain.h"
#include "chain_call.h"
#include "subscribe.h"

#define EX const nvtxEventAttributes_t *a
#define TEXT(X, kind, module, name)                                                                \
    X(kind, module, name##A, (const char *text), (text), (text))                                   \
    X(kind, module, name##W, (const wchar_t *text), (text), (text))
#define NAMES(X, module, what)                                                                     \
    X(PASS, module, Name##what##A, (uintptr_t o, const char *name), (o, name), (o, name))          \
    X(PASS, module, Name##what##W, (uintptr_t o, const wchar_t *name), (o, name), (o, name))
#define SYNC(X, what) X(PASS, SYNC, DomainSyncUser##what, (void *r), (r), (R))

#define ALL(X)                                                                                     \
    X(PASS, CORE, MarkEx, (EX), (a), (A))                                                          \
    TEXT(X, PASS, CORE, Mark)                                                                      \
    X(START, CORE, RangeStartEx, (EX), (a), (A))                                                   \
    TEXT(X, START, CORE, RangeStart)                                                               \
    X(END, CORE, RangeEnd, (nvtxRangeId_t id), (each[0]), (each[t]))                               \
    X(PUSH, CORE, RangePushEx, (EX), (a), (A))                                                     \
    TEXT(X, PUSH, CORE, RangePush)                                                                 \
    X(POP, CORE, RangePop, (void), (), ())                                                         \
    NAMES(X, CORE, Category)                                                                       \
    NAMES(X, CORE, OsThread)                                                                       \
    X(PASS, CORE2, DomainMarkEx, (void *d, EX), (d, a), (D, A))                                    \
    X(START, CORE2, DomainRangeStartEx, (void *d, EX), (d, a), (D, A))                             \
    X(END, CORE2, DomainRangeEnd, (void *d, nvtxRangeId_t id), (d, each[0]), (D, each[t]))         \
    X(PUSH, CORE2, DomainRangePushEx, (void *d, EX), (d, a), (D, A))                               \
    X(POP, CORE2, DomainRangePop, (void *d), (d), (D))                                             \
    X(PASS, CORE2, DomainNameCategoryA, (void *d, uint32_t n, const char *s), (d, n, s),           \
      (D, n, s))                                                                                   \
    X(PASS, CORE2, DomainNameCategoryW, (void *d, uint32_t n, const wchar_t *s), (d, n, s),        \
      (D, n, s))                                                                                   \
    X(MAKE, CORE2, DomainRegisterStringA, (void *d, const char *s), (chain_wanted(d), s), (D, s),  \
      CHAIN_STRING)                                                                                \
    X(MAKE, CORE2, DomainRegisterStringW, (void *d, const wchar_t *s), (chain_wanted(d), s),       \
      (D, s), CHAIN_STRING)                                                                        \
    X(MAKE, CORE2, DomainCreateA, (const char *name), (name), (name), CHAIN_DOMAIN)                \
    X(MAKE, CORE2, DomainCreateW, (const wchar_t *name), (name), (name), CHAIN_DOMAIN)             \
    X(MAKE, CORE2, DomainResourceCreate, (void *d, const nvtxResourceAttributes_t *a), (d, a),     \
      (D, chain_resource(a, &copy, t)), CHAIN_RESOURCE)                                            \
    X(PASS, CORE2, DomainResourceDestroy, (void *r), (r), (R))                                     \
    X(PASS, CORE2, Initialize, (const void *reserved), (reserved), (reserved))                     \
    NAMES(X, CUDA, CuDevice)                                                                       \
    NAMES(X, CUDA, CuContext)                                                                      \
    NAMES(X, CUDA, CuStream)                                                                       \
    NAMES(X, CUDA, CuEvent)                                                                        \
    NAMES(X, CUDART, CudaDevice)                                                                   \
    NAMES(X, CUDART, CudaStream)                                                                   \
    NAMES(X, CUDART, CudaEvent)                                                                    \
    NAMES(X, OPENCL, ClDevice)                                                                     \
    NAMES(X, OPENCL, ClContext)                                                                    \
    NAMES(X, OPENCL, ClCommandQueue)                                                               \
    NAMES(X, OPENCL, ClMemObject)                                                                  \
    NAMES(X, OPENCL, ClSampler)                                                                    \
    NAMES(X, OPENCL, ClProgram)                                                                    \
    NAMES(X, OPENCL, ClEvent)                                                                      \
    X(MAKE, SYNC, DomainSyncUserCreate, (void *d, const struct chain_sync *a), (d, a),             \
      (D, chain_sync(a, &copy, t)), CHAIN_RESOURCE)                                                \
    SYNC(X, Destroy)                                                                               \
    SYNC(X, AcquireStart)                                                                          \
    SYNC(X, AcquireFailed)                                                                         \
    SYNC(X, AcquireSuccess)                                                                        \
    SYNC(X, Releasing)

ALL(CALL_FUNCTION)

static void CORE2_DomainDestroy(void *d)
{
    chain_row theirs;

    chain_domain_gone(d, theirs);
    CALL_OURS(CORE2, DomainDestroy, void, (void *), (d));
    for (unsigned t = 1; t <= chain_count; t++) {
        void (*call)(uintptr_t) = (void (*)(uintptr_t))CALL_ROW(t, CORE2, DomainDestroy);
        if (call && theirs[t]) {
            call(theirs[t]);
        }
    }
}

static const struct callback callbacks[] = {
    ALL(CALL_ENTRY) CALL_ENTRY(PASS, CORE2, DomainDestroy, ){0},
};

/* --- tables ------------------------------------------------------------------------------------ */

static const unsigned sizes[CHAIN_MODULES] = {
    [NVTX_CB_MODULE_CORE] = NVTX_CBID_CORE_SIZE,
    [NVTX_CB_MODULE_CUDA] = NVTX_CBID_CUDA_SIZE,
    [NVTX_CB_MODULE_OPENCL] = NVTX_CBID_OPENCL_SIZE,
    [NVTX_CB_MODULE_CUDART] = NVTX_CBID_CUDART_SIZE,
    [NVTX_CB_MODULE_CORE2] = NVTX_CBID_CORE2_SIZE,
    [NVTX_CB_MODULE_SYNC] = NVTX_CBID_SYNC_SIZE,
};

static NvtxGetExportTableFunc_t nvtx_get;

static int table_of(unsigned tool, NvtxCallbackModule module, NvtxFunctionTable *ret_table,
                    unsigned *ret_size)
{
    static NvtxFunctionPointer *pointers[CHAIN_MOST + 1][CHAIN_MODULES][CHAIN_IDS];

    if ((unsigned)module >= CHAIN_MODULES || !sizes[module]) {
        return 0;
    }
    for (unsigned id = 1; id < sizes[module]; id++) { /* 0 is no function */
        pointers[tool][module][id] = &chain_tools[tool].functions[module][id];
    }
    if (ret_table) {
        *ret_table = pointers[tool][module];
    }
    if (ret_size) {
        *ret_size = sizes[module];
    }
    return 1;
}

/* NVTX's functions have no parameter that says which tool calls them, so each tool gets its own copy. */
#define EXPORTED(n)                                                                                \
    static int table_##n(NvtxCallbackModule module, NvtxFunctionTable *ret_table,                  \
                         unsigned *ret_size)                                                       \
    {                                                                                              \
        return table_of(n, module, ret_table, ret_size);                                           \
    }                                                                                              \
    static const NvtxExportTableCallbacks exported_##n = {sizeof(exported_##n), table_##n};        \
    static const void *get_##n(uint32_t table)                                                     \
    {                                                                                              \
        return table == NVTX_ETID_CALLBACKS ? &exported_##n : nvtx_get(table);                     \
    }
EXPORTED(0)
EXPORTED(1)
EXPORTED(2)
EXPORTED(3)
EXPORTED(4)
EXPORTED(5)
EXPORTED(6)
EXPORTED(7)

/* Stands for a callback that the recorder does not have. */
static void nothing(void)
{
}

const NvtxExportTableCallbacks *chain_begin(NvtxGetExportTableFunc_t get,
                                            const NvtxExportTableCallbacks *exported)
{
    static const NvtxGetExportTableFunc_t gets[] = {get_0, get_1, get_2, get_3,
                                                    get_4, get_5, get_6, get_7};

    if (!chain_load(*(void **)&get)) {
        return exported;
    }
    nvtx_get = get;
    for (const struct callback *c = callbacks; c->function; c++) {
        if (!chain_tools[0].functions[c->module][c->id]) {
            chain_tools[0].functions[c->module][c->id] = nothing;
        }
    }
    for (unsigned t = 1; t <= chain_count; t++) {
        chain_note(t, chain_tools[t].init(gets[t]) != 0);
    }
    return gets[0](NVTX_ETID_CALLBACKS);
}

/* Whether NVTX needs the function made here even if no tool wants the call: at the end of a range, whose id may be a
 * tool's, and when a domain is destroyed, because the tools' handles of the domain are forgotten then. */
static bool is_end(const struct callback *c)
{
    return c->function == (NvtxFunctionPointer)CORE_RangeEnd ||
           c->function == (NvtxFunctionPointer)CORE2_DomainRangeEnd ||
           c->function == (NvtxFunctionPointer)CORE2_DomainDestroy;
}

void chain_end(const NvtxExportTableCallbacks *exported)
{
    for (const struct callback *c = callbacks; c->function; c++) {
        struct callback one[2] = {*c};
        bool wanted = is_end(c) || chain_answers;
        for (unsigned t = 1; t <= chain_count && !wanted; t++) {
            wanted = chain_tools[t].functions[c->module][c->id] != NULL;
        }
        if (!wanted) {
            one->function = chain_tools[0].functions[c->module][c->id];
        }
        if (one->function != nothing) {
            subscribe(exported, one);
        }
    }
}

int chain_instead(NvtxGetExportTableFunc_t get)
{
    bool worked = false;

    for (unsigned t = 1; chain_load(*(void **)&get) && t <= chain_count && !worked; t++) {
        worked = chain_tools[t].init(get) != 0;
    }
    return worked;
}
