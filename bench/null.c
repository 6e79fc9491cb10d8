/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool that does nothing: it takes every core callback of NVTX that a range can reach, and
 * returns at once. An annotation costs this much with any tool, plus the tool's own work. */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>

#define CALLBACK(id, function)                                                                     \
    if (table[id])                                                                                 \
    *table[id] = (NvtxFunctionPointer)function

static char domain, string;

static int push_a(const char *message) {
    (void)message;
    return 0;
}

static int push_ex(const nvtxEventAttributes_t *event) {
    (void)event;
    return 0;
}

static int pop(void) {
    return 0;
}

static int domain_push_ex(nvtxDomainHandle_t where, const nvtxEventAttributes_t *event) {
    (void)where;
    (void)event;
    return 0;
}

static int domain_pop(nvtxDomainHandle_t where) {
    (void)where;
    return 0;
}

static void mark_ex(const nvtxEventAttributes_t *event) {
    (void)event;
}

static void domain_mark_ex(nvtxDomainHandle_t where, const nvtxEventAttributes_t *event) {
    (void)where;
    (void)event;
}

static nvtxRangeId_t start_ex(const nvtxEventAttributes_t *event) {
    (void)event;
    return 1;
}

static void end(nvtxRangeId_t id) {
    (void)id;
}

static nvtxRangeId_t domain_start_ex(nvtxDomainHandle_t where, const nvtxEventAttributes_t *event) {
    (void)where;
    (void)event;
    return 1;
}

static void domain_end(nvtxDomainHandle_t where, nvtxRangeId_t id) {
    (void)where;
    (void)id;
}

static void name_category(uint32_t category, const char *name) {
    (void)category;
    (void)name;
}

static void domain_name_category(nvtxDomainHandle_t where, uint32_t category, const char *name) {
    (void)where;
    (void)category;
    (void)name;
}

static nvtxDomainHandle_t domain_create(const char *name) {
    (void)name;
    return (nvtxDomainHandle_t)&domain;
}

static nvtxStringHandle_t register_string(nvtxDomainHandle_t where, const char *text) {
    (void)where;
    (void)text;
    return (nvtxStringHandle_t)&string;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table;
    unsigned size;

    if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) ||
        size <= NVTX_CBID_CORE_RangePop)
        return 0;
    CALLBACK(NVTX_CBID_CORE_RangePushA, push_a);
    CALLBACK(NVTX_CBID_CORE_RangePushEx, push_ex);
    CALLBACK(NVTX_CBID_CORE_RangePop, pop);
    CALLBACK(NVTX_CBID_CORE_MarkEx, mark_ex);
    CALLBACK(NVTX_CBID_CORE_RangeStartEx, start_ex);
    CALLBACK(NVTX_CBID_CORE_RangeEnd, end);
    CALLBACK(NVTX_CBID_CORE_NameCategoryA, name_category);
    if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) ||
        size <= NVTX_CBID_CORE2_DomainCreateA)
        return 0;
    CALLBACK(NVTX_CBID_CORE2_DomainRangePushEx, domain_push_ex);
    CALLBACK(NVTX_CBID_CORE2_DomainRangePop, domain_pop);
    CALLBACK(NVTX_CBID_CORE2_DomainMarkEx, domain_mark_ex);
    CALLBACK(NVTX_CBID_CORE2_DomainRangeStartEx, domain_start_ex);
    CALLBACK(NVTX_CBID_CORE2_DomainRangeEnd, domain_end);
    CALLBACK(NVTX_CBID_CORE2_DomainNameCategoryA, domain_name_category);
    CALLBACK(NVTX_CBID_CORE2_DomainCreateA, domain_create);
    CALLBACK(NVTX_CBID_CORE2_DomainRegisterStringA, register_string);
    return 1;
}
