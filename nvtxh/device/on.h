/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_ON_H
#define NVTXH_DEVICE_ON_H

/* What a file that annotates streams has of it. Not API but for the types; part of device.h. */

#if NVTXH_ENABLED

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wundef"
#ifdef NVTXH_CUDA_DRIVER
#include <cuda.h>
#else
#include <cuda_runtime_api.h>
#endif
#pragma GCC diagnostic pop

#ifdef NVTXH_CUDA_DRIVER
#define NVTXH_I_CUDA(runtime, driver) driver
typedef CUhostFn nvtxh_i_host_function;
#else
#define NVTXH_I_CUDA(runtime, driver) runtime
typedef cudaHostFn_t nvtxh_i_host_function;
#endif
typedef NVTXH_I_CUDA(cudaError_t, CUresult) nvtxh_i_status;
typedef NVTXH_I_CUDA(cudaStream_t, CUstream) nvtxh_i_stream;
#define NVTXH_I_SUCCESS NVTXH_I_CUDA(cudaSuccess, CUDA_SUCCESS)

struct nvtxh_i_device_scope {
    uint64_t token;
};

/* What begins. */
enum nvtxh_i_device_verb { NVTXH_I_DEVICE_START, NVTXH_I_DEVICE_NEXT, NVTXH_I_DEVICE_MARK };

#define nvtxh_device_counts(ret_counts) nvtxh_i_device_count(ret_counts)

struct CUctx_st;

NVTXH_I_C_BEGIN
extern struct nvtxh_i_device_pool nvtxh_i_device NVTXH_I_HIDDEN;
/* WHAT: the verb, above it the payload's type, and from bit 32 the colour. */
NVTXH_I_EVENT nvtxh_i_status nvtxh_i_device_do(const struct nvtxh_i_site *site, uint64_t what,
                                               nvtxh_i_stream stream,
                                               struct nvtxh_device_range *range,
                                               struct nvtxh_domain *domain,
                                               struct nvtxh_category *category, uint64_t payload);
NVTXH_I_EVENT NVTXH_I_FORMAT(5, 6) nvtxh_i_status
    nvtxh_i_device_dof(const struct nvtxh_i_site *site, enum nvtxh_i_device_verb verb,
                       nvtxh_i_stream stream, struct nvtxh_device_range *range, const char *format,
                       ...);
NVTXH_I_EVENT nvtxh_i_status nvtxh_i_device_end(nvtxh_i_stream stream,
                                                struct nvtxh_device_range range);
NVTXH_I_EVENT void nvtxh_i_device_scope_end(uint64_t token);
NVTXH_I_COLD_ANYWHERE nvtxh_i_status nvtxh_device_drain(int timeout_ms);
NVTXH_I_COLD_ANYWHERE nvtxh_i_status nvtxh_device_abandon(void);
NVTXH_I_COLD nvtxh_i_status nvtxh_i_device_count(struct nvtxh_device_counts *ret_counts);
NVTXH_I_COLD_ANYWHERE void nvtxh_device_set_mode(unsigned mode);
NVTXH_I_COLD_ANYWHERE unsigned nvtxh_device_mode(void);
NVTXH_I_COLD_ANYWHERE void nvtxh_stream_name(nvtxh_i_stream stream, const char *name);
NVTXH_I_COLD_ANYWHERE void nvtxh_device_name(int device, const char *name);
NVTXH_I_COLD_ANYWHERE void nvtxh_event_name(NVTXH_I_CUDA(cudaEvent_t, CUevent) event,
                                            const char *name);
NVTXH_I_COLD_ANYWHERE void nvtxh_context_name(struct CUctx_st *context, const char *name);

/* Stream 0, as this file means it: the implementation may be compiled otherwise. */
NVTXH_I_INLINE nvtxh_i_stream nvtxh_i_device_stream(nvtxh_i_stream stream)
{
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
    return stream ? stream : NVTXH_I_BITS(nvtxh_i_stream, NVTXH_I_CAST(uintptr_t, 2));
#else
    return stream ? stream : NVTXH_I_BITS(nvtxh_i_stream, NVTXH_I_CAST(uintptr_t, 1));
#endif
}

NVTXH_I_INLINE struct nvtxh_device_range nvtxh_i_device_range(struct nvtxh_i_device_pool *home,
                                                              uint64_t token)
{
    struct nvtxh_device_range range = {NVTXH_I_CAST(nvtxh_i_uint128, token) << 64 |
                                       NVTXH_I_BITS(uintptr_t, home)};

    return range;
}

NVTXH_I_INLINE struct nvtxh_i_device_pool *nvtxh_i_device_home(struct nvtxh_device_range range)
{
    return NVTXH_I_BITS(struct nvtxh_i_device_pool *, NVTXH_I_CAST(uintptr_t, range.nvtxh_i_value));
}

