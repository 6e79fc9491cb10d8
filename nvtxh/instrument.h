/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INSTRUMENT_H
#define NVTXH_INSTRUMENT_H

/* Makes every function a range, without annotations: compilers add hooks at its beginning and end.
 *
 * Compile the program with
 *
 *     -finstrument-functions                     gcc and clang; gcc can leave out files and
 *                                                functions:
 *                                                -finstrument-functions-exclude-file-list=...
 *     -finstrument-functions-after-inlining      clang: leaves out inlined functions
 *
 * and run it by `nvtxh record --functions`, or link nvtxh/instrument.c (Meson: add nvtxh_instrument
 * to the sources). That file may itself be compiled with these flags. The ranges are scopes like
 * NVTXH_SCOPE's, in NVTX's default domain. Tools, the recorder and the statistics of nvtxh/stats.h
 * see them; nvtxh_enable(false) pauses them. The macro NVTXH_DISABLE leaves them on, because they
 * are not annotations; NVTX_DISABLE turns them off. In the environment, either turns them off.
 *
 * A function, also a static one, is named by its symbol or, if the executable or shared object has
 * no symbol for it, by its offset there ("prog+0x1234"). C++ names are demangled if the program has
 * the C++ library. Each name is looked up, and registered with the tool, once.
 *
 * Settings, in the environment and at run time:
 *
 *   nvtxh_instrument_filter("train_*,-*_debug")    NVTXH_INSTRUMENT=PATTERNS: patterns like those
 *                                 of the shell, separated by commas. Shows functions that match a
 *                                 pattern without '-' in front (all functions, if there is no such
 *                                 pattern), except those that match a pattern with '-'.
 *   nvtxh_instrument_depth(n)     NVTXH_INSTRUMENT_DEPTH=N: at most n nested functions are shown;
 *                                 0, the default: no limit
 *   nvtxh_instrument_min(ns)      NVTXH_INSTRUMENT_MIN=TIME: after 8 calls in a row that took less
 *                                 than this, a function is no longer shown, until a call takes that
 *                                 long. (Short calls before that are shown, because a tool gets a
 *                                 range when it begins.) TIME is in ns, or has a unit: us, ms or s.
 *
 * longjmp leaves ranges open. They are closed at the next call of a hook that reveals the jump, at
 * the latest when the function containing setjmp returns; until then, later functions may appear
 * inside them. An exception leaves ranges open, too, if the compiler (clang) does not call the exit
 * hooks of the functions that the exception leaves. Functions of a signal handler are shown, unless
 * the handler interrupts a hook. Hooks call malloc only to demangle C++ names. A handler may have
 * interrupted malloc, so within a handler C++ names are demangled without malloc, in a simpler way:
 * a function that is first called in a handler is shown without its parameters, or by its symbol if
 * it is a template or an operator. A handler is recognized by a blocked signal that was not blocked
 * when the thread called its first function. (If that first call was in a handler, this handler is
 * not recognized.) After a shared object has been closed, functions that are later loaded at the
 * addresses of its functions are shown under the old names.
 *
 * Cost: when nobody listens, a call of 4 instructions at a function's beginning and at its end
 * (tests/cost/hooks); otherwise the cost of a scope and a look-up by address.
 * Evaluation: arguments once, as of any function.
 * Threads: any. Functions of signal handlers: see above.
 * Off: with NVTX_DISABLE, the functions below are declared; instrument.c defines them, and they do
 * nothing.
 * Errors: none. A number in the environment that cannot be read counts as 0: no limit. */

#pragma GCC system_header

#include "core/compiler.h"

NVTXH_I_C_BEGIN
void nvtxh_instrument_filter(const char *patterns); /* copied; NULL: show everything */
void nvtxh_instrument_depth(unsigned most);
void nvtxh_instrument_min(uint64_t ns);
NVTXH_I_C_END

#endif
