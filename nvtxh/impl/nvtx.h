/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_NVTX_H
#define NVTXH_IMPL_NVTX_H

/* Includes NVTX's own headers, without most of their compile time. Not API. */

#include "../config.h"
#include "../core/compiler.h"

#if defined(NVTX_NO_IMPL)
#error                                                                                             \
    "nvtxh: NVTX_NO_IMPL is defined, so the NVTX headers would have no implementation in this file. Define NVTXH_NO_IMPL as well, and NVTXH_IMPLEMENTATION in a file without NVTX_NO_IMPL."
#endif

/* The headers of NVTX 3.0 use PATH_MAX, which strict C hides. */
#include <limits.h>
#ifndef PATH_MAX
#define PATH_MAX 4096
#define NVTXH_I_OUR_PATH_MAX
#endif
/* NVTX defines some sixty functions, each of which runs once and looks for a tool. Optimizing them
 * is most of the half second of compile time that NVTX costs a file, so they are not optimized. */
#if __has_include(<nvtx3/nvtxDetail/nvtxLinkOnce.h>)
#include <nvtx3/nvtxDetail/nvtxLinkOnce.h>
#endif
#ifdef NVTX_LINKONCE_DEFINE_FUNCTION
#pragma push_macro("NVTX_LINKONCE_DEFINE_FUNCTION")
#undef NVTX_LINKONCE_DEFINE_FUNCTION
#ifdef __cplusplus
#define NVTX_LINKONCE_DEFINE_FUNCTION extern "C" NVTXH_I_HIDDEN inline NVTXH_I_NOOPT
#else
#define NVTX_LINKONCE_DEFINE_FUNCTION NVTXH_I_LINKONCE NVTXH_I_NOOPT
#endif
#endif
/* The sixty functions call NVTX's API. NVTX_DECLSPEC makes the API inline, so that no code is
 * emitted for it. NVTX 3.0 uses NVTX_DECLSPEC only if NVTX_EXPORT_API is defined, too. */
#if !defined(NVTX_DECLSPEC) && !defined(NVTX_EXPORT_API) && !defined(NVTX_NO_IMPL)
#define NVTX_DECLSPEC static __inline__ __attribute__((__always_inline__, __unused__))
#define NVTX_EXPORT_API
#define NVTXH_I_OUR_EXPORT_API
#endif
#include <nvtx3/nvToolsExt.h>
#ifdef NVTXH_I_OUR_EXPORT_API
#undef NVTX_EXPORT_API
#undef NVTXH_I_OUR_EXPORT_API
#endif
#ifdef NVTX_LINKONCE_DEFINE_FUNCTION
#pragma pop_macro("NVTX_LINKONCE_DEFINE_FUNCTION")
#endif
#ifdef NVTXH_I_OUR_PATH_MAX
#undef PATH_MAX
#undef NVTXH_I_OUR_PATH_MAX
#endif

/* NVTX's pointer to the tool's function. Calling it is one call less than NVTX's own function. */
#define NVTXH_I_NVTX(function) (NVTX_VERSIONED_IDENTIFIER(nvtxGlobals).function##_impl_fnptr)
/* The tool's function, or NULL if the tool has none now. A tool may take the function back at any
 * moment, on any thread: load the pointer once into a variable, and test and call the variable.
 * Load it only after a bit of the state has said that a tool listens (nvtxh_i_listeners): until
 * then another thread may be in nvtxInitialize(), which stores the pointer without atomics. */
#define NVTXH_I_TOOL_FUNCTION(function) __atomic_load_n(&NVTXH_I_NVTX(function), __ATOMIC_RELAXED)

#endif
