/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that annotate themselves: 01_train, not changed, its annotations switched off
 * (NVTXH_DISABLE), compiled with -finstrument-functions and linked with nvtxh/instrument.c. Every
 * function of it is a range, named by its symbol, within the one that has called it.
 *
 *     nvtxh record -o build/functions.nvtxh -- 09_instrument README.md 1
 *     nvtxh stats build/functions.nvtxh
 *     NVTXH_INSTRUMENT='train*,forward,backward' NVTXH_STATS=1 09_instrument README.md 1
 */
#include "01_train.c"
