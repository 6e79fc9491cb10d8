/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INSTRUMENT_H
#define NVTXH_INSTRUMENT_H

/*
 * Every function a range, without an annotation in the source: compile it with
 *
 *     -finstrument-functions                     gcc and clang; gcc can leave out files and functions:
 *                                                -finstrument-functions-exclude-file-list=...
 *     -finstrument-functions-after-inlining      clang: not what has been inlined
 *
 * and link nvtxh/instrument.c (Meson: add nvtxh_instrument to the sources; it may itself be compiled
 * with these flags). The ranges are scopes like those of NVTXH_SCOPE, in NVTX's default domain: for
 * tools, for the recorder, for the statistics of nvtxh/stats.h, and paused by nvtxh_enable(false).
 * NVTXH_DISABLE leaves them on, as they are not annotations; NVTX_DISABLE turns them off.
 *
 * A function is known by its symbol, static ones as well: from the executable's or shared object's own
 * symbol table, or if it is stripped by its address in it ("prog+0x1234"). C++ names are demangled if
 * the program has the C++ library. Each is looked up, and registered with the tool, once.
 *
 * Settings, in the environment and at run time:
 *
 *   NVTXH_INSTRUMENT=PATTERNS     nvtxh_instrument_filter("train_*,-*_debug"): patterns as the shell's,
 *                                 separated by commas. Shown: functions that match a pattern without
 *                                 '-' (all, if there is no such pattern) and no pattern with '-'.
 *   NVTXH_INSTRUMENT_DEPTH=N      nvtxh_instrument_depth(n): at most n within each other are shown; 0:
 *                                 no limit, as at first
 *   NVTXH_INSTRUMENT_MIN=TIME     nvtxh_instrument_min(ns): a function of which 8 calls in a row took
 *                                 less is no longer shown, until one takes as long again. (A tool has
 *                                 been told of a range before anyone knows how long it will be.) In
 *                                 the environment with us, ms or s behind it, or in ns.
 *
 * longjmp leaves ranges open. They are closed at the next entry or exit that reveals the jump, at the
 * latest when the function containing setjmp returns; until then, later functions may appear inside
 * them. The same with exceptions where the compiler does not call the exit of functions they pass
 * (clang). Functions of a signal handler are shown unless it interrupts the work of this file; the
 * first call of each takes memory. The names of functions in a shared object that has been closed stay
 * with their addresses.
 *
 * Cost: when nobody listens, a call at each end of a function that does next to nothing; when someone
 * does, that of a scope and a look-up by address.
 * Off: the functions below are declared, and defined in instrument.c to do nothing.
 */

#include "core/compiler.h"

NVTXH_I_C_BEGIN
void nvtxh_instrument_filter(const char *patterns); /* copied; NULL: everything */
void nvtxh_instrument_depth(unsigned most);
void nvtxh_instrument_min(uint64_t ns);
NVTXH_I_C_END

#endif
