/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a recording has no place for, each a known number of times; it is asked for by the numbers
 * that NVTX and its tools use, so that nothing but NVTX itself is needed to build it. */
#include "program.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum { MODULES = 7, FUNCTIONS = 20 };

static NvtxFunctionPointer called[MODULES][FUNCTIONS];
static NvtxFunctionPointer *slots[MODULES][FUNCTIONS + 1];

static int NVTX_API table_of(NvtxCallbackModule module, NvtxFunctionTable *out, unsigned *size)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        slots[module][i] = i ? &called[module][i] : NULL;
    }
    *out = slots[module];
    *size = FUNCTIONS;
    return 1;
}

static const void *NVTX_API export_table(uint32_t id)
{
    static const NvtxExportTableCallbacks table = {sizeof(table), table_of};

    return id == NVTX_ETID_CALLBACKS ? &table : NULL;
}

struct segment {
    size_t id, count;
    intptr_t *functions;
};

struct module {
    uint16_t version, size, id, compatible;
    size_t count;
    struct segment *segments;
    void *more[2];
};

typedef intptr_t any(void *, void *, size_t);

static void extension(int (*init)(struct module *), uint16_t id, int times)
{
    intptr_t functions[8] = {0};
    struct segment segment = {0, 8, functions};
    struct module module = {3, sizeof(module), id, 1, 1, &segment, {NULL, NULL}};

    MUST(init(&module) == 1);
    for (int i = 0; i < times; i++) {
        any *f;
        memcpy(&f, &functions[3], sizeof(f));
        MUST(f);
        f(NULL, NULL, 0);
    }
    if (id == 2) {
        any *pop;
        memcpy(&pop, &functions[4], sizeof(pop));
        for (int i = times - 1; i >= 0; i--) {
            MUST((int)pop(NULL, NULL, 0) == i);
        }
    }
}

int main(void)
{
    static const int calls[MODULES] = {[NVTX_CB_MODULE_CUDA] = 2,
                                       [NVTX_CB_MODULE_CUDART] = 3,
                                       [NVTX_CB_MODULE_OPENCL] = 4,
                                       [NVTX_CB_MODULE_SYNC] = 5};
    const char *path = getenv("NVTX_INJECTION64_PATH");

    nvtxMarkA("mark");
    MUST(path);
    void *library = dlopen(path, RTLD_NOW);
    MUST(library);
    int (*init)(NvtxGetExportTableFunc_t);
    int (*init_extension)(struct module *);
    *(void **)&init = dlsym(library, "InitializeInjectionNvtx2");
    *(void **)&init_extension = dlsym(library, "InitializeInjectionNvtxExtension");
    MUST(init && init_extension && init(export_table) == 1);
    for (int m = 0; m < MODULES; m++) {
        for (int i = 0; i < calls[m]; i++) {
            MUST(called[m][1 + i]);
            ((any *)called[m][1 + i])(NULL, NULL, 0);
        }
    }
    extension(init_extension, 1, 6);
    extension(init_extension, 2, 1); /* a push and a pop */
    extension(init_extension, 4, 7);
    extension(init_extension, 99, 8);
    return 0;
}
