/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CHAIN_H
#define NVTXH_WRITE_CHAIN_H
/*
 * Other tools of NVTX beside the recorder. Each is given tables of callbacks to fill in, as NVTX would. Where one wants
 * a call, NVTX gets a function of chain_core.c or chain_ext.c, which calls the recorder and then the tools. Without
 * other tools NVTX gets the recorder's own functions, and a call costs nothing more.
 */
#include <nvtx3/nvToolsExt.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ext_module;

#ifndef NVTXH_RECORD_LINKED

/* For the callbacks of one executable or shared object: where the recorder puts its own. Calls the tools' entry points.
 * `exported` itself where there is no chain. */
const NvtxExportTableCallbacks *chain_begin(NvtxGetExportTableFunc_t get,
                                            const NvtxExportTableCallbacks *exported);

/* Puts into NVTX's tables what the recorder and the tools have filled in. */
void chain_end(const NvtxExportTableCallbacks *exported);

/* The recorder cannot record: the first tool of the chain gets NVTX itself. 0: there is none. */
int chain_instead(NvtxGetExportTableFunc_t get);
int chain_instead_ext(struct ext_module *module);

/* The same as chain_begin and chain_end at once, after the recorder has filled in an extension's module. */
void chain_ext(struct ext_module *module);

#else /* linked into a program, which NVTX looks into only where there is no other tool */

static inline const NvtxExportTableCallbacks *chain_begin(NvtxGetExportTableFunc_t get,
                                                          const NvtxExportTableCallbacks *exported)
{
    (void)get;
    return exported;
}
#define chain_end(exported) ((void)(exported))
#define chain_instead(get) 0
#define chain_instead_ext(module) 0
#define chain_ext(module) ((void)(module))

#endif
#endif /* NVTXH_WRITE_CHAIN_H */
