/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CHAIN_H
#define NVTXH_WRITE_CHAIN_H
/* Other NVTX tools beside the recorder. Each fills in tables of callbacks, as it would for NVTX.
 * For a call that a tool wants, NVTX gets a function of chain.c, which calls the recorder and the
 * tools. Without other tools, NVTX gets the recorder's own functions, and a call costs nothing
 * more. */
#include <nvtx3/nvToolsExt.h>

struct ext_module;

#ifndef NVTXH_RECORD_LINKED

/* Calls the tools' entry points for one executable or shared object. Returns the tables that the
 * recorder fills in: `exported` itself if there are no tools. */
const NvtxExportTableCallbacks *chain_begin(NvtxGetExportTableFunc_t get,
                                            const NvtxExportTableCallbacks *exported);

/* Puts the callbacks of the recorder and the tools into NVTX's tables. */
void chain_end(const NvtxExportTableCallbacks *exported);

/* If the recorder cannot record: gives NVTX's tables to the first tool that initialises
 * successfully. Returns 0 if no tool does. */
int chain_instead(NvtxGetExportTableFunc_t get);
int chain_instead_ext(struct ext_module *module);

/* Does what chain_begin and chain_end do, for an extension's module that the recorder has filled
 * in. */
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
