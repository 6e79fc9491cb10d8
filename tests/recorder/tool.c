/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An NVTX tool that misbehaves, as TOOL_IS says: "nested" uses NVTX itself while it is loaded, in
 * its entry point and in each callback; "garbage" returns invalid values, and writes garbage into
 * its arguments; "thread" waits in its entry point for a thread that uses NVTX. Prints how many
 * pushes it got. */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int pushes, pops, is_nested, is_garbage;

static void annotate(void) {
    if (is_nested) {
        nvtxRangePushA("of the tool");
        nvtxRangePop();
    }
}

static void *garbage(uintptr_t number) {
    return (void *)(is_garbage ? number : 0);
}

static int push(void) {
    pushes++;
    annotate();
    return is_garbage ? -12345 : pushes - pops - 1;
}

static int pop(void) {
    pops++;
    return is_garbage ? 1 << 30 : pushes - pops;
}

static nvtxRangeId_t start(void) {
    static nvtxRangeId_t last = 7;
    return is_garbage ? UINT64_MAX : ++last;
}

static void *make(void) {
    annotate();
    return garbage(0x8000000000000001u);
}

static void nothing(void) {
    annotate();
}

static void *work(void *unused) {
    nvtxMarkA("of the tool's thread");
    return unused;
}

__attribute__((constructor)) static void loaded(void) {
    const char *is = getenv("TOOL_IS");

    is_nested = is && !strcmp(is, "nested");
    is_garbage = is && !strcmp(is, "garbage");
    annotate();
}

__attribute__((destructor)) static void said(void) {
    char line[64];
    int n = snprintf(line, sizeof(line), "%d pushes, %d pops\n", pushes, pops);
    if (pushes) {
        (void)!write(STDERR_FILENO, line, (size_t)n);
    }
}

static void set(NvtxFunctionTable table, unsigned size, unsigned id, NvtxFunctionPointer function) {
    if (id < size && table[id]) {
        *table[id] = function;
    }
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *callbacks = get(NVTX_ETID_CALLBACKS);
    const char *is = getenv("TOOL_IS");
    NvtxFunctionTable table;
    unsigned size;
    pthread_t thread;

    annotate();
    get(12345);
    if (is && !strcmp(is, "thread") && !pthread_create(&thread, NULL, work, NULL)) {
        pthread_join(thread, NULL);
    }
    if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) ||
        callbacks->GetModuleFunctionTable(99, &table, &size) ||
        callbacks->GetModuleFunctionTable(0, &table, &size)) {
        return 0;
    }
    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size);
    for (unsigned id = 1; id < size; id++) {
        set(table, size, id, (NvtxFunctionPointer)nothing);
    }
    for (unsigned id = NVTX_CBID_CORE_RangePushEx; id <= NVTX_CBID_CORE_RangePushW; id++) {
        set(table, size, id, (NvtxFunctionPointer)push);
    }
    for (unsigned id = NVTX_CBID_CORE_RangeStartEx; id <= NVTX_CBID_CORE_RangeStartW; id++) {
        set(table, size, id, (NvtxFunctionPointer)start);
    }
    set(table, size, NVTX_CBID_CORE_RangePop, (NvtxFunctionPointer)pop);
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_SYNC, &table, &size)) {
        set(table, size, NVTX_CBID_SYNC_DomainSyncUserCreate, (NvtxFunctionPointer)make);
    }
    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size);
    for (unsigned id = 1; id < size; id++) {
        set(table, size, id, (NvtxFunctionPointer)make);
    }
    set(table, size, NVTX_CBID_CORE2_DomainRangePushEx, (NvtxFunctionPointer)push);
    set(table, size, NVTX_CBID_CORE2_DomainRangePop, (NvtxFunctionPointer)pop);
    set(table, size, NVTX_CBID_CORE2_DomainRangeStartEx, (NvtxFunctionPointer)start);
    if (is_garbage) {
        memset(table, 0xff, size * sizeof(*table));
    }
    return is_garbage ? -1 : 1;
}
