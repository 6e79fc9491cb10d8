/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_RANGE_H
#define NVTXH_RANGE_H

/* Process ranges: from one point to another, on any threads. They may overlap in any order.
 *
 *     struct nvtxh_range r = NVTXH_START("request", .payload = nvtxh_payload(id));
 *     enqueue(request, r);
 *     ... on another thread ...
 *     nvtxh_end(r);
 *
 *   NVTXH_START(msg, ...)     a literal message and keyword attributes (nvtxh/attr.h)
 *   NVTXH_STARTF(fmt, ...)    a printf-style message in the file's default domain; its
 *                             short name is NVTX_STARTF
 *   NVTXH_STARTF_WITH((fmt, ...), .color = c)    NVTXH_STARTF with keyword attributes
 *   nvtxh_end(range, ...)     end the range, in the domain it was started in; tools that have the
 *                             payload extension show a `.payload` given here
 *   NVTXH_RANGE_SCOPE(msg, ...)    a process range to the end of the enclosing block, whichever
 *                             thread runs that end: for coroutines, fibers and tasks that move
 *                             between threads, where the end of an NVTXH_SCOPE would end another
 *                             scope. A declaration, as NVTXH_SCOPE
 *   nvtxh::unique_range       in C++, an object that owns a range: made of a struct nvtxh_range,
 *                             it can be moved, and ends the range when it is destroyed
 *
 *   NVTXH_UNIQUE_RANGE(msg, ...)    in C++, an nvtxh::unique_range that starts now. Also where
 *                             NVTXH_START is refused: as a global, as a member's initializer, and
 *                             as a default argument. Attributes cannot name local variables
 *
 *     nvtxh::unique_range load{NVTXH_START("load")};
 *     pool.submit([load = std::move(load)]() mutable { ...; load.end(); });
 *
 *     class connection {
 *         nvtxh::unique_range life = NVTXH_UNIQUE_RANGE("connection");
 *     };
 *
 * A struct nvtxh_range is a value that may be copied. The zero range, `struct nvtxh_range r =
 * {0};`, stands for no range. Ending the zero range, or any copy of a range that has ended already,
 * does nothing, on any thread. A range is valid as long as the executable or shared object that
 * started it stays loaded.
 *
 * Evaluation: a start evaluates its arguments, and formats its message, once if someone listens and
 *   not at all otherwise. An end always evaluates its range once, and its payload unless the range
 *   is the zero range.
 * Cost when nobody listens: at most 10 instructions for a start and its end (x86-64, -O2;
 *   tests/cost). With a tool attached: about 80, one of them a compare-and-swap, plus the tool's
 *   own (bench/ladder). Ending takes no lock. Starting takes a lock for an annotation's first
 *   event, and maps memory when the thread has more ranges open than ever before.
 * Threads: any; a range may end on another thread than it began on.
 * Errors: none. A range for which there is no memory is the zero range. NVTXH_CHECK reports ranges
 *   that never end (nvtxh/check.h).
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, every start returns the zero range, and an end evaluates
 * nothing; both are still type-checked. A struct nvtxh_range keeps its size, so that files with and
 * without annotations can share structs and arrays of ranges. Optimization removes a local variable
 * of this type. */

#pragma GCC system_header

#include "check.h"
#include "core/dispatch.h"