NVTXH_I_INLINE uint64_t nvtxh_i_device_token(struct nvtxh_device_range range)
{
    return NVTXH_I_CAST(uint64_t, range.nvtxh_i_value >> 64);
}

#define nvtxh_device_end(...) nvtxh_i_device_ended(__VA_ARGS__)
NVTXH_I_INLINE nvtxh_i_status nvtxh_i_device_ended(nvtxh_i_stream stream,
                                                   struct nvtxh_device_range range)
{
    if (NVTXH_I_UNLIKELY(nvtxh_i_device_home(range)))
        return nvtxh_i_device_end(nvtxh_i_device_stream(stream), range);
    return NVTXH_I_SUCCESS;
}

/* Is there a tool? Nothing is enqueued for statistics, which do not count the work of streams. */
NVTXH_I_INLINE bool nvtxh_i_told(void)
{
    return nvtxh_i_active();
}

NVTXH_I_INLINE bool nvtxh_i_told_known(void)
{
    return nvtxh_i_active_known() &&
           (__atomic_load_n(&nvtxh_i_state.active, __ATOMIC_RELAXED) & NVTXH_I_TOOL);
}

/* No tool: a null range, and `next` ends the one there was. */
NVTXH_I_INLINE nvtxh_i_status nvtxh_i_device_none(enum nvtxh_i_device_verb verb,
                                                  nvtxh_i_stream stream,
                                                  struct nvtxh_device_range *range)
{
    nvtxh_i_status status = NVTXH_I_SUCCESS;

    if (verb == NVTXH_I_DEVICE_NEXT && range)
        status = nvtxh_i_device_ended(stream, *range);
    if (verb != NVTXH_I_DEVICE_MARK && range)
        range->nvtxh_i_value = 0;
    return status;
}

NVTXH_I_INLINE struct nvtxh_i_device_scope nvtxh_i_device_scope_none(void)
{
    struct nvtxh_i_device_scope scope = {0};

    return scope;
}

NVTXH_I_INLINE void nvtxh_i_device_scope_out(struct nvtxh_i_device_scope *scope)
{
    if (NVTXH_I_UNLIKELY(scope->token))
        nvtxh_i_device_scope_end(scope->token);
}

/* The type of a payload that is a number, or 0: a struct would have changed by the time it is told. */
NVTXH_I_INLINE uint64_t nvtxh_i_device_number(struct nvtxh_payload_value payload)
{
    uintptr_t type = NVTXH_I_BITS(uintptr_t, payload.nvtxh_i_type);

    return type > NVTXH_I_PAYLOAD_LAST ? 0 : type;
}

NVTXH_I_INLINE nvtxh_i_status nvtxh_i_device_in(const struct nvtxh_i_site *site,
                                                enum nvtxh_i_device_verb verb,
                                                nvtxh_i_stream stream,
                                                struct nvtxh_device_range *range,
                                                struct nvtxh_attr a)
{
#if NVTXH_I_CHECK
    nvtxh_i_check_category(site, a.domain, a.category);
#endif
    return NVTXH_I_IF(
        nvtxh_i_told,
        nvtxh_i_device_do(site,
                          NVTXH_I_CAST(uint64_t, verb) | nvtxh_i_device_number(a.payload) << 8 |
                              NVTXH_I_CAST(uint64_t, a.color) << 32,
                          nvtxh_i_device_stream(stream), range,
                          nvtxh_i_domain_of(a.domain, NVTXH_I_FILE_DOMAIN), a.category,
                          nvtxh_i_device_number(a.payload) ? a.payload.nvtxh_i_bits : 0),
        nvtxh_i_device_none(verb, stream, range));
}

#define nvtxh_i_device_inf(site, verb, stream, range, ...)                                         \
    NVTXH_I_IF(nvtxh_i_told,                                                                       \
               nvtxh_i_device_dof(site, verb, nvtxh_i_device_stream(stream), range, __VA_ARGS__),  \
               nvtxh_i_device_none(verb, stream, range))

/* Begin a scope; on failure there is none. */
#define nvtxh_i_device_scope_in(begin)                                                             \
    __extension__({                                                                                \
        struct nvtxh_device_range nvtxh_i_range = {0};                                             \
        struct nvtxh_i_device_scope nvtxh_i_scope;                                                 \
        (void)begin;                                                                               \
        nvtxh_i_scope.token =                                                                      \
            nvtxh_i_device_home(nvtxh_i_range) ? nvtxh_i_device_token(nvtxh_i_range) : 0;          \
        nvtxh_i_scope;                                                                             \
    })

NVTXH_I_C_END

#endif
#endif
