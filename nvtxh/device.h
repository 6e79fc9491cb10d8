/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_H
#define NVTXH_DEVICE_H

/* A device range begins when a CUDA stream reaches one point, and ends when it reaches another.
 * Include this header yourself, after nvtxh.h or alone. It needs CUDA 11.8 or newer; link the
 * program to cudart.
 *
 *     NVTXH_DEVICE_SCOPE(stream, "attention", .color = NVTXH_TEAL);
 *     attention<<<grid, block, 0, stream>>>(...);
 *
 *   nvtxh_device_start(stream, &range, msg, ...)   begin a range; takes the attributes of attr.h
 *   nvtxh_device_end(stream, range)                end a range
 *   nvtxh_device_next(stream, &range, msg, ...)    end *range and begin another range, both in one
 *                                                  host function
 *   nvtxh_device_mark(stream, msg, ...)            an instant
 *   NVTXH_DEVICE_SCOPE(stream, msg, ...)           a range that ends when the stream (not the host)
 *                                                  reaches the end of the block
 *   nvtxh_device_startf, nvtxh_device_nextf, nvtxh_device_markf, NVTXH_DEVICE_SCOPEF
 *                                     the same, with a printf-style message of up to 143 bytes
 *   nvtxh_device_drain(timeout_ms)    wait until the streams have reached all that was enqueued,
 *                                     except launches of graphs. A negative timeout means no limit;
 *                                     the call then never returns if cudaDeviceReset() destroys a
 *                                     stream that has work left
 *   nvtxh_device_abandon()            after cudaDeviceReset(), cuCtxDestroy() or an error of the
 *                                     context: give up all ranges that are open, or that their
 *                                     stream has not reached yet
 *   nvtxh_device_counts(&ret)         reads the counters of struct nvtxh_device_counts
 *   nvtxh_device_set_mode(mode), nvtxh_device_mode()    what the tool gets: see
 *                                     NVTXH_DEVICE_INTERVAL. In mode 0 nothing begins
 *   NVTXH_DEVICE_MODE_SCOPE(mode)     sets the mode up to the end of the block
 *   nvtxh_stream_name(stream, "copy"), nvtxh_device_name(0, "left"),
 *   nvtxh_event_name(event, "ready"), nvtxh_context_name(context, "main")
 *                                     names for the timeline. With NVTXH_CUDA_DRIVER,
 *                                     nvtxh_event_name calls nvtxNameCuEvent, which nsys ignores
 *
 * Errors: beginning, ending and marking return a status: cudaSuccess, an error that CUDA has
 * returned, or
 *   cudaErrorInvalidResourceHandle     the range has ended already, or was given up
 *   cudaErrorStreamCaptureIsolation    the range began in a stream capture and was ended outside of
 *                                      it, or the reverse. It stays open: end it where it began
 *   cudaErrorStreamCaptureInvalidated  an error has invalidated the capture: the ranges begun in it
 *                                      are lost; all other ranges stay as they were
 *   cudaErrorMemoryAllocation          NVTXH_DEVICE_RANGES ranges and marks are under way already
 *   cudaErrorNotReady                  nvtxh_device_drain: the timeout has passed
 * These functions never print these errors, throw or stop the program, and leave no error for
 * cudaGetLastError(). If a start, mark or next fails, nothing begins, and the range is {0}, the
 * null range, whose end succeeds; but a next that returns a StreamCapture error leaves its range as
 * it was. If CUDA refuses an end, the range ends at once.
 *
 * How: each beginning, end or mark enqueues a host function (cudaLaunchHostFunc), which calls the
 * tool. A host function should hold the stream up for some 20 us (not measured yet). N ranges back
 * to back take N + 1 host functions with nvtxh_device_next, and 2 N with starts and ends. The tool
 * gets process ranges from a thread of the driver, and each range's stream as an NVTX scope
 * (nvtxScopeRegister). This project's recorder shows a lane per stream; nsys shows process ranges.
 *
 * Streams     A range may end in another stream than it began in, if a CUDA event puts the end
 *             after the beginning; if the end comes first, the range is counted as lost. Stream 0
 *             means what it means in the calling file. It belongs to the device that is current at
 *             the call: after cudaSetDevice() in a scope, its end is in another stream, and the
 *             range may be lost.
 * Graphs      In a stream capture, host functions become nodes of the graph, and run in every
 *             replay. A graph's ranges count as under way until the graph, its clones and its
 *             instantiations are gone. If several instantiations run at once, the tool gets one
 *             range, from the first beginning to the last end; the other ranges are counted as
 *             lost. CUDA does not report launches, so nvtxh_device_drain() cannot wait for them.
 *             Call cudaStreamSynchronize() with the stream of the launch; when it returns, the tool
 *             has got all ranges of the launch. CUDA forbids host functions in bodies of
 *             conditional nodes and in graphs launched from the device. There, the macro returns an
 *             error, or CUDA returns one when the graph is instantiated. If a program fails for
 *             this reason only while it is profiled, set NVTXH_DEVICE_MODE=nocapture (below).
 * Threads     Any thread, at any time. Beginning and ending a range neither waits for a lock nor
 *             allocates memory, except the first time that a message, domain or stream is used. A
 *             forked child has none of its parent's ranges. After exit() the tool is not called. A
 *             shared object that has enqueued ranges stays loaded: streams will call into it.
 * Cost        Without a tool, nothing is enqueued and the range is null. While nobody listens at
 *             all, a call takes at most 10 instructions (tests/device/cost.py). Statistics
 *             (stats.h) do not count device ranges. While nvtxh_enable(false) holds, nothing
 *             begins.
 * Payloads    Only numbers. A struct (payload.h) is left out, because it may have changed by the
 *             time the stream reaches the range.
 * Evaluation  Attributes, and the stream of a scope or mark, are evaluated once if a tool is
 *             attached, and not at all otherwise. The other macros always evaluate stream and range
 *             once.
 * Off         With NVTX_DISABLE or NVTXH_DISABLE, the macros compile to nothing. CUDA's header is
 *             not opened: a file that needs that header includes it itself.
 *
 * Switches, beside those of config.h:
 *   NVTXH_CUDA_DRIVER      use only the driver API (cuda.h, CUstream, CUresult, cuLaunchHostFunc):
 *                          every status is the CUresult of the same meaning. The driver's functions
 *                          are looked up at run time in the loaded library, so nothing has to be
 *                          linked.
 *   NVTXH_DEVICE_RANGES    how many ranges and marks may be under way in one linked object, those
 *                          held by graphs included (default 4096, 256 bytes each once used)
 *   NVTXH_DEVICE_MODE      in the environment: one or more of interval, event, wait, nocapture,
 *                          separated by commas, in upper or lower case; other words are reported on
 *                          stderr. nvtxh_device_set_mode overrides the variable. With nocapture,
 *                          macros succeed in a stream capture, but begin nothing and set the range
 *                          to null
 * With NVTXH_NO_IMPL, the file that defines NVTXH_IMPLEMENTATION must include this header, too. */

