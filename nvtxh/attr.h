/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_ATTR_H
#define NVTXH_ATTR_H

/* Keyword attributes may follow the message of every annotation macro, in the order below. In C++,
 * any other order is an error in g++ and a warning in clang++.
 *
 *   .domain = &train                   struct nvtxh_domain *; if absent, the file's default domain
 *   .category = &gemm                  struct nvtxh_category *, or NVTXH_CATEGORY_ID(7)
 *   .color = NVTXH_GREEN               ARGB: nvtxh/color.h
 *   .payload = nvtxh_payload(step)     a number: integers of up to 64 bits, float, double; with
 *                                      nvtxh/payload.h also a struct
 *
 * Each value may be any expression. Before C++20 it must not contain a lambda: annotations that are
 * off type-check the value in a sizeof, where lambdas are forbidden.
 *
 * Evaluation: each value once if someone listens, and not at all otherwise.
 * Cost when nobody listens: none beyond the annotation's own (tests/cost).
 * Threads: any.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, no byte of code, still type-checked.
 * Errors: none at run time. An attribute without its name, and a value that cannot be a payload, do
 * not compile. One exception compiles: the literal `.payload = 0`, which means no payload. */

#pragma GCC system_header

#include "core/compiler.h"

struct nvtxh_domain;
struct nvtxh_category;
struct nvtxh_i_made_by_nvtxh_payload;

/* Not API: NVTX's numbers for the type of a payload. */
enum {
    NVTXH_I_PAYLOAD_U64 = 1,
    NVTXH_I_PAYLOAD_I64 = 2,
    NVTXH_I_PAYLOAD_F64 = 3,
    NVTXH_I_PAYLOAD_U32 = 4,
    NVTXH_I_PAYLOAD_I32 = 5,
    NVTXH_I_PAYLOAD_F32 = 6,
    NVTXH_I_PAYLOAD_LAST = 15, /* a larger `nvtxh_i_type` (below) is an address */
};

/* A payload: a number and its NVTX type, or a struct's address and a description of the struct's
 * fields (see payload.h). Made by nvtxh_payload(x); the members are not API. */
struct nvtxh_payload_value {
    /* Or a NVTXH_I_PAYLOAD_ number; NULL: none. The error of `.payload = n` names this type. */
    const struct nvtxh_i_made_by_nvtxh_payload *nvtxh_i_type;
    uint64_t nvtxh_i_bits;
};

/* Not API: a non-numeric payload, encoded for one event. */
struct nvtxh_i_payload_encoded {
    int32_t type;     /* NVTX's number for the type */
    int32_t count;    /* how many nvtxPayloadData_t are in `data`: 0 or 1 */
    uint64_t bits;    /* the payload; if `count` is 1, the address of `data` */
    uint64_t data[3]; /* an nvtxPayloadData_t, if `count` is 1 */
};

/* Not API: what `nvtxh_i_type` of a non-numeric payload points at. See payload.h. */
struct nvtxh_i_made_by_nvtxh_payload {
    void (*attach)(const struct nvtxh_i_made_by_nvtxh_payload *type, struct nvtxh_domain *domain,
                   const void *data, struct nvtxh_i_payload_encoded *ret_attached);
};

/* The keyword attributes; a member that is 0 is absent. Not API: macros take them by keyword. */
struct nvtxh_attr {
    struct nvtxh_domain *domain;
    struct nvtxh_category *category;
    uint32_t color;
    struct nvtxh_payload_value payload;
};

/* Not API. Annotations pass the attributes as separate arguments, in registers, because stack for a
 * struct would cost time even while nobody listens. The called functions put them into a struct
 * again. `domain` is the event's domain: the annotation's .domain, or the file's default. */
#define NVTXH_I_ATTR_PARAMETERS NVTXH_I_ATTR_FIXED_PARAMETERS, NVTXH_I_PAYLOAD_PARAMETERS
#define NVTXH_I_ATTR_ARGUMENTS(domain, a)                                                          \
    domain, (a).category, (a).color, NVTXH_I_PAYLOAD_ARGUMENTS((a).payload)
/* All attributes except the payload. */
#define NVTXH_I_ATTR_FIXED_PARAMETERS                                                              \
    struct nvtxh_domain *domain, struct nvtxh_category *category, uint32_t color
#define NVTXH_I_ATTR_DOMAIN(a) nvtxh_i_domain_of((a).domain, NVTXH_I_FILE_DOMAIN) /* domain.h */
/* The payload as two arguments, because gcc reserves stack for a struct even if it passes the
 * struct in registers. */
#define NVTXH_I_PAYLOAD_PARAMETERS                                                                 \
    const struct nvtxh_i_made_by_nvtxh_payload *payload_type, uint64_t payload_bits
