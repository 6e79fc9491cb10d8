/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CONFIG_H
#define NVTXH_CONFIG_H

/* The compile-time switches. Define a switch before the first include of nvtxh.h, and in every file
 * of the program unless its entry says otherwise. A switch shown without a value needs none.
 *
 *   NVTX_DISABLE            NVIDIA's own switch: NVTX and these annotations are off. The NVTX
 *                           headers are not opened, arguments are type-checked and never evaluated,
 *                           and the object code is that of the source without annotations. Works
 *                           for 32-bit targets, too. In C++, functions may be called at file scope,
 *                           and have addresses, as when annotations are on; in C they are macros.
 *   NVTXH_DISABLE           Turns these annotations off, but not raw NVTX calls. May differ from
 *                           file to file: for example off in a library, and on in the program.
 *
 *   NVTXH_NO_IMPL           Compile neither the implementation nor the NVTX headers into this file.
 *                           One file of every executable and every shared object must then define
 *                           NVTXH_IMPLEMENTATION. Files with and without NVTXH_NO_IMPL can be
 *                           linked together: a file without NVTXH_NO_IMPL contains the functions
 *                           that it uses, and provides none to other files.
 *   NVTXH_IMPLEMENTATION    Put the implementation into this file: define it before the include, as
 *                           nvtxh/impl.c does. If no file defines it, the linker reports
 *                           nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1 as undefined.
 *
 *   NVTXH_DEFAULT_DOMAIN id    The domain of annotations in this file that have no .domain: an
 *                           identifier that NVTXH_DOMAIN defines in this executable or shared
 *                           object. May differ from file to file. Default: NVTX's default domain.
 *   NVTXH_AUTO_COLOR 1      Annotations of this file that name no colour get one from their
 *                           message, as with `.color = NVTXH_COLOR_AUTO`. May differ from file to
 *                           file.
 *
 *   NVTXH_CHECK             Report mistakes on stderr, with file and line: see nvtxh/check.h. Makes
 *                           every annotation slow; without it the checks cost nothing.
 *
 *   NVTXH_REQUIRE_EXTENSIONS    Makes nvtxh/payload.h and nvtxh/counter.h errors with NVTX headers
 *                           older than 3.2, which lack the payload and counter extensions. Without
 *                           this switch, the two compile with such headers, but send a struct as a
 *                           number, and a counter's value as a mark. Define this switch in the file
 *                           that has the implementation.
 *   NVTXH_CUDA_DRIVER       Use only CUDA's driver API: see "Switches" in nvtxh/device.h.
 *   NVTXH_DEVICE_RANGES n   At most n device ranges at once; see nvtxh/device.h.
 *
 *   NVTXH_WITH_STATS, NVTXH_WITH_CAPTURE, NVTXH_WITH_PAYLOAD, NVTXH_WITH_COUNTER
 *                           Only for nvtxh_single.h: this file uses what is in nvtxh/stats.h,
 *                           capture.h, payload.h or counter.h.
 *
 *   NVTXH_NO_SHORT_NAMES    Leave out NVTX_SCOPE and the other short names of nvtxh/short.h. */

/* Switches in the environment of the program, which are read when its first annotation looks for a
 * tool:
 *
 *   NVTXH_DISABLE=1, NVTX_DISABLE=1    Annotations, statistics and captures are off, as if nobody
 *                           listened, and no tool is loaded for them. Any value but the empty one
 *                           does this.
 *   NVTXH_DOMAIN_INCLUDE=a,b    Only annotations in domains a and b are on.
 *   NVTXH_DOMAIN_EXCLUDE=a,b    Annotations in domains a and b are off. See nvtxh/state.h.
 *   NVTXH_STATS=1           Print statistics at exit; see nvtxh/stats.h. */

/* 1 where annotations are compiled, 0 where they are removed. When nvcc compiles a file for the
 * device, they are always removed, because there is no NVTX on the device. An analyser that does
 * not know GNU's extensions finds them removed, too. */
#if defined(NVTX_DISABLE) || defined(NVTXH_DISABLE) || defined(__CUDA_ARCH__) || !defined(__GNUC__)
#define NVTXH_ENABLED 0
#else
#define NVTXH_ENABLED 1
#endif

#if NVTXH_ENABLED && !defined(__LP64__) && defined(__STDC_HOSTED__) /* see core/compiler.h */
#error "nvtxh needs a 64-bit target: NVTX 3 has no tools for others"
#endif

#ifndef NVTXH_AUTO_COLOR
#define NVTXH_AUTO_COLOR 0
#endif

/* Not API from here on. */

/* Does this file contain the implementation? */
#if NVTXH_ENABLED && (!defined(NVTXH_NO_IMPL) || defined(NVTXH_IMPLEMENTATION))
#define NVTXH_I_IMPL 1
#else
#define NVTXH_I_IMPL 0
#endif

/* If NVTX's headers are missing, one #error says so and annotations are switched off; if they
 * stayed on, each would be an error, too. NVTXH_I_IMPL has an #if of its own: in one #if for both,
 * clang would count a file as opened when __has_include finds it, even if NVTXH_I_IMPL is 0. */
#if NVTXH_I_IMPL && defined(__STDC_HOSTED__)
#if !__has_include(<nvtx3/nvToolsExt.h>)
#if __has_include("../.cache/nvtx/nvidia-nvtx/nvtx3/nvToolsExt.h")
#error                                                                                             \
    "nvtxh: no NVTX headers on the include path. There is a copy in .cache/nvtx/nvidia-nvtx beside nvtxh.h: compile with -isystem path/to/nvtxh/.cache/nvtx/nvidia-nvtx"
#elif __has_include("../subprojects/nvtx3/c/include/nvtx3/nvToolsExt.h")
#error                                                                                             \
    "nvtxh: no NVTX headers on the include path. There is a copy in subprojects/nvtx3 beside nvtxh.h: compile with -isystem path/to/nvtxh/subprojects/nvtx3/c/include"
#else
#error                                                                                             \
    "nvtxh: no NVTX headers on the include path. With a CUDA toolkit: compile with -isystem /usr/local/cuda/include. Without: git clone https://github.com/NVIDIA/NVTX, and compile with -isystem NVTX/c/include"
#endif
#undef NVTXH_ENABLED
#define NVTXH_ENABLED 0
#undef NVTXH_I_IMPL
#define NVTXH_I_IMPL 0
#endif
#endif

/* The compiler attribute of declared domains and categories. When annotations are off, nothing
 * defines domains and categories. So references to them are weak, and their addresses are NULL. */
#if NVTXH_ENABLED
#define NVTXH_I_DECLARED NVTXH_I_HIDDEN
#else
#define NVTXH_I_DECLARED NVTXH_I_LINKONCE
#endif

#if NVTXH_ENABLED && defined(NVTXH_CHECK)
#define NVTXH_I_CHECK 1
#else
#define NVTXH_I_CHECK 0
#endif

#endif
