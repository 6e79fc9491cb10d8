/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_MODEL_TOOL_H
#define NVTXH_TEST_MODEL_TOOL_H

/* The tool of model.c, linked in: which ranges are open, and how many it got. */

#include "suite.h"

enum { OPEN = 1 << 16 };

static unsigned char open_ids[OPEN];
static uint64_t last_id, n_starts, n_ends, n_marks, n_bad;
/* Called with the event of each range that starts and of each mark, if it is not NULL. */
static void (*on_event)(const nvtxEventAttributes_t *event);

static nvtxRangeId_t tool_start(const nvtxEventAttributes_t *event) {
    uint64_t id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);

    if (event->messageType != NVTX_MESSAGE_TYPE_REGISTERED || event->version != NVTX_VERSION ||
        __atomic_exchange_n(&open_ids[id % OPEN], 1, __ATOMIC_ACQ_REL))
        __atomic_add_fetch(&n_bad, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&n_starts, 1, __ATOMIC_RELAXED);
    if (on_event)
        on_event(event);
    return id;
}

static void tool_end(nvtxRangeId_t id) {
    if (!__atomic_exchange_n(&open_ids[id % OPEN], 0, __ATOMIC_ACQ_REL))
        __atomic_add_fetch(&n_bad, 1, __ATOMIC_RELAXED); /* twice, or never begun */
    __atomic_add_fetch(&n_ends, 1, __ATOMIC_RELAXED);
}

static void tool_mark(const nvtxEventAttributes_t *event) {
    __atomic_add_fetch(&n_marks, 1, __ATOMIC_RELAXED);
    if (on_event)
        on_event(event);
}

static nvtxRangeId_t tool_domain_start(nvtxDomainHandle_t domain,
                                       const nvtxEventAttributes_t *event) {
    (void)domain;
    return tool_start(event);
}

static void tool_domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
    (void)domain;
    tool_end(id);
}

static nvtxStringHandle_t tool_string(nvtxDomainHandle_t domain, const char *text) {
    (void)domain;
    return (nvtxStringHandle_t)(uintptr_t)text;
}

static int tool_init(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table;
    unsigned size;

    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size);
    *table[NVTX_CBID_CORE_RangeStartEx] = (NvtxFunctionPointer)tool_start;
    *table[NVTX_CBID_CORE_RangeEnd] = (NvtxFunctionPointer)tool_end;
    *table[NVTX_CBID_CORE_MarkEx] = (NvtxFunctionPointer)tool_mark;
    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size);
    *table[NVTX_CBID_CORE2_DomainRegisterStringA] = (NvtxFunctionPointer)tool_string;
    *table[NVTX_CBID_CORE2_DomainRangeStartEx] = (NvtxFunctionPointer)tool_domain_start;
    *table[NVTX_CBID_CORE2_DomainRangeEnd] = (NvtxFunctionPointer)tool_domain_end;
    return 1;
}

/* Where NVTX looks for a tool that is linked in. */
extern NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = tool_init;

#endif
