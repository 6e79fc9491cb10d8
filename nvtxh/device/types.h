/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_TYPES_H
#define NVTXH_DEVICE_TYPES_H

/* The modes, counts and handles of device ranges (device.h). They also exist, unchanged, if
 * annotations are compiled out. */

#include "../config.h"
#include "../core/compiler.h"

/* The mode: flags that can be or'ed together. Each linked object has a mode, for the ranges of all
 * threads; nvtxh_device_set_mode() sets it for ranges that begin later. With mode 0 there are no
 * ranges and no marks. If there are other flags, but neither INTERVAL nor EVENT, INTERVAL is added.
 *   INTERVAL   a range from start to end; the default
 *   EVENT      a mark when the stream reaches the end; without INTERVAL, the start enqueues nothing
 *   WAIT       at the end of an NVTXH_DEVICE_SCOPE the thread waits until the stream has reached
 *              that end (not in a capture)
 *   NO_CAPTURE    nothing begins in a stream that is being captured, so no nodes are added to
 *                 graphs */
#define NVTXH_DEVICE_INTERVAL 1u
#define NVTXH_DEVICE_EVENT 2u
#define NVTXH_DEVICE_WAIT 4u
#define NVTXH_DEVICE_NO_CAPTURE 8u

#ifndef NVTXH_DEVICE_RANGES
#define NVTXH_DEVICE_RANGES 4096
#endif

/* Counts of this linked object since it was loaded; in a forked child, since the fork. */
struct nvtxh_device_counts {
    uint64_t pending;   /* now: ranges and marks that the stream has still to begin or end */
    uint64_t open;      /* now: ranges that have begun and whose end was not enqueued yet */
    uint64_t captured;  /* now: ranges and marks that CUDA graphs hold */
    uint64_t lost;      /* ranges given up, or ended before they began; replays spoilt by another */
    uint64_t cancelled; /* ranges and marks that CUDA refused to begin or to end */
    uint64_t exhausted; /* not begun: all NVTXH_DEVICE_RANGES were in use */
};

/* A range of a stream's work, made by nvtxh_device_start. Zero is a null range. The member is not
 * API. It is a single number, so that no compiler warns about `{0}`. Bits 0 to 63 are the address
 * of the range's pool. Bits 64 to 127 are the range's token: the number and the generation of its
 * slot (pool.h). */
struct nvtxh_device_range {
    nvtxh_i_uint128 nvtxh_i_value;
};

#if NVTXH_ENABLED

struct nvtxh_i_device_pool;

NVTXH_I_C_BEGIN

NVTXH_I_INLINE struct nvtxh_device_range nvtxh_i_device_range(struct nvtxh_i_device_pool *home,
                                                              uint64_t token) {
    struct nvtxh_device_range range = {(nvtxh_i_uint128)token << 64 | (uintptr_t)home};

    return range;
}

/* The pool of the linked object that began the range. NULL: this is a null range. */
NVTXH_I_INLINE struct nvtxh_i_device_pool *nvtxh_i_device_home(struct nvtxh_device_range range) {
    return (struct nvtxh_i_device_pool *)(uintptr_t)range.nvtxh_i_value;
}

NVTXH_I_INLINE uint64_t nvtxh_i_device_token(struct nvtxh_device_range range) {
    return (uint64_t)(range.nvtxh_i_value >> 64);
}

NVTXH_I_C_END

#endif
#endif
