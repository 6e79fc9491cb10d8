/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_H
#define NVTXH_DEVICE_H

/*
 * Device ranges: begin when a CUDA stream reaches one point, end when it reaches another. Included by
 * hand, after nvtxh.h or without it; needs CUDA 11.8 or newer, and cudart linked.
 *
 *     NVTXH_DEVICE_SCOPE(stream, "attention", .color = NVTXH_TEAL);
 *     attention<<<grid, block, 0, stream>>>(...);
 *
 *   nvtxh_device_start(stream, &range, msg, ...)    begin; keyword attributes as everywhere (attr.h)
 *   nvtxh_device_end(stream, range)                 end
 *   nvtxh_device_next(stream, &range, msg, ...)     end that one and begin another, in one host function
 *   nvtxh_device_mark(stream, msg, ...)             an instant
 *   NVTXH_DEVICE_SCOPE(stream, msg, ...)            begins here, ends at the end of the block: of the
 *                                                   work enqueued there, not when the host leaves it
 *   nvtxh_device_startf, _nextf, _markf, NVTXH_DEVICE_SCOPEF    with a printf-style message
 *                                                   of up to 143 bytes
 *   nvtxh_device_drain(timeout_ms)    wait until no range waits for its stream; negative: for ever
 *   nvtxh_device_abandon()            give up what does not come any more, after an error of the context
 *   nvtxh_device_counts(&ret)         what became of them: struct nvtxh_device_counts
 *   nvtxh_device_set_mode(mode)       what a range is: see NVTXH_DEVICE_INTERVAL; nvtxh_device_mode()
 *   nvtxh_stream_name(stream, "copy"), nvtxh_device_name(0, "left"), nvtxh_event_name(event, "ready"),
 *   nvtxh_context_name(context, "main")    names for the timeline
 *
 * Beginning, ending and marking return a status: cudaSuccess, what CUDA has answered, or
 *   cudaErrorInvalidResourceHandle     the range has ended already, or was given up
 *   cudaErrorStreamCaptureIsolation    begun in a stream capture and not ended there, or the reverse; it
 *                                      stays as it was, to be ended where it belongs
 *   cudaErrorMemoryAllocation          all NVTXH_DEVICE_RANGES are taken
 *   cudaErrorNotReady                  drain: the time is up
 * They never print, throw or stop the program, and leave nothing for cudaGetLastError(). A start, mark
 * or next that fails begins nothing; the range is null then, and ending a null range succeeds. An end
 * that CUDA refuses ends the range at once.
 *
 * How: each is a host function in the stream (cudaLaunchHostFunc), from which the tool is called. It
 * holds the stream up for some 20 us, more on older cards. N ranges back to back take N + 1 of them with
 * nvtxh_device_next, and 2 N with starts and ends. The tool sees ranges on one of the driver's threads;
 * nsys shows them as process ranges.
 *
 * Streams     A range may end in another stream than it began in, if an event orders the two; one whose
 *             end comes first is lost, and counted. Stream 0 is what it is in the file that says so:
 *             cudaStreamLegacy, or cudaStreamPerThread where that is the default.
 * Graphs      In a stream capture they become nodes of the graph, and work in every replay. A graph
 *             holds its ranges until it, its clones and its instantiations are gone. Where several
 *             instantiations run at once, one range lasts from the first beginning to the last end; the
 *             others are counted as lost. Host functions are illegal in bodies of conditional nodes;
 *             CUDA says so, here or when the graph is instantiated.
 * Threads     Any thread, at any time; no lock and no memory allocation after the first event of a
 *             message. A forked child has none of its parent's ranges. After exit() nothing is told. A
 *             shared object that has enqueued ranges stays loaded, for the stream is to call it yet.
 * Idle        No tool is attached: nothing is enqueued, the range is null, at most 10 instructions
 *             while nobody listens at all (tests/device/cost.py). Statistics (stats.h) do not count
 *             device ranges. What begins while nvtxh_enable(false) holds is not seen.
 * Payloads    Numbers alone: a struct (payload.h) may have changed by the time the stream gets there, so
 *             it is left out, and the range has no payload.
 * Arguments   Attributes are evaluated once if a tool is attached, and not at all otherwise; so is the
 *             stream of a scope or mark. Stream and range of the others: once in any case.
 * Off         No byte. CUDA's header is not opened: a file that needs it includes it itself.
 *
 * Switches, beside those of config.h:
 *   NVTXH_CUDA_DRIVER      the driver API alone (cuda.h, CUstream, CUresult, cuLaunchHostFunc): every
 *                          status is the CUresult of the same meaning. The driver's library is looked up
 *                          at run time, so nothing has to be linked.
 *   NVTXH_DEVICE_RANGES    how many ranges and marks may be under way in one linked object, those held
 *                          by graphs included (default 4096, 256 bytes each once used)
 *   NVTXH_DEVICE_MODE      in the environment: words of interval, event, wait, separated by commas
 * With NVTXH_NO_IMPL, this header is also included in the file with NVTXH_IMPLEMENTATION.
 */

