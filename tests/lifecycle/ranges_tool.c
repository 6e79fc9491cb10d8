/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool for ranges.c that takes no lock, and so may be called in a signal handler: when the
 * program exits, each process range has ended once, or the program's status is 1. */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);
#ifdef __cplusplus
}
#endif

enum { MOST = 1 << 24 };
static uint64_t started;
static uint8_t ended[MOST];

static nvtxRangeId_t start(const nvtxEventAttributes_t *event) {
    (void)event;
    return __atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
}

static nvtxRangeId_t domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event) {
    (void)domain;
    return start(event);
}

static void end(nvtxRangeId_t id) {
    if (id < MOST)
        __atomic_add_fetch(&ended[id], 1, __ATOMIC_RELAXED);
}

static void domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
    (void)domain;
    end(id);
}

static nvtxDomainHandle_t create(const char *name) {
    (void)name;
    return (nvtxDomainHandle_t)ended;
}

static __attribute__((destructor)) void at_exit(void) {
    uint64_t id;

    for (id = 1; id <= started && id < MOST; id++)
        if (ended[id] != 1) {
            fprintf(stderr, "range %llu of %llu has ended %u times\n", (unsigned long long)id,
                    (unsigned long long)started, ended[id]);
            _exit(1);
        }
    printf("%llu ranges\n", (unsigned long long)started);
    fflush(stdout);
}

static void set(const NvtxExportTableCallbacks *callbacks, NvtxCallbackModule module, uint32_t id,
                NvtxFunctionPointer function) {
    NvtxFunctionTable table = NULL;
    unsigned int size = 0;

    if (callbacks->GetModuleFunctionTable(module, &table, &size) && id < size && table[id])
        *table[id] = function;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);

    set(callbacks, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangeStartEx, (NvtxFunctionPointer)start);
    set(callbacks, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangeEnd, (NvtxFunctionPointer)end);
    set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangeStartEx,
        (NvtxFunctionPointer)domain_start);
    set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangeEnd,
        (NvtxFunctionPointer)domain_end);
    set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainCreateA,
        (NvtxFunctionPointer)create);
    return 1;
}