#define NVTXH_START(...)                                                                           \
    NVTXH_I_START(NVTXH_I_UNIQUE(nvtxh_i_range_), NVTXH_I_FIRST(__VA_ARGS__),                      \
                  NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_STARTF(...)                                                                          \
    NVTXH_I_STARTF(NVTXH_I_UNIQUE(nvtxh_i_range_), "NVTXH_STARTF", "(\"%s\", string)",             \
                   (__VA_ARGS__), )
#define NVTXH_STARTF_WITH(...)                                                                     \
    NVTXH_I_STARTF(NVTXH_I_UNIQUE(nvtxh_i_range_), "NVTXH_STARTF_WITH", "((\"%s\", string), ...)", \
                   NVTXH_I_FIRST(__VA_ARGS__), NVTXH_I_REST(__VA_ARGS__))

#define nvtxh_end(...)                                                                             \
    NVTXH_I_END(NVTXH_I_UNIQUE(nvtxh_i_range_), NVTXH_I_FIRST(__VA_ARGS__),                        \
                NVTXH_I_REST(__VA_ARGS__))

#define NVTXH_RANGE_SCOPE(...)                                                                     \
    NVTXH_I_RANGE_SCOPE(NVTXH_I_UNIQUE(nvtxh_i_range_), NVTXH_I_FIRST(__VA_ARGS__),                \
                        NVTXH_I_REST(__VA_ARGS__))

/* A lambda, because outside of functions a statement expression is forbidden. */
#define NVTXH_UNIQUE_RANGE(...)                                                                    \
    nvtxh::unique_range([]() __attribute__((__always_inline__, __no_instrument_function__)) {      \
        return NVTXH_START(__VA_ARGS__);                                                           \
    }())

/* Not API: the attributes that nvtxh_end takes. */
struct nvtxh_i_end_attr {
    struct nvtxh_payload_value payload;
};
#define NVTXH_I_END_ATTR(...) __extension__(struct nvtxh_i_end_attr) NVTXH_I_BRACES(__VA_ARGS__)

/* A process range. Made by NVTXH_START; the members are not API. It is a single number, so that no
 * compiler warns about `{0}`.
 *   bits 0 to 63      the address of the slot that holds the open range (impl/range_pool.h)
 *   bits 64 to 95     the slot's generation, which differs for each use of the slot
 *   bits 96 to 127    with NVTXH_CHECK, the range's number in impl/check.h */
struct nvtxh_range {
    nvtxh_i_uint128 nvtxh_i_value;
};

#define nvtxh_i_range_none() __extension__(struct nvtxh_range) NVTXH_I_BRACES(0)

#if NVTXH_ENABLED

NVTXH_I_C_BEGIN
NVTXH_I_ENTRY_DECL struct nvtxh_range nvtxh_i_range_start(const struct nvtxh_i_site *site,
                                                          NVTXH_I_ATTR_PARAMETERS)
    NVTXH_I_ENTRY_SYMBOL("range_start");
NVTXH_I_ENTRY_DECL struct nvtxh_range nvtxh_i_range_start_plain(const struct nvtxh_i_site *site)
    NVTXH_I_ENTRY_SYMBOL("range_start_plain");
/* For annotations with a printf format. `a` is NULL if there are no attributes. */
NVTXH_I_ENTRY_DECL NVTXH_I_FORMAT(3, 4) struct nvtxh_range
    nvtxh_i_range_startf(const struct nvtxh_i_site *site, const struct nvtxh_attr *a,
                         const char *format, ...) NVTXH_I_ENTRY_SYMBOL("range_startf");
NVTXH_I_ENTRY_DECL void nvtxh_i_range_end(struct nvtxh_range range, NVTXH_I_PAYLOAD_PARAMETERS)
    NVTXH_I_ENTRY_SYMBOL("range_end");

/* Not API from here on. */

#define NVTXH_I_END(id, range, ...)                                                                \
    __extension__({                                                                                \
        NVTXH_I_KEYWORDS(__VA_ARGS__);                                                             \
        NVTXH_I_STRICT_BEGIN                                                                       \
        const struct nvtxh_range id = range;                                                       \
        nvtxh_i_check_end((uint32_t)(id.nvtxh_i_value >> 96));                                     \
        if (NVTXH_I_UNLIKELY((uint64_t)(id.nvtxh_i_value))) {                                      \
            nvtxh_i_end_in(id, NVTXH_I_END_ATTR(__VA_ARGS__));                                     \
        }                                                                                          \
        NVTXH_I_STRICT_END                                                                         \
    })

NVTXH_I_INLINE void nvtxh_i_end_in(struct nvtxh_range range, struct nvtxh_i_end_attr a) {
    nvtxh_i_range_end(range, NVTXH_I_PAYLOAD_ARGUMENTS(a.payload));
}

NVTXH_I_INLINE struct nvtxh_range nvtxh_i_range_checked(const struct nvtxh_i_site *site,
                                                        struct nvtxh_attr a,
                                                        struct nvtxh_range range) {
    nvtxh_i_check_category(site, a.domain, a.category);
    range.nvtxh_i_value |= (nvtxh_i_uint128)nvtxh_i_check_start(site) << 96;
    return range;
}

NVTXH_I_INLINE struct nvtxh_range nvtxh_i_range_in(const struct nvtxh_i_site *site,
                                                   struct nvtxh_attr a) {
    return nvtxh_i_range_checked(
        site, a, nvtxh_i_range_start(site, NVTXH_I_ATTR_ARGUMENTS(NVTXH_I_ATTR_DOMAIN(a), a)));
}

/* Called at the end of an NVTXH_RANGE_SCOPE's block. */
NVTXH_I_INLINE void nvtxh_i_range_out(struct nvtxh_range *range) {
    nvtxh_end(*range);
}

NVTXH_I_C_END

#else

/* Used in sizeof only, and defined nowhere. */
char nvtxh_i_typed_range(struct nvtxh_range range, struct nvtxh_i_end_attr attributes);

#define NVTXH_I_END(id, range, ...)                                                                \
    NVTXH_I_DO(, NVTXH_I_NOTHING, NVTXH_I_KEYWORDS(__VA_ARGS__), ,                                 \
               nvtxh_i_typed_range(range, NVTXH_I_END_ATTR(__VA_ARGS__)), )

#endif

#define NVTXH_I_RANGE_IN(id, ...)                                                                  \
    NVTXH_I_PLAIN_OR(id, nvtxh_i_range_start_plain(NVTXH_I_SITE_OF(id)),                           \
                     nvtxh_i_range_in(NVTXH_I_SITE_OF(id), NVTXH_I_ATTR(__VA_ARGS__)))
#define NVTXH_I_START(id, msg, ...)                                                                \
    NVTXH_I_DO(nvtxh_i_active_who(NVTXH_I_SITE_PLAIN(id)), nvtxh_i_range_none(),                   \
               NVTXH_I_LITERAL_OR(msg, "NVTXH_START", NVTXH_I_STRING_OR_FORMAT("NVTXH_START"),     \
                                  __VA_ARGS__),                                                    \
               NVTXH_I_SITE(id, NVTXH_I_KIND_RANGE, msg, NVTXH_I_TEXT(__VA_ARGS__)),               \
               nvtxh_i_typed(msg, true, NVTXH_I_ATTR_TYPED(__VA_ARGS__)),                          \
               NVTXH_I_RANGE_IN(id, __VA_ARGS__))
#define NVTXH_I_RANGE_SCOPE(id, msg, ...)                                                          \
    NVTXH_I_GUARD(nvtxh_range, nvtxh_i_range, id, NVTXH_I_PASTE(id, _guard),                       \
                  nvtxh_i_active_who(NVTXH_I_SITE_PLAIN(id)),                                      \
                  NVTXH_I_LITERAL_OR(msg, "NVTXH_RANGE_SCOPE", "NVTXH_STARTF", __VA_ARGS__),       \
                  NVTXH_I_SITE(id, NVTXH_I_KIND_RANGE, msg, NVTXH_I_TEXT(__VA_ARGS__)),            \
                  nvtxh_i_typed(msg, true, NVTXH_I_ATTR_TYPED(__VA_ARGS__)),                       \
                  NVTXH_I_RANGE_IN(id, __VA_ARGS__))
#define NVTXH_I_STARTF(id, macro, example, fmt, ...)                                               \
    NVTXH_I_DO_FORMAT(                                                                             \
        id, nvtxh_i_active, nvtxh_i_range_none(), NVTXH_I_KIND_RANGE, macro, example,              \
        nvtxh_i_range_checked(                                                                     \
            NVTXH_I_SITE_OF(id), NVTXH_I_ATTR_OF(id),                                              \
            nvtxh_i_range_startf(NVTXH_I_SITE_OF(id), NVTXH_I_ATTR_AT(id), NVTXH_I_BARE fmt)),     \
        fmt, __VA_ARGS__)

#ifdef __cplusplus
extern "C++" { /* for files that include this header inside of extern "C" */
/* Not API: the compiler attributes of unique_range's member functions. A member function is
 * inlined, unless its address is taken. Its symbol says how it was compiled, so that objects with
 * annotations, without them, and with checks can be linked together. */
#if NVTXH_I_CHECK
#define NVTXH_I_MEMBER NVTXH_I_MEMBER_OF("nvtxh_i_check")
#elif NVTXH_ENABLED
#define NVTXH_I_MEMBER NVTXH_I_MEMBER_OF("nvtxh_i_on")
#else
#define NVTXH_I_MEMBER NVTXH_I_MEMBER_OF("nvtxh_i_off")
#endif
#define NVTXH_I_MEMBER_OF(tag)                                                                     \
    inline __attribute__((__always_inline__, __no_instrument_function__, __abi_tag__(tag),         \
                          __visibility__("hidden")))
namespace nvtxh {
/* Owns a process range. Moving leaves the zero range behind. The layout is the same with and
 * without annotations. */
class unique_range {
  public:
    NVTXH_I_MEMBER unique_range() noexcept : nvtxh_i_range() {
    }
    NVTXH_I_MEMBER explicit unique_range(struct nvtxh_range range) noexcept : nvtxh_i_range(range) {
    }
    NVTXH_I_MEMBER unique_range(unique_range &&other) noexcept : nvtxh_i_range(other.release()) {
    }
    NVTXH_I_MEMBER unique_range &operator=(unique_range &&other) noexcept {
        struct nvtxh_range range = other.release(); /* before end(): `other` may be this object */

        end();
        nvtxh_i_range = range;
        return *this;
    }
    NVTXH_I_MEMBER ~unique_range() {
        nvtxh_end(nvtxh_i_range);
    }
    /* Ends the range now. Does nothing if it has ended. */
    NVTXH_I_MEMBER void end() noexcept {
        nvtxh_end(release());
    }
    /* Gives the range to the caller, who must then end it. */
    NVTXH_I_MEMBER struct nvtxh_range release() noexcept {
        struct nvtxh_range range = nvtxh_i_range;

        nvtxh_i_range = nvtxh_range();
        return range;
    }

  private:
    struct nvtxh_range nvtxh_i_range;
};
} // namespace nvtxh
}
#endif

#endif
