/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CHAIN_H
#define NVTXH_WRITE_CHAIN_H
/* Hands NVTX's calls on to other NVTX tools beside the recorder (the chain). Each tool fills in
 * tables of callbacks, as it would fill in NVTX's own tables. For a call that a tool wants, NVTX
 * gets a function of chain.c, which calls the recorder and the tools. Without other tools, NVTX
 * gets the recorder's own callbacks, and a call costs nothing more. */
#include <nvtx3/nvToolsExt.h>

struct ext_module;

#ifndef NVTXH_RECORD_LINKED

/* Calls the tools' entry points for one executable or shared object. Returns the tables that the
 * recorder must fill in: NVTX's own tables `exported` if there are no tools. */
const NvtxExportTableCallbacks *chain_begin(NvtxGetExportTableFunc_t get,
                                            const NvtxExportTableCallbacks *exported);

/* Puts the callbacks of the recorder and the tools into NVTX's tables. */
void chain_end(const NvtxExportTableCallbacks *exported);

/* Called if the recorder cannot record. Offers NVTX's tables to one tool after the other, until one
 * initialises successfully. Returns 0 if no tool does. */
int chain_instead(NvtxGetExportTableFunc_t get);
int chain_instead_ext(struct ext_module *module);

/* Does the work of chain_begin and chain_end for the callbacks of an NVTX extension. The recorder
 * has already put its own callbacks into `module`. */
void chain_ext(struct ext_module *module);

#else /* linked into a program: NVTX uses the recorder only if there is no other tool */

static inline const NvtxExportTableCallbacks *chain_begin(
    NvtxGetExportTableFunc_t get, const NvtxExportTableCallbacks *exported) {
    (void)get;
    return exported;
}
#define chain_end(exported) ((void)(exported))
#define chain_instead(get) 0
#define chain_instead_ext(module) 0
#define chain_ext(module) ((void)(module))

#endif
#endif /* NVTXH_WRITE_CHAIN_H */
