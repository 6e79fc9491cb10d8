/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CHAIN_TOOLS_H
#define NVTXH_WRITE_CHAIN_TOOLS_H
/* The tools of the chain, and what they have filled in. */
#include "ext_abi.h"

#include <nvtx3/nvToolsExt.h>

#include <stdbool.h>

enum { CHAIN_MOST = 7 }; /* tools beside the recorder, which is number 0 */
/* The extensions after NVTX's modules. */
enum { NVTX_CB_MODULE_PAYLOAD = NVTX_CB_MODULE_SYNC + 1, NVTX_CB_MODULE_COUNTER, CHAIN_MODULES };
enum { CHAIN_IDS = 18 };

struct chain_tool {
    NvtxFunctionPointer functions[CHAIN_MODULES][CHAIN_IDS];
    NvtxInitializeInjectionNvtxFunc_t init;
    int (*init_ext)(struct ext_module *module); /* NULL: it has none */
    const void *base;                           /* where the library lies */
    const char *path;
    bool worked; /* for some object, its initialisation */
    bool said;   /* that it did not */
};

extern struct chain_tool chain_tools[CHAIN_MOST + 1];
extern unsigned
    chain_count; /* tools beside the recorder; constant once chain_load has returned true */

/* The tool whose depths and ids of ranges the program gets; 0: the recorder. */
extern unsigned chain_answers;

/*
 * Loads the tools that the environment names, the first time it is called. False: there are none;
 * or there are none for the object that this code belongs to, since it is a tool itself, or since
 * this thread is loading one.
 */
bool chain_load(const void *code);

/* Keeps in the recording that this tool was there, or says that its initialisation failed. */
void chain_note(unsigned tool, bool worked);

#endif /* NVTXH_WRITE_CHAIN_TOOLS_H */
