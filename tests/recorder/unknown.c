/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a recording has no place for, each a known number of times; it is asked for by the numbers
 * that NVTX and its tools use, so that nothing but NVTX itself is needed to build it. */
#include "program.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

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
}

int main(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");

    nvtxMarkA("mark");
    nvtxEventAttributes_t a = with_text("typed");
    a.payloadType = 4242;
    for (int i = 0; i < 3; i++) {
        nvtxMarkEx(&a);
    }
    a = with_text("lost");
    a.messageType = 99;
    nvtxRangePushEx(&a);
    nvtxRangePop();
    nvtxMarkEx(&a);
    MUST(path);
    void *library = dlopen(path, RTLD_NOW);
    MUST(library);
    int (*init_extension)(struct module *);
    *(void **)&init_extension = dlsym(library, "InitializeInjectionNvtxExtension");
    MUST(init_extension);
    extension(init_extension, 1, 6);
    extension(init_extension, 2, 2); /* of a version before the first that was published */
    extension(init_extension, 4, 7);
    extension(init_extension, 99, 8);
    return 0;
}
