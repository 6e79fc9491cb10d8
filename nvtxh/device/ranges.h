/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_RANGES_H
#define NVTXH_DEVICE_RANGES_H

/* The macros that start a range, go to the next, mark, and open a scope; core/dispatch.h decides
 * what they expand to when annotations are off. The inline functions here call those of begin.h.
 * nvtxh_i_told() says whether a tool may listen: see entry.h. Not API. */

#include "../attr.h"
#include "../check.h"
#include "../core/dispatch.h"
#include "../core/site.h"
#include "../core/symbols.h"
#include "cuda.h"
#include "entry.h"
#include "types.h"

#if NVTXH_ENABLED

NVTXH_I_C_BEGIN

NVTXH_I_ENTRY_DECL nvtxh_i_status nvtxh_i_device_do(const struct nvtxh_i_site *site,
                                                    enum nvtxh_i_device_action action,
                                                    nvtxh_i_stream stream,
                                                    struct nvtxh_device_range *range,
                                                    const struct nvtxh_attr *a)
    NVTXH_I_ENTRY_SYMBOL("with_device_h");
NVTXH_I_ENTRY_DECL NVTXH_I_FORMAT(5, 6) nvtxh_i_status
    nvtxh_i_device_dof(const struct nvtxh_i_site *site, enum nvtxh_i_device_action action,
                       nvtxh_i_stream stream, struct nvtxh_device_range *range, const char *format,
                       ...) NVTXH_I_ENTRY_SYMBOL("device_dof");

/* Does a tool listen? Without NVTXH_CHECK it does: nvtxh_i_told_who has found out. */
NVTXH_I_INLINE bool nvtxh_i_device_listens(void) {
    return !NVTXH_I_CHECK || nvtxh_i_told_known();
}

NVTXH_I_INLINE nvtxh_i_status nvtxh_i_device_in(const struct nvtxh_i_site *site,
                                                enum nvtxh_i_device_action action,
                                                nvtxh_i_stream stream,
                                                struct nvtxh_device_range *range,
                                                struct nvtxh_attr a) {
    nvtxh_i_check_category(site, a.domain, a.category);
    a.domain = NVTXH_I_ATTR_DOMAIN(a);
    return nvtxh_i_device_listens()
               ? nvtxh_i_device_do(site, action, nvtxh_i_device_stream(stream), range, &a)
               : nvtxh_i_device_none(action, stream, range);
}

#define nvtxh_i_device_inf(site, action, stream, range, ...)                                       \
    (nvtxh_i_device_listens()                                                                      \
         ? nvtxh_i_device_dof(site, action, nvtxh_i_device_stream(stream), range, __VA_ARGS__)     \
         : nvtxh_i_device_none(action, stream, range))

/* Begins a scope. On failure the scope's token is 0, and the end of the block does nothing. */
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

#define NVTXH_I_DEVICE_KIND_START NVTXH_I_KIND_RANGE
#define NVTXH_I_DEVICE_KIND_NEXT NVTXH_I_KIND_RANGE
#define NVTXH_I_DEVICE_KIND_MARK NVTXH_I_KIND_MARK

#define NVTXH_I_DEVICE(id, action, macro, stream, range, msg, ...)                                 \
    NVTXH_I_DO(nvtxh_i_told_who(false),                                                            \
               nvtxh_i_device_none(NVTXH_I_DEVICE_##action, stream, range),                        \
               NVTXH_I_LITERAL_OR(msg, macro, macro "f", __VA_ARGS__),                             \
               NVTXH_I_SITE(id, NVTXH_I_DEVICE_KIND_##action, msg, NVTXH_I_TEXT(__VA_ARGS__)),     \
               (nvtxh_i_typed_device(stream, range) +                                              \
                nvtxh_i_typed(msg, true, NVTXH_I_ATTR_TYPED(__VA_ARGS__))),                        \
               nvtxh_i_device_in(NVTXH_I_SITE_OF(id), NVTXH_I_DEVICE_##action, stream, range,      \
                                 NVTXH_I_ATTR(__VA_ARGS__)))
#define NVTXH_I_DEVICEF(id, action, macro, stream, range, fmt, ...)                                \
    NVTXH_I_DO(nvtxh_i_told_who(false),                                                            \
               nvtxh_i_device_none(NVTXH_I_DEVICE_##action, stream, range),                        \
               NVTXH_I_LITERAL(fmt, macro, "write \"%s\", string"),                                \
               NVTXH_I_SITE(id, NVTXH_I_DEVICE_KIND_##action | NVTXH_I_KIND_FORMAT, fmt, ""),      \
               (nvtxh_i_typed_device(stream, range) + nvtxh_i_typedf(__VA_ARGS__)),                \
               nvtxh_i_device_inf(NVTXH_I_SITE_OF(id), NVTXH_I_DEVICE_##action, stream, range,     \
                                  __VA_ARGS__))
#define NVTXH_I_DEVICE_SCOPE(id, stream, msg, ...)                                                 \
    NVTXH_I_GUARD(                                                                                 \
        nvtxh_i_device_scope, nvtxh_i_device_scope, id, NVTXH_I_PASTE(id, _guard),                 \
        nvtxh_i_told_who(false),                                                                   \
        NVTXH_I_LITERAL_OR(msg, "NVTXH_DEVICE_SCOPE", "NVTXH_DEVICE_SCOPEF", __VA_ARGS__),         \
        NVTXH_I_SITE(id, NVTXH_I_KIND_RANGE, msg, NVTXH_I_TEXT(__VA_ARGS__)),                      \
        (nvtxh_i_typed_device(stream, NULL) +                                                      \
         nvtxh_i_typed(msg, true, NVTXH_I_ATTR_TYPED(__VA_ARGS__))),                               \
        nvtxh_i_device_scope_in(nvtxh_i_device_in(NVTXH_I_SITE_OF(id), NVTXH_I_DEVICE_START,       \
                                                  stream, &nvtxh_i_range,                          \
                                                  NVTXH_I_ATTR(__VA_ARGS__))))
#define NVTXH_I_DEVICE_SCOPEF(id, stream, fmt, ...)                                                \
    NVTXH_I_GUARD(                                                                                 \
        nvtxh_i_device_scope, nvtxh_i_device_scope, id, NVTXH_I_PASTE(id, _guard),                 \
        nvtxh_i_told_who(false),                                                                   \
        NVTXH_I_LITERAL(fmt, "NVTXH_DEVICE_SCOPEF",                                                \
                        "write NVTXH_DEVICE_SCOPEF(stream, \"%s\", string)"),                      \
        NVTXH_I_SITE(id, NVTXH_I_KIND_RANGE | NVTXH_I_KIND_FORMAT, fmt, ""),                       \
        (nvtxh_i_typed_device(stream, NULL) + nvtxh_i_typedf(__VA_ARGS__)),                        \
        nvtxh_i_device_scope_in(nvtxh_i_device_inf(NVTXH_I_SITE_OF(id), NVTXH_I_DEVICE_START,      \
                                                   stream, &nvtxh_i_range, __VA_ARGS__)))
/* Sets the mode even if nobody listens: a tool may attach while the scope lasts. */
#define NVTXH_I_DEVICE_MODE_SCOPE(id, mode)                                                        \
    NVTXH_I_GUARD_ALWAYS(nvtxh_i_device_mode_scope, id, nvtxh_i_typed_number(mode),                \
                         nvtxh_i_device_mode_scope_in(mode))

#endif
