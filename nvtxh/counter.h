/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_COUNTER_H
#define NVTXH_COUNTER_H

/* Counters: numbers that a viewer draws over time (NVTX 3.2 or newer). Include this header
 * yourself, after nvtxh.h or alone.
 *
 *     NVTXH_COUNTER(rate, &train, "tokens/s", .unit = "1/s", .max = 1e6);
 *     NVTXH_PAYLOAD_STRUCT(memory, (uint64_t, used, .unit = "B"), (uint64_t, cached, .unit = "B"));
 *     NVTXH_COUNTER(pool, &train, "pool");
 *
 *     nvtxh_counter_set(&rate, tokens / seconds);
 *     nvtxh_counter_set(&pool, &(struct memory){used, cached});
 *     nvtxh_counter_batch(&rate, rates, n, times);
 *
 *   NVTXH_COUNTER(id, &domain, "name", ...)    in one file, at file scope: defines the counter.
 *                                After the name may come, in this order: .unit, .min, .max,
 *                                .description. If .min equals .max, there are no limits
 *   NVTXH_COUNTER_EXTERN(id);    declares the counter in other files of the same executable or
 *                                shared object
 *   nvtxh_counter_set(&id, x)    sets the value: a number, or a pointer to a struct declared with
 *                                NVTXH_PAYLOAD_STRUCT. A struct makes the counter a group of
 *                                counters
 *   nvtxh_counter_batch(&id, values, n, times)    sets n values at once: an array of double, of
 *                                64-bit integers or of declared structs. times: an array of int64_t
 *                                in ascending order, in ns of CLOCK_MONOTONIC
 *
 * The first value decides the counter's type: floating-point, integer or a struct. A counter of
 * numbers converts later numbers to its type, and ignores structs; a struct counter ignores numbers
 * and other structs. The domain NULL or NVTXH_DOMAIN_DEFAULT means NVTX's default domain.
 *
 * Without the counter extension (NVTX 3.0 and 3.1, or a tool that lacks the extension) the tool
 * gets a mark with the counter's name and the value as payload; for a batch, one mark with the last
 * value. With NVTXH_REQUIRE_EXTENSIONS, headers before 3.2 stop the compile. With NVTXH_NO_IMPL,
 * the file that defines NVTXH_IMPLEMENTATION must include this header.
 *
 * Evaluation: arguments are evaluated once if someone listens, and not at all otherwise.
 * Cost when nobody listens: two instructions (x86-64; tests/cost).
 * Threads: any thread may set any counter.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, counters compile to nothing.
 * Errors: none. */

#pragma GCC system_header

#include "payload.h"
#include "state.h"
#include "core/dispatch.h"

#define NVTXH_COUNTER(id, ...) NVTXH_I_COUNTER(id, __VA_ARGS__, )
#define NVTXH_COUNTER_EXTERN(id) extern NVTXH_I_STRUCT(nvtxh_counter) id NVTXH_I_DECLARED

#define nvtxh_counter_set(counter, ...)                                                            \
    NVTXH_I_DO(nvtxh_i_active() && nvtxh_i_active_known(), NVTXH_I_NOTHING, , ,                    \
               nvtxh_i_typed_counter(counter, nvtxh_payload(__VA_ARGS__)),                         \
               nvtxh_i_counter_value(counter, nvtxh_payload(__VA_ARGS__)))
#define nvtxh_counter_batch(counter, values, n, times)                                             \
    NVTXH_I_DO(nvtxh_i_active() && nvtxh_i_active_known(), NVTXH_I_NOTHING, , ,                    \
               nvtxh_i_typed_batch(counter, NVTXH_I_VALUES(values), n, times),                     \
               nvtxh_i_counter_values(counter, NVTXH_I_VALUES(values), n, times))

/* Not API from here on. */

#define NVTXH_I_COUNTER(id, domain, name, ...)                                                     \
    NVTXH_I_LITERAL(name, "NVTXH_COUNTER", "counters are fixed at compile time");                  \
    NVTXH_I_OPTIONS_NAMED(__VA_ARGS__);                                                            \
    NVTXH_COUNTER_EXTERN(id);                                                                      \
    NVTXH_I_COUNTER_IS(id, domain, name, __VA_ARGS__)

#if NVTXH_ENABLED

