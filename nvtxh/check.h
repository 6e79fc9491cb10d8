/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CHECK_H
#define NVTXH_CHECK_H

/* NVTXH_CHECK: reports mistakes on stderr, with file and line. A report never ends, stops or delays
 * the program: where it could, it is dropped (docs/limits.md). Each place is reported once, and at
 * most 256 places are. The program goes on. Mistakes are looked for with and without a tool, so
 * conditions and attributes are always evaluated.
 *
 *   - a scope that ends while its thread still has a range open that began later in the same domain
 *   - a pop without a push; a pop that would close a scope; a pop in another domain than the push
 *   - a process range that has not ended when the program exits, and a push that has not been
 *     popped, of the thread that exits or of one that has ended
 *   - a category used in a domain that it does not belong to
 *
 * Define it for a whole executable or shared object, and pop in the object that has pushed. If the
 * push is in another object, or in a file without NVTXH_CHECK, its pop is reported as a mistake. A
 * thread that has more than 256 ranges open is not checked until all of them are closed.
 *
 * Without NVTXH_CHECK this costs nothing. */

#pragma GCC system_header

#include "config.h"

#if NVTXH_I_CHECK
#include "impl/check.h"
#endif

#endif
