/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_BENCH_TOOL_H
#define NVTXH_BENCH_TOOL_H

/* A tool that does nothing, to be linked in: InitializeInjectionNvtx2_fnptr = tool_init;
 * tool_extend(). */

#include <nvtx3/nvToolsExt.h> /* which nvtxh leaves out of the device's half of a .cu file */
#include <string.h>

static nvtxRangeId_t tool_start_ex(const nvtxEventAttributes_t *unused) {
    (void)unused;
    return 1;
}

static nvtxRangeId_t tool_start(const char *unused) {
    (void)unused;
    return 1;
}

static void tool_end(nvtxRangeId_t unused) {
    (void)unused;
}

static void tool_mark(const nvtxEventAttributes_t *unused) {
    (void)unused;
}

static nvtxStringHandle_t tool_string(nvtxDomainHandle_t unused, const char *text) {
    nvtxStringHandle_t handle;

    (void)unused;
    memcpy(&handle, &text, sizeof(handle));
    return handle;
}

/* Deferred events, where NVTX's headers have them. */
#if defined(NVTX_NULLPTR) && __has_include(<nvtx3/nvToolsExtPayload.h>)
#include <nvtx3/nvToolsExtPayload.h>

static uint64_t tool_schema(nvtxDomainHandle_t unused, const nvtxPayloadSchemaAttr_t *attr) {
    (void)unused;
    (void)attr;
    return NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START;
}

static uint64_t tool_clock(nvtxDomainHandle_t unused, const nvtxTimeDomainAttr_t *attr) {
    (void)unused;
    (void)attr;
    return NVTX_TIME_DOMAIN_ID_DYNAMIC_START;
}

static void tool_sync(nvtxDomainHandle_t unused, uint64_t from, uint64_t to, int64_t at,
                      int64_t is) {
    (void)unused;
    (void)from;
    (void)to;
    (void)at;
    (void)is;
}

static void tool_submit(nvtxDomainHandle_t unused, const nvtxPayloadData_t *data, size_t n) {
    (void)unused;
    (void)data;
    (void)n;
}

static int tool_extension(nvtxExtModuleInfo_t *info) {
    intptr_t *slots = info->segments->functionSlots;

    if (info->moduleId == NVTX_EXT_PAYLOAD_MODULEID) {
        slots[NVTX3EXT_CBID_nvtxPayloadSchemaRegister] = (intptr_t)tool_schema;
        slots[NVTX3EXT_CBID_nvtxTimeDomainRegister] = (intptr_t)tool_clock;
        slots[NVTX3EXT_CBID_nvtxTimeSyncPoint] = (intptr_t)tool_sync;
        slots[NVTX3EXT_CBID_nvtxEventSubmit] = (intptr_t)tool_submit;
    }
    return 1;
}

static void tool_extend(void) {
    InitializeInjectionNvtxExtension_fnptr = tool_extension;
}
#else
static void tool_extend(void) {
}
#endif

static int tool_init(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table;
    unsigned size;

    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size);
    *table[NVTX_CBID_CORE_RangeStartEx] = (NvtxFunctionPointer)tool_start_ex;
    *table[NVTX_CBID_CORE_RangeStartA] = (NvtxFunctionPointer)tool_start;
    *table[NVTX_CBID_CORE_RangeEnd] = (NvtxFunctionPointer)tool_end;
    *table[NVTX_CBID_CORE_MarkEx] = (NvtxFunctionPointer)tool_mark;
    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size);
    *table[NVTX_CBID_CORE2_DomainRegisterStringA] = (NvtxFunctionPointer)tool_string;
    return 1;
}

#endif