#define NVTXH_I_COUNTER_IS(id, domain, name, ...)                                                  \
    NVTXH_I_STRUCT(nvtxh_counter) id = {name, domain, NVTXH_I_OPTIONS(__VA_ARGS__), NULL, 0, 0, 0}

NVTXH_I_C_BEGIN
NVTXH_I_ENTRY_DECL void nvtxh_i_counter_value(struct nvtxh_counter *counter,
                                              struct nvtxh_payload_value value)
    NVTXH_I_ENTRY_SYMBOL("include_counter_h_in_the_implementation");
NVTXH_I_ENTRY_DECL void nvtxh_i_counter_values(struct nvtxh_counter *counter,
                                               struct nvtxh_payload_value values, size_t n,
                                               const int64_t *times)
    NVTXH_I_ENTRY_SYMBOL("counter_values");
NVTXH_I_C_END

#else

struct nvtxh_counter;
#define NVTXH_I_COUNTER_IS(id, domain, name, ...)                                                  \
    NVTXH_I_ASSERT(                                                                                \
        sizeof(nvtxh_i_typed_domain(domain)) + sizeof(NVTXH_I_FIELD_OPTIONS(__VA_ARGS__)) != 0,    \
        "")

#endif

/* Used in sizeof only, and defined nowhere. */
char nvtxh_i_typed_counter(struct nvtxh_counter *counter, struct nvtxh_payload_value value);
char nvtxh_i_typed_batch(struct nvtxh_counter *counter, struct nvtxh_payload_value values, size_t n,
                         const int64_t *times);

/* A function NAME that returns a payload: an array's address, and TAG, the type of its elements. */
#define NVTXH_I_ARRAY_MAKER(name, tag, ...)                                                        \
    NVTXH_I_INLINE struct nvtxh_payload_value name(__VA_ARGS__) {                                  \
        return nvtxh_i_payload((const struct nvtxh_i_made_by_nvtxh_payload *)(uintptr_t)(tag),     \
                               ((uintptr_t)values));                                               \
    }

#ifdef __cplusplus
#define NVTXH_I_VALUES(values) nvtxh_i_values(values)
extern "C++" {
NVTXH_I_ARRAY_MAKER(nvtxh_i_values, NVTXH_I_PAYLOAD_F64, const double *values)
NVTXH_I_ARRAY_MAKER(nvtxh_i_values, NVTXH_I_PAYLOAD_I64, const long *values)
NVTXH_I_ARRAY_MAKER(nvtxh_i_values, NVTXH_I_PAYLOAD_I64, const long long *values)
template <class value_type, typename value_type::nvtxh_i_declared * = nullptr>
inline struct nvtxh_payload_value nvtxh_i_values(const value_type *values) {
    return nvtxh_payload(values);
}
}
#else
NVTXH_I_ARRAY_MAKER(nvtxh_i_values_f64, NVTXH_I_PAYLOAD_F64, const void *values,
                    const struct nvtxh_i_made_by_nvtxh_payload *ref __attribute__((__unused__)))
NVTXH_I_ARRAY_MAKER(nvtxh_i_values_i64, NVTXH_I_PAYLOAD_I64, const void *values,
                    const struct nvtxh_i_made_by_nvtxh_payload *ref __attribute__((__unused__)))
/* clang-format off */
#define NVTXH_I_ARRAYS(f64, i64, other)                                                            \
    double *: f64, const double *: f64, long *: i64, const long *: i64,                            \
    long long *: i64, const long long *: i64, default: other
/* clang-format on */
#define NVTXH_I_VALUES(values)                                                                     \
    _Generic((values) + 0,                                                                         \
             NVTXH_I_ARRAYS(nvtxh_i_values_f64, nvtxh_i_values_i64, nvtxh_i_payload_at))(          \
        (values),                                                                                  \
        NVTXH_I_REF(NVTXH_I_UNIQUE(nvtxh_i_values_),                                               \
                    NVTXH_I_NUMBER_OF(_Generic(                                                    \
                        (values) + 0, NVTXH_I_ARRAYS((struct nvtxh_i_numbered *)0,                 \
                                                     (struct nvtxh_i_numbered *)0, (values))))))
#endif

#if NVTXH_I_IMPL
#include "payload/counter.h"
#endif

#endif