#define NVTXH_I_PAYLOAD_ARGUMENTS(payload) (payload).nvtxh_i_type, (payload).nvtxh_i_bits

/* The attributes that a function with NVTXH_I_ATTR_PARAMETERS received, as a struct. */
#define NVTXH_I_ATTR_GIVEN nvtxh_i_attr(domain, category, color, NVTXH_I_PAYLOAD_GIVEN)
#define NVTXH_I_PAYLOAD_GIVEN nvtxh_i_payload(payload_type, payload_bits)

NVTXH_I_INLINE struct nvtxh_payload_value nvtxh_i_payload(NVTXH_I_PAYLOAD_PARAMETERS) {
    struct nvtxh_payload_value payload;

    payload.nvtxh_i_type = payload_type;
    payload.nvtxh_i_bits = payload_bits;
    return payload;
}
#define nvtxh_i_no_payload() nvtxh_i_payload(NULL, 0)

NVTXH_I_INLINE struct nvtxh_attr nvtxh_i_attr(NVTXH_I_ATTR_FIXED_PARAMETERS,
                                              struct nvtxh_payload_value payload) {
    struct nvtxh_attr a;

    a.domain = domain;
    a.category = category;
    a.color = color;
    a.payload = payload;
    return a;
}

/* nvtxh_payload(x): a payload with the number x. The type of x decides NVTX's type of the payload.
 * Types of less than 32 bits widen as in any expression. A type that is not listed below is a
 * compile error. In C with gcc, a bit-field wider than int is an error, too. */
#define NVTXH_I_PAYLOAD(name, type, tag)                                                           \
    NVTXH_I_INLINE struct nvtxh_payload_value name(type x) {                                       \
        uint64_t bits = 0;                                                                         \
                                                                                                   \
        __builtin_memcpy(&bits, &x, sizeof(x));                                                    \
        return nvtxh_i_payload((const struct nvtxh_i_made_by_nvtxh_payload *)(uintptr_t)(tag),     \
                               bits);                                                              \
    }

#ifdef __cplusplus
extern "C++" { /* for files that include this header inside of extern "C" */
NVTXH_I_PAYLOAD(nvtxh_payload, int32_t, NVTXH_I_PAYLOAD_I32)
NVTXH_I_PAYLOAD(nvtxh_payload, uint32_t, NVTXH_I_PAYLOAD_U32)
NVTXH_I_PAYLOAD(nvtxh_payload, long, NVTXH_I_PAYLOAD_I64)
NVTXH_I_PAYLOAD(nvtxh_payload, unsigned long, NVTXH_I_PAYLOAD_U64)
NVTXH_I_PAYLOAD(nvtxh_payload, long long, NVTXH_I_PAYLOAD_I64)
NVTXH_I_PAYLOAD(nvtxh_payload, unsigned long long, NVTXH_I_PAYLOAD_U64)
NVTXH_I_PAYLOAD(nvtxh_payload, float, NVTXH_I_PAYLOAD_F32)
NVTXH_I_PAYLOAD(nvtxh_payload, double, NVTXH_I_PAYLOAD_F64)
/* For a pointer, the error is then "use of deleted function", not "no matching function". */
struct nvtxh_payload_value nvtxh_payload(const void *) = delete;
}
#else
NVTXH_I_PAYLOAD(nvtxh_i_payload_i32, int32_t, NVTXH_I_PAYLOAD_I32)
NVTXH_I_PAYLOAD(nvtxh_i_payload_u32, uint32_t, NVTXH_I_PAYLOAD_U32)
NVTXH_I_PAYLOAD(nvtxh_i_payload_i64, int64_t, NVTXH_I_PAYLOAD_I64)
NVTXH_I_PAYLOAD(nvtxh_i_payload_u64, uint64_t, NVTXH_I_PAYLOAD_U64)
NVTXH_I_PAYLOAD(nvtxh_i_payload_f32, float, NVTXH_I_PAYLOAD_F32)
NVTXH_I_PAYLOAD(nvtxh_i_payload_f64, double, NVTXH_I_PAYLOAD_F64)
/* clang-format off */
#define nvtxh_payload(...)                                                                         \
    (_Generic((__VA_ARGS__) + 0,                                                                   \
        int: nvtxh_i_payload_i32, unsigned: nvtxh_i_payload_u32,                                   \
        long: nvtxh_i_payload_i64, unsigned long: nvtxh_i_payload_u64,                             \
        long long: nvtxh_i_payload_i64, unsigned long long: nvtxh_i_payload_u64,                   \
        float: nvtxh_i_payload_f32, double: nvtxh_i_payload_f64)(__VA_ARGS__))
/* clang-format on */
#endif

#endif
