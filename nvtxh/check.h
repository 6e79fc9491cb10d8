/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CHECK_H
#define NVTXH_CHECK_H

/*
 * NVTXH_CHECK: a mistake is reported where it is made, on stderr, once for each place and for 256
 * places, with the file and line of both ends; the program goes on. Looked for whether or not a tool
 * is attached, so conditions and attributes are then evaluated in any case.
 *
 *   - a scope that ends while one opened later in its domain, on its thread, is still open
 *   - a pop without a push; a pop that would close a scope; a pop in another domain than the push
 *   - a process range that has not ended when the program exits
 *   - a category used in a domain that it does not belong to
 *
 * Define it for a whole executable or shared object, and keep a push and its pop in one: a pop here of
 * what a file without it, or another object, has pushed looks like a mistake. The innermost 256 open ranges of a thread are known by name; deeper ones are only
 * counted.
 *
 * Without NVTXH_CHECK there is nothing here, and nothing is spent.
 */

#include "config.h"

#if NVTXH_I_CHECK
#include "impl/check.h"
#endif

#endif
