/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CAPTURE_H
#define NVTXH_CAPTURE_H

/* Captures: the program chooses the part of its run that a profiler records. Include this header
 * yourself: nvtxh.h includes it only in the file that defines NVTXH_IMPLEMENTATION.
 *
 *     #include "nvtxh/capture.h"
 *
 *     for (i = 0; i < steps; i++) {
 *         if (i == 10)
 *             nvtxh_capture_start("steady", NVTXH_CAPTURE_WAIT);
 *         step(i);
 *         if (i == 20)
 *             nvtxh_capture_stop();
 *     }
 *
 *   nvtxh_capture_start(name, flags)    begin a capture; true if a tool or CUDA's profiler gets it
 *   nvtxh_capture_stop()                end the capture started last; false if none is open
 *   NVTXH_CAPTURE_SCOPE(name, flags)    a capture to the end of the enclosing block; flags may be
 *                                       left out
 *   nvtxh_capture_active()              is a capture open?
 *   nvtxh_capture_enabled()             is a tool attached that accepts captures?
 *
 * A capture is a process range in the domain "nvtxh.capture", with `name` as its message, so that
 *
 *     nsys profile -c nvtx -p steady@nvtxh.capture ./app
 *     nvtxh record --capture-range steady -- ./app
 *
 * record only that part of the run. A name is any string, which is copied; Nsight Systems does not
 * find names with '@'.
 *
 * Flags, or'ed together:
 *   NVTXH_CAPTURE_PROFILER    also calls cudaProfilerStart and cudaProfilerStop, even without a
 *                             tool, for `nsys profile -c cudaProfilerApi` and the like. Both
 *                             functions are looked up at run time, in libcudart. Where libcudart is
 *                             linked statically, the driver's cuProfilerStart and cuProfilerStop
 *                             are called, if the program's first CUDA call has loaded the driver.
 *                             Without CUDA, or on an error, this flag has no effect.
 *   NVTXH_CAPTURE_WAIT        before the capture ends, waits until the current device has done all
 *                             the work enqueued on it, device ranges included
 *                             (cudaDeviceSynchronize; without CUDA, does not wait). Other devices
 *                             are not waited for.
 *   NVTXH_CAPTURE_WAIT_ALL    as NVTXH_CAPTURE_WAIT, but for all devices that the process uses
 *
 * Use neither WAIT nor WAIT_ALL while a CUDA graph is being captured: a wait by the capturing
 * thread invalidates the graph. In mode cudaStreamCaptureModeGlobal, a wait by any other thread
 * does, too. In the other modes, a wait by another thread may do so: users' reports differ.
 *
 * Where libcudart is linked statically (nvcc's default), the driver's functions run in the thread's
 * CUDA context. If the thread has none, because it has not called CUDA yet, the profiler is started
 * in the context of a device that the process uses, and WAIT means WAIT_ALL. If the process uses no
 * device yet, CUDA's profiler cannot be started: call CUDA first, say cudaFree(0).
 *
 * Captures may nest and overlap, on any threads; each is a separate range. NVTXH_CAPTURE_SCOPE ends
 * its own capture; nvtxh_capture_stop() ends the capture that nvtxh_capture_start() began last, on
 * any thread. CUDA's profiler runs while any capture with NVTXH_CAPTURE_PROFILER is open. At most
 * NVTXH_CAPTURE_MAX are open at once; a further one is refused. A capture that is never stopped
 * lasts to the end of the process. A forked child has no open captures. nvtxh_enable(false) has no
 * effect on captures: they are commands to the tool, not events of the program.
 *
 * Each linked object (executable or shared object) has its own copy of NVTX. So it has its own
 * captures, and registers each name with the tool once.
 *
 * Evaluation: arguments once, also while nobody listens; not at all if annotations are off (see
 * below).
 * Cost: a capture takes a lock. Do not use captures in inner loops.
 * Threads: any.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, no byte of code; arguments are type-checked, and all
 * functions return false.
 * Errors: nvtxh_capture_start returns false if neither a tool nor CUDA's profiler gets the capture,
 *   or if NVTXH_CAPTURE_MAX are open; nvtxh_capture_stop returns false if none is open. */

