/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CHECK_H
#define NVTXH_CHECK_H

/*
 * NVTXH_CHECK: reports mistakes on stderr, with the file and line of the beginning and of the end. Each place is
 * reported once, and at most 256 places are. The program goes on. Mistakes are looked for with and without a tool, so
 * conditions and attributes are always evaluated.
 *
 *   - a scope that ends while one opened later in its domain, on its thread, is still open
 *   - a pop without a push; a pop that would close a scope; a pop in another domain than the push
 *   - a process range that has not ended when the program exits
 *   - a category used in a domain that it does not belong to
 *
 * Define it for a whole executable or shared object, and keep a push and its pop in the same one: if another object,
 * or a file without NVTXH_CHECK, has pushed, the pop is reported as a mistake. A thread that has more than 256 ranges
 * open is not checked until all of them are closed.
 *
 * Without NVTXH_CHECK this costs nothing.
 */

#include "config.h"

#if NVTXH_I_CHECK
#include "impl/check.h"
#endif

#endif
