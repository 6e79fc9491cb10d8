/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Hands NVTX's calls on to another NVTX tool beside the recorder. The tool fills in tables of
 * callbacks, as it would fill in NVTX's own tables. For a call that the tool wants, NVTX gets a
 * function of tool.c, which calls the recorder and the tool. Without another tool, NVTX gets the
 * recorder's own callbacks, and a call costs nothing more. */
#include <nvtx3/nvToolsExt.h>

struct ext_module;

#ifndef NVTXH_RECORD_LINKED

/* Calls the tool's entry point for one executable or shared object. Returns the tables that the
 * recorder must fill in: NVTX's own tables `exported` if there is no tool. */
const NvtxExportTableCallbacks *tool_begin(NvtxGetExportTableFunc_t get,
                                           const NvtxExportTableCallbacks *exported);

/* Puts the callbacks of the recorder and the tool into NVTX's tables. */
void tool_end(const NvtxExportTableCallbacks *exported);

/* Called if the recorder cannot record. Offers NVTX's tables to the tool. Returns 0 if there is no
 * tool, or if it does not initialise. */
int tool_instead(NvtxGetExportTableFunc_t get);
int tool_instead_ext(struct ext_module *module);

/* Does the work of tool_begin and tool_end for the callbacks of an NVTX extension. The recorder
 * has already put its own callbacks into `module`. */
void tool_ext(struct ext_module *module);

#else /* linked into a program: NVTX uses the recorder only if there is no other tool */

static inline const NvtxExportTableCallbacks *tool_begin(NvtxGetExportTableFunc_t get,
                                                         const NvtxExportTableCallbacks *exported) {
    (void)get;
    return exported;
}
#define tool_end(exported) ((void)(exported))
#define tool_instead(get) 0
#define tool_instead_ext(module) 0
#define tool_ext(module) ((void)(module))

#endif
