/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_OFF_H
#define NVTXH_DEVICE_OFF_H

/*
 * Device ranges, switched off: arguments are type-checked, without CUDA's headers. A status is 0
 * of CUDA's type, which is looked up where the verb is used. Not API but for the types; part of
 * device.h.
 */

#if !NVTXH_ENABLED

struct CUstream_st;
struct CUevent_st;
struct CUctx_st;

NVTXH_I_C_BEGIN
/* For sizeof alone. */
char nvtxh_i_typed_device(struct CUstream_st *stream, struct nvtxh_device_range *range);
char nvtxh_i_typed_device_end(struct CUstream_st *stream, struct nvtxh_device_range range);
char nvtxh_i_typed_number(long number);
char nvtxh_i_typed_names(struct CUstream_st *stream, struct CUevent_st *event,
                         struct CUctx_st *context, int device, const char *name);
int nvtxh_i_device_never(void); /* nowhere defined and never called */
NVTXH_I_C_END

#ifdef NVTXH_CUDA_DRIVER
#define NVTXH_I_STATUS CUresult
#else
#define NVTXH_I_STATUS cudaError_t
#endif
#define NVTXH_I_SUCCESS_OF(x) NVTXH_I_CAST(NVTXH_I_STATUS, x)
/* A bare 0 would be a statement without effect where nobody takes it. */
#define NVTXH_I_NO_STATUS NVTXH_I_SUCCESS_OF(false ? nvtxh_i_device_never() : 0)
#define NVTXH_I_DEVICE_GONE(typed) NVTXH_I_DO(, NVTXH_I_NO_STATUS, , , , typed, )
#define nvtxh_i_device_none(verb, stream, range) NVTXH_I_NO_STATUS

#define nvtxh_device_end(...) NVTXH_I_DEVICE_GONE(nvtxh_i_typed_device_end(__VA_ARGS__))
#define nvtxh_device_drain(timeout_ms) NVTXH_I_DEVICE_GONE(nvtxh_i_typed_number(timeout_ms))
#define nvtxh_device_abandon() NVTXH_I_DEVICE_GONE(0)
#define nvtxh_device_set_mode(mode) (NVTXH_I_TYPED(nvtxh_i_typed_number(mode)))
#define nvtxh_device_mode() (false ? NVTXH_I_CAST(unsigned, nvtxh_i_device_never()) : 0u)
#define nvtxh_stream_name(stream, name) NVTXH_I_NAMED(stream, NVTXH_I_NULL, NVTXH_I_NULL, 0, name)
#define nvtxh_event_name(event, name) NVTXH_I_NAMED(NVTXH_I_NULL, event, NVTXH_I_NULL, 0, name)
#define nvtxh_context_name(context, name)                                                          \
    NVTXH_I_NAMED(NVTXH_I_NULL, NVTXH_I_NULL, context, 0, name)
#define nvtxh_device_name(device, name)                                                            \
    NVTXH_I_NAMED(NVTXH_I_NULL, NVTXH_I_NULL, NVTXH_I_NULL, device, name)
#define NVTXH_I_NAMED(stream, event, context, device, name)                                        \
    (NVTXH_I_TYPED(nvtxh_i_typed_names(stream, event, context, device, name)))

/* The one that is evaluated: its counts are read afterwards. */
#define nvtxh_device_counts(ret_counts)                                                            \
    __extension__({                                                                                \
        nvtxh_i_device_zero(ret_counts);                                                           \
        NVTXH_I_SUCCESS_OF(0);                                                                     \
    })
NVTXH_I_INLINE void nvtxh_i_device_zero(struct nvtxh_device_counts *ret_counts)
{
    __builtin_memset(ret_counts, 0, sizeof(*ret_counts));
}

#endif
#endif
