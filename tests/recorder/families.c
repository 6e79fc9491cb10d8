/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Everything that NVTX can name other than ranges and marks: objects of CUDA, its runtime and
 * OpenCL, resources, synchronization objects; ASCII and wide. The functions of CUDA and OpenCL are
 * called by their numbers, so that their headers are not needed. */
#include "program.h"

#include <nvtx3/nvToolsExtSync.h>

#include <dlfcn.h>
#include <stdint.h>
#include <sys/wait.h>

enum { MODULES = 7, FUNCTIONS = 20 };

static NvtxFunctionPointer called[MODULES][FUNCTIONS];
static NvtxFunctionPointer *slots[MODULES][FUNCTIONS + 1];

static int NVTX_API table_of(NvtxCallbackModule module, NvtxFunctionTable *out, unsigned *size) {
    for (int i = 0; i < FUNCTIONS; i++) {
        slots[module][i] = i ? &called[module][i] : NULL;
    }
    *out = slots[module];
    *size = FUNCTIONS;
    return 1;
}

static const void *NVTX_API export_table(uint32_t id) {
    static const NvtxExportTableCallbacks table = {sizeof(table), table_of};

    return id == NVTX_ETID_CALLBACKS ? &table : NULL;
}

/* Each kind of object in turn: its first as a device is, by a number, the others by a pointer. */
static void name_all(int module, int kinds, const char *ascii, const wchar_t *wide) {
    for (int kind = 0; kind < kinds; kind++) {
        int id = 1 + 2 * kind;
        if (kind == 0 && module != NVTX_CB_MODULE_OPENCL) {
            ((void (*)(int, const char *))called[module][id])(3, ascii);
            ((void (*)(int, const wchar_t *))called[module][id + 1])(4, wide);
        } else {
            ((void (*)(uintptr_t, const char *))called[module][id])(0x1000u * (unsigned)id, ascii);
            ((void (*)(uintptr_t, const wchar_t *))called[module][id + 1])(
                0x1000u * (unsigned)id + 8, wide);
        }
    }
}

int main(void) {
    const char *path = getenv("NVTX_INJECTION64_PATH");
    nvtxDomainHandle_t domain = nvtxDomainCreateW(L"families");
    nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain, "a registered name");

    MUST(path);
    void *library = dlopen(path, RTLD_NOW);
    int (*init)(NvtxGetExportTableFunc_t);
    *(void **)&init = dlsym(library, "InitializeInjectionNvtx2");
    MUST(init && init(export_table) == 1);
    name_all(NVTX_CB_MODULE_CUDA, 4, "cuda", L"cuda w\u00e9");
    name_all(NVTX_CB_MODULE_CUDART, 3, "cudart", L"cudart w\u20ac");
    name_all(NVTX_CB_MODULE_OPENCL, 7, "opencl", L"opencl w\U0001f600");
    ((void (*)(int, const char *))called[NVTX_CB_MODULE_CUDA][1])(3, "cuda, renamed");
    ((void (*)(int, const char *))called[NVTX_CB_MODULE_CUDA][1])(3, "cuda, renamed");

    nvtxResourceAttributes_t r = {0};
    r.version = NVTX_VERSION;
    r.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
    r.identifierType = NVTX_RESOURCE_TYPE_GENERIC_HANDLE;
    r.identifier.ullValue = 77;
    r.messageType = NVTX_MESSAGE_TYPE_ASCII;
    r.message.ascii = "a resource";
    nvtxResourceHandle_t first = nvtxDomainResourceCreate(domain, &r);
    r.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    r.message.registered = string;
    nvtxResourceHandle_t second = nvtxDomainResourceCreate(domain, &r);
    MUST(first && second && first != second);
    nvtxDomainResourceDestroy(first);
    nvtxDomainResourceDestroy(first); /* once too often: counted */

    nvtxSyncUserAttributes_t s = {0};
    s.version = NVTX_VERSION;
    s.size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE;
    s.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    s.message.unicode = L"a lock";
    nvtxSyncUser_t lock = nvtxDomainSyncUserCreate(domain, &s);
    MUST(lock);
    nvtxDomainSyncUserAcquireStart(lock);
    nvtxDomainSyncUserAcquireFailed(lock);
    nvtxDomainSyncUserAcquireStart(lock);
    nvtxDomainSyncUserAcquireSuccess(lock);
    nvtxDomainSyncUserReleasing(lock);

    pid_t child = fork(); /* its names are repeated, without `first`, which is gone */
    if (child == 0) {
        nvtxDomainSyncUserReleasing(lock);
        _exit(0);
    }
    MUST(child > 0 && waitpid(child, NULL, 0) == child);
    nvtxDomainSyncUserDestroy(lock);
    nvtxDomainDestroy(domain);

    /* What is newer than the recorder is counted. */
    MUST(called[NVTX_CB_MODULE_CUDA][19]);
    ((void (*)(int))called[NVTX_CB_MODULE_CUDA][19])(1);
    return 0;
}
