/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that a recording cannot hold, each a known number of times. They are made by the numbers
 * that NVTX and its tools use, so only NVTX itself is needed to build it. */
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

static void extension(int (*init)(struct module *), uint16_t id, int times) {
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

/* Structs that nobody has initialised: their sizes and pointers are random bytes. */
static void unfilled(int (*init)(struct module *)) {
    intptr_t functions[2][16] = {{0}};
    struct segment segments[2] = {{0, 16, functions[0]}, {0, 16, functions[1]}};
    struct module payload = {3, sizeof(payload), 2, 0x0104, 1, &segments[0], {NULL, NULL}};
    struct module counter = {3, sizeof(counter), 4, 0x0102, 1, &segments[1], {NULL, NULL}};
    uint64_t (*define)(void *, const void *);
    uint64_t attributes[7];
    struct {
        uint32_t size;
        uint16_t semantic, version;
        const void *next;
    } semantics = {0x40000000, 6, 1, (void *)8};

    MUST(init(&payload) == 1 && init(&counter) == 1);
    memset(attributes, 0x51, sizeof(attributes));
    memcpy(&define, &functions[0][12], sizeof(define)); /* a scope */
    MUST(!define(NULL, attributes));
    memcpy(&define, &functions[1][0], sizeof(define));
    MUST(!define(NULL, attributes));
    memset(attributes, 0, sizeof(attributes));
    attributes[0] = sizeof(attributes);
    attributes[5] = (uint64_t)(uintptr_t)&semantics;
    MUST(!define(NULL, attributes));
    attributes[0] += 8; /* of a newer version */
    attributes[5] = 0;
    MUST(define(NULL, attributes));
    nvtxResourceAttributes_t resource;
    memset(&resource, 0x51, sizeof(resource));
    MUST(!nvtxDomainResourceCreate(NULL, &resource));
}

int main(void) {
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
    unfilled(init_extension);
    return 0;
}
