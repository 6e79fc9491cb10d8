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
enum { CHAIN_IDS = 18 }; /* in each module, the functions' numbers are below this */

struct chain_tool {
    NvtxFunctionPointer functions[CHAIN_MODULES][CHAIN_IDS];
    NvtxInitializeInjectionNvtxFunc_t init;
    int (*init_ext)(struct ext_module *module); /* its entry point for extensions, or NULL */
    const void *base;                           /* where its library begins in memory */
    const char *path;
    bool worked; /* its initialisation succeeded for at least one executable or shared object */
    bool said;   /* it was reported that its initialisation failed */
};

extern struct chain_tool chain_tools[CHAIN_MOST + 1];
extern unsigned
    chain_count; /* tools beside the recorder; constant once chain_load has returned true */

/* The number of the tool whose depths and ids of ranges the program gets. 0: those of the recorder. */
extern unsigned chain_answers;

/*
 * The first call loads the tools that the environment names. Returns whether the tools get the calls of the executable
 * or shared object that contains `code`. They do not if there are no tools, if that object is a tool itself, if this
 * thread is just loading a tool, or if another thread has not finished loading the tools after 10 s.
 */
bool chain_load(const void *code);

/* If the tool's initialisation `worked`, writes into the recording that the tool gets the same calls as the recorder;
 * otherwise reports that it failed. */
void chain_note(unsigned tool, bool worked);

#endif /* NVTXH_WRITE_CHAIN_TOOLS_H */
