/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool for first_fork.c: says when its slow part begins, which is its first call or the first
 * string. */
#include <nvtx3/nvToolsExt.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);
#ifdef __cplusplus
}
#endif

static int first;

static void say(int number) {
    if (write(9, &number, sizeof(number)) != sizeof(number))
        abort();
}

static void slow(void) {
    if (!__atomic_exchange_n(&first, 1, __ATOMIC_RELAXED)) {
        say(0);
        usleep(500000);
    }
}

static void mark(const nvtxEventAttributes_t *event) {
    (void)event;
    say(getpid());
}

static nvtxStringHandle_t string(nvtxDomainHandle_t domain, const char *text) {
    (void)domain;
    slow();
    return (nvtxStringHandle_t)text;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    const char *later = getenv("NVTXH_TEST_LATER");

    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, NULL))
        *table[NVTX_CBID_CORE_MarkEx] = (NvtxFunctionPointer)mark;
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, NULL))
        *table[NVTX_CBID_CORE2_DomainRegisterStringA] = (NvtxFunctionPointer)string;
    if (!later)
        slow();
    return 1;
}