#include "color.h"
#include "domain.h"
#include "category.h"
#include "core/funnel.h"
#include "check.h"

/*
 * What a range is, or'ed together; for all that begin from now on, in this linked object.
 *   INTERVAL   a range from start to end; the default
 *   EVENT      a mark when the stream reaches the end; alone, the start enqueues nothing
 *   WAIT       NVTXH_DEVICE_SCOPE waits at its end until the stream has come so far (not in a capture)
 */
#define NVTXH_DEVICE_INTERVAL 1u
#define NVTXH_DEVICE_EVENT 2u
#define NVTXH_DEVICE_WAIT 4u

#ifndef NVTXH_DEVICE_RANGES
#define NVTXH_DEVICE_RANGES 4096
#endif

/* Of this linked object, since it was loaded. */
struct nvtxh_device_counts {
    uint64_t pending;   /* now: ranges and marks that wait for their stream */
    uint64_t open;      /* now: ranges begun, whose end has not been enqueued */
    uint64_t captured;  /* now: held by CUDA graphs */
    uint64_t lost;      /* not seen whole: ended before begun, given up, run twice at once */
    uint64_t cancelled; /* refused by CUDA */
    uint64_t exhausted; /* there was no room for */
};

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
    NVTXH_I_DEVICE(NVTXH_I_UNIQUE(nvtxh_i_device_), MARK, "nvtxh_device_mark", stream,             \
                   NVTXH_I_NULL, NVTXH_I_FIRST(__VA_ARGS__), NVTXH_I_REST(__VA_ARGS__))
#define nvtxh_device_markf(stream, ...)                                                            \
    NVTXH_I_DEVICEF(NVTXH_I_UNIQUE(nvtxh_i_device_), MARK, "nvtxh_device_markf", stream,           \
                    NVTXH_I_NULL, NVTXH_I_FIRST(__VA_ARGS__), __VA_ARGS__)
#define NVTXH_DEVICE_SCOPE(stream, ...)                                                            \
    NVTXH_I_DEVICE_SCOPE(NVTXH_I_UNIQUE(nvtxh_i_device_), stream, NVTXH_I_FIRST(__VA_ARGS__),      \
                         NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_DEVICE_SCOPEF(stream, ...)                                                           \
    NVTXH_I_DEVICE_SCOPEF(NVTXH_I_UNIQUE(nvtxh_i_device_), stream, NVTXH_I_FIRST(__VA_ARGS__),     \
                          __VA_ARGS__)

/* Not API from here on. */

struct nvtxh_i_device_pool;

/*
 * A range of a stream's work. Made by nvtxh_device_start; zero is none; the members are not API. The
 * same on and off. One number, so that `{0}` is complete to every compiler: the address of the pool
 * that it is in; from bit 64 its token, which is its place there and which use of it.
 */
struct nvtxh_device_range {
    nvtxh_i_uint128 nvtxh_i_value;
};

#include "device/on.h"
#include "device/off.h"
#include "device/verbs.h"

#if NVTXH_I_IMPL
#include "impl/all.h"
#include "device/cuda.h"
#include "device/pool.h"
#include "device/callbacks.h"
#include "device/life.h"
#include "device/end.h"
#include "device/begin.h"
#endif

#endif
