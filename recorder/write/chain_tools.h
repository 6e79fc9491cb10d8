/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CHAIN_TOOLS_H
#define NVTXH_WRITE_CHAIN_TOOLS_H
/* The tools of the chain, and the callbacks they have filled in. */
#include "ext_abi.h"

#include <nvtx3/nvToolsExt.h>

#include <stdbool.h>

enum { CHAIN_MOST = 7 }; /* tools beside the recorder, which is number 0 */
/* Numbers for the extensions, after those of NVTX's modules. */
enum { NVTX_CB_MODULE_PAYLOAD = NVTX_CB_MODULE_SYNC + 1, NVTX_CB_MODULE_COUNTER, CHAIN_MODULES };
enum { CHAIN_IDS = 18 };

struct chain_tool {
    NvtxFunctionPointer functions[CHAIN_MODULES][CHAIN_IDS];
    NvtxInitializeInjectionNvtxFunc_t init;
    int (*init_ext)(struct ext_module *module); /* NULL: it has none */
    const void *base;                           /* the address of the library */
    const char *path;
    bool worked; /* its initialisation succeeded, for some object */
    bool said;   /* a failure was reported */
};

extern struct chain_tool chain_tools[CHAIN_MOST + 1];
extern unsigned
    chain_count; /* tools beside the recorder; constant once chain_load has returned true */

/* The number of the tool whose depths and ids of ranges the program gets. 0: those of the recorder. */
extern unsigned chain_answers;

/*
 * Loads the tools that the environment names, at the first call. False: the code at this address gets no tools, because
 * there are none, because the code belongs to one of them, or because this thread is loading one. Also false if another
 * thread has not finished loading them after 10 s.
 */
bool chain_load(const void *code);

/* Writes into the recording that this tool gets the same calls, or reports that its initialisation failed. */
void chain_note(unsigned tool, bool worked);

#endif /* NVTXH_WRITE_CHAIN_TOOLS_H */
