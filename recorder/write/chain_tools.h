/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CHAIN_TOOLS_H
#define NVTXH_WRITE_CHAIN_TOOLS_H
/* The tools of the chain, and the callbacks they have filled in. */
#include "ext_abi.h"

#include <nvtx3/nvToolsExt.h>

#include <stdbool.h>

enum { CHAIN_MOST = 7 }; /* tools beside the recorder, which is number 0 */
/* The extensions' numbers continue those of NVTX's modules. */
enum { NVTX_CB_MODULE_PAYLOAD = NVTX_CB_MODULE_SYNC + 1, NVTX_CB_MODULE_COUNTER, CHAIN_MODULES };
enum { CHAIN_IDS = 18 }; /* the functions' numbers in a module are lower */

struct chain_tool {
    NvtxFunctionPointer functions[CHAIN_MODULES][CHAIN_IDS];
    NvtxInitializeInjectionNvtxFunc_t init;
    int (*init_ext)(struct ext_module *module); /* the entry point for extensions, or NULL */
    const void *base;                           /* where the tool's library begins in memory */
    const char *path;
    bool worked; /* initialisation succeeded for at least one executable or shared object */
    bool said;   /* the failure of the initialisation was reported */
};

extern struct chain_tool chain_tools[CHAIN_MOST + 1];
extern unsigned chain_count; /* tools beside the recorder; constant once chain_load was true */

/* The tool whose depths and range ids the program gets; 0: the recorder. */
extern unsigned chain_answers;

/* The first call loads the tools that the environment names. Returns whether the tools get the calls of the executable
 * or shared object that contains `code`. False: there are no tools, the object is a tool itself, this thread is loading
 * a tool, or another thread has not finished loading the tools after 10 s. */
bool chain_load(const void *code);

/* Records that a tool gets the same calls as the recorder, if its initialisation `worked`; else reports the failure. */
void chain_note(unsigned tool, bool worked);

#endif /* NVTXH_WRITE_CHAIN_TOOLS_H */