#pragma GCC system_header

#include "capture/types.h"
#include "core/dispatch.h"

#define NVTXH_CAPTURE_SCOPE(...)                                                                   \
    NVTXH_I_CAPTURE_SCOPE(NVTXH_I_UNIQUE(nvtxh_i_capture_scope_), NVTXH_I_FIRST(__VA_ARGS__),      \
                          NVTXH_I_CAPTURE_FLAGS(NVTXH_I_REST(__VA_ARGS__)))

#if NVTXH_ENABLED

NVTXH_I_C_BEGIN
NVTXH_I_PUBLIC bool nvtxh_capture_start(const char *name, unsigned flags);
NVTXH_I_PUBLIC bool nvtxh_capture_stop(void);
NVTXH_I_PUBLIC bool nvtxh_capture_active(void);
NVTXH_I_PUBLIC bool nvtxh_capture_enabled(void);

/* Not API from here on. */

/* Begins a capture, and returns its number; 0: none began. SCOPE: it is an NVTXH_CAPTURE_SCOPE. */
NVTXH_I_ENTRY_DECL uint64_t nvtxh_i_capture_begin(const char *name, unsigned flags, bool scope)
    NVTXH_I_ENTRY_SYMBOL("capture_begin");
NVTXH_I_ENTRY_DECL bool nvtxh_i_capture_end(uint64_t number) NVTXH_I_ENTRY_SYMBOL("capture_end");

struct nvtxh_i_capture_scope {
    uint64_t number;
};

NVTXH_I_INLINE struct nvtxh_i_capture_scope nvtxh_i_capture_scope_in(const char *name,
                                                                     unsigned flags) {
    struct nvtxh_i_capture_scope scope = {nvtxh_i_capture_begin(name, flags, true)};

    return scope;
}

NVTXH_I_INLINE void nvtxh_i_capture_scope_out(struct nvtxh_i_capture_scope *scope) {
    if (NVTXH_I_UNLIKELY(scope->number)) {
        nvtxh_i_capture_end(scope->number);
    }
}

NVTXH_I_C_END

#else

char nvtxh_i_typed_capture(const char *name, unsigned flags); /* used in sizeof only */

NVTXH_I_OFF_FUNCTION(bool, nvtxh_capture_start, (const char *, unsigned), false)
NVTXH_I_OFF_FUNCTION(bool, nvtxh_capture_stop, (), false)
NVTXH_I_OFF_FUNCTION(bool, nvtxh_capture_active, (), false)
NVTXH_I_OFF_FUNCTION(bool, nvtxh_capture_enabled, (), false)
#define nvtxh_capture_start(name, flags)                                                           \
    NVTXH_I_OFF_CALL(nvtxh_capture_start, false, nvtxh_i_typed_capture(name, flags))
#define nvtxh_capture_stop() NVTXH_I_OFF_CALL(nvtxh_capture_stop, false, 0)
#define nvtxh_capture_active() NVTXH_I_OFF(nvtxh_capture_active, false, 0)
#define nvtxh_capture_enabled() NVTXH_I_OFF(nvtxh_capture_enabled, false, 0)

#endif

/* The flags of NVTXH_CAPTURE_SCOPE: 0 if left out. Compilers report an argument after the flags. */
struct nvtxh_i_capture_flags {
    unsigned value;
};
#define NVTXH_I_CAPTURE_FLAGS(...) __extension__(struct nvtxh_i_capture_flags){__VA_ARGS__}.value
/* Begins the capture even if no tool listens, because NVTXH_CAPTURE_PROFILER needs no tool. */
#define NVTXH_I_CAPTURE_SCOPE(id, name, flags)                                                     \
    NVTXH_I_GUARD_ALWAYS(nvtxh_i_capture_scope, id, nvtxh_i_typed_capture(name, flags),            \
                         nvtxh_i_capture_scope_in(name, flags))

#if NVTXH_I_IMPL
#include "capture/impl.h"
#endif

#endif