#pragma GCC system_header

#include "category.h"
#include "color.h"
#include "device/types.h"
#include "device/ranges.h"
#include "domain.h"

#define nvtxh_device_start(stream, ret_range, ...)                                                 \
    NVTXH_I_DEVICE(NVTXH_I_UNIQUE(nvtxh_i_device_), START, "nvtxh_device_start", stream,           \
                   ret_range, NVTXH_I_FIRST(__VA_ARGS__), NVTXH_I_REST(__VA_ARGS__))
#define nvtxh_device_startf(stream, ret_range, ...)                                                \
    NVTXH_I_DEVICEF(NVTXH_I_UNIQUE(nvtxh_i_device_), START, "nvtxh_device_startf", stream,         \
                    ret_range, NVTXH_I_FIRST(__VA_ARGS__), __VA_ARGS__)
#define nvtxh_device_next(stream, range, ...)                                                      \
    NVTXH_I_DEVICE(NVTXH_I_UNIQUE(nvtxh_i_device_), NEXT, "nvtxh_device_next", stream, range,      \
                   NVTXH_I_FIRST(__VA_ARGS__), NVTXH_I_REST(__VA_ARGS__))
#define nvtxh_device_nextf(stream, range, ...)                                                     \
    NVTXH_I_DEVICEF(NVTXH_I_UNIQUE(nvtxh_i_device_), NEXT, "nvtxh_device_nextf", stream, range,    \
                    NVTXH_I_FIRST(__VA_ARGS__), __VA_ARGS__)
#define nvtxh_device_mark(stream, ...)                                                             \
    NVTXH_I_DEVICE(NVTXH_I_UNIQUE(nvtxh_i_device_), MARK, "nvtxh_device_mark", stream, NULL,       \
                   NVTXH_I_FIRST(__VA_ARGS__), NVTXH_I_REST(__VA_ARGS__))
#define nvtxh_device_markf(stream, ...)                                                            \
    NVTXH_I_DEVICEF(NVTXH_I_UNIQUE(nvtxh_i_device_), MARK, "nvtxh_device_markf", stream, NULL,     \
                    NVTXH_I_FIRST(__VA_ARGS__), __VA_ARGS__)
