/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_ENTRY_H
#define NVTXH_DEVICE_ENTRY_H

/* The inline part of device ranges, which annotated files contain. It also runs while nobody
 * listens. To end a range, it calls end.h. If nvtxh is compiled out, this file has only
 * declarations, which type-check the arguments without CUDA's headers. Not API. */

#include "../core/dispatch.h"
#include "../core/off.h"
#include "../core/symbols.h"
#include "../state.h"
#include "cuda.h"
#include "types.h"

#if NVTXH_ENABLED

struct nvtxh_i_device_scope {
    uint64_t token;
};

/* What the macros that begin something do. */
enum nvtxh_i_device_action { NVTXH_I_DEVICE_START, NVTXH_I_DEVICE_NEXT, NVTXH_I_DEVICE_MARK };

NVTXH_I_C_BEGIN
NVTXH_I_ENTRY_DECL nvtxh_i_status nvtxh_i_device_end(nvtxh_i_stream stream,
                                                     struct nvtxh_device_range range)
    NVTXH_I_ENTRY_SYMBOL("device_end");
NVTXH_I_ENTRY_DECL void nvtxh_i_device_scope_end(uint64_t token)
    NVTXH_I_ENTRY_SYMBOL("device_scope_end");

/* Replaces stream 0 by the default stream of the file that includes this header, because the
 * implementation may be compiled with another default. */
NVTXH_I_INLINE nvtxh_i_stream nvtxh_i_device_stream(nvtxh_i_stream stream) {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
    return stream ? stream : (nvtxh_i_stream)(uintptr_t)2;
#else
    return stream ? stream : (nvtxh_i_stream)(uintptr_t)1;
#endif
}

NVTXH_I_INLINE nvtxh_i_status nvtxh_i_device_ended(nvtxh_i_stream stream,
                                                   struct nvtxh_device_range range) {
    if (NVTXH_I_UNLIKELY(nvtxh_i_device_home(range))) {
        return nvtxh_i_device_end(nvtxh_i_device_stream(stream), range);
    }
    return NVTXH_I_SUCCESS;
}

/* Whether a tool might listen. Also true before it is known who listens, and if only statistics
 * listen, which do not count device ranges. nvtxh_i_told_known() finds out if a tool listens. */
#define nvtxh_i_told nvtxh_i_active

/* Does a tool listen? Called if nvtxh_i_told() is true. */
NVTXH_I_INLINE bool nvtxh_i_told_known(void) {
    return nvtxh_i_active_known() &&
           (__atomic_load_n(&nvtxh_i_state.active, __ATOMIC_RELAXED) & NVTXH_I_TOOL);
}
NVTXH_I_WHO_FUNCTION(nvtxh_i_told)

/* Makes the range null, because nothing is to begin. For `next`, first ends the previous range. If
 * that end is not allowed in the stream's capture, the previous range stays open. */
NVTXH_I_INLINE nvtxh_i_status nvtxh_i_device_none(enum nvtxh_i_device_action action,
                                                  nvtxh_i_stream stream,
                                                  struct nvtxh_device_range *range) {
    nvtxh_i_status status = NVTXH_I_SUCCESS;

    if (action == NVTXH_I_DEVICE_NEXT && range) {
        status = nvtxh_i_device_ended(stream, *range);
        if (NVTXH_I_UNLIKELY(status == NVTXH_I_OTHER_CAPTURE || status == NVTXH_I_LOST_CAPTURE)) {
            return status;
        }
    }
    if (action != NVTXH_I_DEVICE_MARK && range) {
        range->nvtxh_i_value = 0;
    }
    return status;
}

NVTXH_I_INLINE struct nvtxh_i_device_scope nvtxh_i_device_scope_none(void) {
    struct nvtxh_i_device_scope none = {0};

    return none;
}

NVTXH_I_INLINE void nvtxh_i_device_scope_out(struct nvtxh_i_device_scope *scope) {
    if (NVTXH_I_UNLIKELY(scope->token)) {
        nvtxh_i_device_scope_end(scope->token);
    }
}

NVTXH_I_C_END

#else

struct CUstream_st;
struct CUevent_st;
struct CUctx_st;

/* Used in sizeof only, and defined nowhere. */
char nvtxh_i_typed_device(struct CUstream_st *stream, struct nvtxh_device_range *range);
char nvtxh_i_typed_device_end(struct CUstream_st *stream, struct nvtxh_device_range range);
char nvtxh_i_typed_number(long number);
char nvtxh_i_typed_names(struct CUstream_st *stream, struct CUevent_st *event,
                         struct CUctx_st *context, int device, const char *name);

/* CUDA's type need be declared only where a function is called. A file that has included CUDA's
 * header before can also take the addresses of functions that return a status. */
#ifdef NVTXH_CUDA_DRIVER
#define NVTXH_I_STATUS CUresult
#ifdef __cuda_cuda_h__
#define NVTXH_I_STATUS_DECLARED
#endif
#else
#define NVTXH_I_STATUS cudaError_t
#ifdef __DRIVER_TYPES_H__
#define NVTXH_I_STATUS_DECLARED
#endif
#endif
#define NVTXH_I_NO_STATUS ((NVTXH_I_STATUS)0)
#define nvtxh_i_device_none(action, stream, range) NVTXH_I_NO_STATUS
/* In C++, calls of templates: see NVTXH_I_OFF. The caller will read the counts, so they are set. */
#ifdef __cplusplus
extern "C++" {
template <typename Status>
NVTXH_I_INLINE_LOCAL Status nvtxh_i_device_gone(int) noexcept {
    return Status();
}
template <typename Status>
NVTXH_I_INLINE_LOCAL Status nvtxh_i_device_no_counts(struct nvtxh_device_counts *ret) noexcept {
    *ret = nvtxh_device_counts();
    return Status();
}
}
#define NVTXH_I_DEVICE_GONE(typed) nvtxh_i_device_gone<NVTXH_I_STATUS>((NVTXH_I_TYPED(typed), 0))
#define NVTXH_I_NO_COUNTS nvtxh_i_device_no_counts<NVTXH_I_STATUS>
#else
#define NVTXH_I_DEVICE_GONE(typed) NVTXH_I_DO(, NVTXH_I_NO_STATUS, , , typed, )
#define NVTXH_I_NO_COUNTS(ret_counts)                                                              \
    __extension__({                                                                                \
        struct nvtxh_device_counts *nvtxh_i_counts = (ret_counts);                                 \
        __builtin_memset(nvtxh_i_counts, 0, sizeof(*nvtxh_i_counts));                              \
        NVTXH_I_NO_STATUS;                                                                         \
    })
#endif

#endif
#endif
