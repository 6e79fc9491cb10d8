/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool, linked in, that withdraws its functions while annotations run: after each of the first
 * instructions of each macro, as another thread might at any moment. It also gives them to macros
 * that began without. */
#include "nvtxh.h"

#include "../inject/step.h"

#include <stdint.h>
#include <stdio.h>

enum { MODULES = 2 };
static struct {
    NvtxFunctionTable functions;
    unsigned size;
} tables[MODULES];
static unsigned calls;

/* In place of each function: the arguments are left alone. */
static uint64_t any(void) {
    calls++;
    return 0;
}

static void set_all(NvtxFunctionPointer function) {
    for (int t = 0; t < MODULES; t++)
        for (unsigned id = 1; id < tables[t].size; id++)
            if (tables[t].functions[id])
                *tables[t].functions[id] = function;
}

static int init(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);

    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &tables[0].functions, &tables[0].size);
    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &tables[1].functions, &tables[1].size);
    set_all((NvtxFunctionPointer)any);
    return 1;
}

NVTX_DOMAIN(train, "train");
NVTX_CATEGORY(plain, NULL, "plain");
NVTX_CATEGORY(gemm, &train, "gemm");

static void scope(void) {
    NVTX_SCOPE("plain");
}

static void scope_attributes(void) {
    NVTX_SCOPE("attributes", .color = NVTXH_GREEN, .payload = nvtxh_payload(1));
}

static void scope_domain(void) {
    NVTX_SCOPE("domain", .domain = &train);
}

static void push(void) {
    NVTX_PUSH("plain");
    NVTX_POP();
}

static void push_domain(void) {
    NVTX_PUSH("domain", .domain = &train);
    NVTX_POP(.domain = &train);
}

static void mark(void) {
    NVTX_MARK("plain");
}

static void mark_domain(void) {
    NVTX_MARK("domain", .domain = &train);
}

static void start(void) {
    nvtxh_end(NVTX_START("plain"));
}

static void start_domain(void) {
    nvtxh_end(NVTX_START("domain", .domain = &train));
}

static void thread(void) {
    nvtxh_thread_name("name");
}

/* The domain is new again, and this is its first event. */
static void new_domain(void) {
    train.nvtxh_i_made = 0;
    NVTX_MARK("domain", .domain = &train);
}

static void new_category(void) {
    plain.nvtxh_i_id = 0;
    NVTX_MARK("category", .category = &plain);
}

static void new_domain_category(void) {
    gemm.nvtxh_i_id = 0;
    NVTX_MARK("category", .domain = &train, .category = &gemm);
}

static void (*const macros[])(void) = {scope,
                                       scope_attributes,
                                       scope_domain,
                                       push,
                                       push_domain,
                                       mark,
                                       mark_domain,
                                       start,
                                       start_domain,
                                       thread,
                                       new_domain,
                                       new_category,
                                       new_domain_category};

static NvtxFunctionPointer after;

#if STEPS
enum { MOST = 160 };

static void change(void) {
    set_all(after);
}

/* Runs a macro. The functions are BEFORE up to that instruction, then others. False: the macro has
 * fewer instructions. */
static bool changes(void (*macro)(void), int instruction, NvtxFunctionPointer before) {
    set_all(before);
    after = before ? NULL : (NvtxFunctionPointer)any;
    step_begin(instruction);
    macro();
    return step_end();
}

int main(void) {
    InitializeInjectionNvtx2_fnptr = init;
    step_init(change);
    for (unsigned v = 0; v < sizeof(macros) / sizeof(macros[0]); v++) {
        macros[v](); /* what is done once */
        for (int i = 1; i < MOST && changes(macros[v], i, (NvtxFunctionPointer)any); i++)
            ;
        for (int i = 1; i < MOST && changes(macros[v], i, NULL); i++)
            ;
    }
    return calls < 100;
}
#else
int main(void) {
    return 0;
}
#endif