#define NVTXH_DEVICE_SCOPE(stream, ...)                                                            \
    NVTXH_I_DEVICE_SCOPE(NVTXH_I_UNIQUE(nvtxh_i_device_), stream, NVTXH_I_FIRST(__VA_ARGS__),      \
                         NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_DEVICE_SCOPEF(stream, ...)                                                           \
    NVTXH_I_DEVICE_SCOPEF(NVTXH_I_UNIQUE(nvtxh_i_device_), stream, NVTXH_I_FIRST(__VA_ARGS__),     \
                          __VA_ARGS__)
#define NVTXH_DEVICE_MODE_SCOPE(mode)                                                              \
    NVTXH_I_DEVICE_MODE_SCOPE(NVTXH_I_UNIQUE(nvtxh_i_device_mode_), mode)

#if NVTXH_ENABLED

#define nvtxh_device_end(...) nvtxh_i_device_ended(__VA_ARGS__)
#define nvtxh_device_counts(ret_counts) nvtxh_i_device_count(ret_counts)
NVTXH_I_C_BEGIN
NVTXH_I_ENTRY_DECL nvtxh_i_status nvtxh_i_device_count(struct nvtxh_device_counts *ret_counts)
    NVTXH_I_ENTRY_SYMBOL("device_count");
NVTXH_I_PUBLIC nvtxh_i_status nvtxh_device_drain(int timeout_ms);
NVTXH_I_PUBLIC nvtxh_i_status nvtxh_device_abandon(void);
NVTXH_I_PUBLIC void nvtxh_device_set_mode(unsigned mode);
NVTXH_I_PUBLIC unsigned nvtxh_device_mode(void);
NVTXH_I_PUBLIC void nvtxh_stream_name(nvtxh_i_stream stream, const char *name);
NVTXH_I_PUBLIC void nvtxh_device_name(int device, const char *name);
NVTXH_I_PUBLIC void nvtxh_event_name(nvtxh_i_cuda_event event, const char *name);
NVTXH_I_PUBLIC void nvtxh_context_name(struct CUctx_st *context, const char *name);

/* Not API. */
struct nvtxh_i_device_mode_scope {
    unsigned before;
};

NVTXH_I_INLINE struct nvtxh_i_device_mode_scope nvtxh_i_device_mode_scope_in(unsigned mode) {
    struct nvtxh_i_device_mode_scope scope = {nvtxh_device_mode()};

    nvtxh_device_set_mode(mode);
    return scope;
}

NVTXH_I_INLINE void nvtxh_i_device_mode_scope_out(struct nvtxh_i_device_mode_scope *scope) {
    nvtxh_device_set_mode(scope->before);
}
NVTXH_I_C_END

#else

NVTXH_I_OFF_FUNCTION(void, nvtxh_device_set_mode, (unsigned), NVTXH_I_NOTHING)
NVTXH_I_OFF_FUNCTION(unsigned, nvtxh_device_mode, (), 0u)
NVTXH_I_OFF_FUNCTION(void, nvtxh_stream_name, (struct CUstream_st *, const char *), NVTXH_I_NOTHING)
NVTXH_I_OFF_FUNCTION(void, nvtxh_device_name, (int, const char *), NVTXH_I_NOTHING)
NVTXH_I_OFF_FUNCTION(void, nvtxh_event_name, (struct CUevent_st *, const char *), NVTXH_I_NOTHING)
NVTXH_I_OFF_FUNCTION(void, nvtxh_context_name, (struct CUctx_st *, const char *), NVTXH_I_NOTHING)
#if defined(__cplusplus) && defined(NVTXH_I_STATUS_DECLARED)
NVTXH_I_HIDDEN inline NVTXH_I_STATUS nvtxh_device_drain(int) {
    return NVTXH_I_NO_STATUS;
}
NVTXH_I_HIDDEN inline NVTXH_I_STATUS nvtxh_device_abandon() {
    return NVTXH_I_NO_STATUS;
}
#endif
#define nvtxh_device_end(...) NVTXH_I_DEVICE_GONE(nvtxh_i_typed_device_end(__VA_ARGS__))
#define nvtxh_device_counts(ret_counts) NVTXH_I_NO_COUNTS(ret_counts)
#define nvtxh_device_drain(timeout_ms) NVTXH_I_DEVICE_GONE(nvtxh_i_typed_number(timeout_ms))
#define nvtxh_device_abandon() NVTXH_I_DEVICE_GONE(0)
#define nvtxh_device_set_mode(mode)                                                                \
    NVTXH_I_OFF(nvtxh_device_set_mode, NVTXH_I_NOTHING, nvtxh_i_typed_number(mode))
#define nvtxh_device_mode() NVTXH_I_OFF(nvtxh_device_mode, 0u, 0)
#define nvtxh_stream_name(stream, name)                                                            \
    NVTXH_I_OFF(nvtxh_stream_name, NVTXH_I_NOTHING,                                                \
                nvtxh_i_typed_names(stream, NULL, NULL, 0, name))
#define nvtxh_device_name(device, name)                                                            \
    NVTXH_I_OFF(nvtxh_device_name, NVTXH_I_NOTHING,                                                \
                nvtxh_i_typed_names(NULL, NULL, NULL, device, name))
#define nvtxh_event_name(event, name)                                                              \
    NVTXH_I_OFF(nvtxh_event_name, NVTXH_I_NOTHING, nvtxh_i_typed_names(NULL, event, NULL, 0, name))
#define nvtxh_context_name(context, name)                                                          \
    NVTXH_I_OFF(nvtxh_context_name, NVTXH_I_NOTHING,                                               \
                nvtxh_i_typed_names(NULL, NULL, context, 0, name))

#endif

/* Not API from here on: the implementation. */
#if NVTXH_I_IMPL
#include "device/begin.h"
#include "device/control.h"
#endif

#endif
