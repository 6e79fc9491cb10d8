/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_METHOD_H
#define NVTXH_CORE_METHOD_H

/* The call site's record (site.h) for NVTXH_METHOD. In C++ its message is the compiler's
 * __PRETTY_FUNCTION__, shortened at compile time from C++14 on, but not with nvcc. Not API. */

#include "compiler.h"
#include "site.h"

#if NVTXH_ENABLED

#ifndef __cplusplus
#define NVTXH_I_SITE_METHOD(id, kind, text) NVTXH_I_SITE(id, kind, NVTXH_I_FUNCTION, text)
#elif defined(__CUDACC__) || (NVTXH_I_SITES_OWN && __cplusplus < 201402L)
#define NVTXH_I_SITE_METHOD(id, kind, text) NVTXH_I_SITE(id, kind, &__PRETTY_FUNCTION__[0], text)
#else

#if __cplusplus < 201402L
#define NVTXH_I_METHOD_NAME(id)                                                                    \
    static constexpr const char *NVTXH_I_PASTE(id, _name) = &__PRETTY_FUNCTION__[0]
#define NVTXH_I_METHOD_MESSAGE(id) NVTXH_I_PASTE(id, _name)
#else
#include "pretty.h"
#define NVTXH_I_METHOD_NAME(id)                                                                    \
    static constexpr size_t NVTXH_I_PASTE(id, _size) =                                             \
        nvtxh_i_method_size(NVTXH_I_PRETTY, NVTXH_I_TEXT(__LINE__));                               \
    static constexpr auto NVTXH_I_PASTE(id, _name) =                                               \
        nvtxh_i_method<NVTXH_I_PASTE(id, _size)>(NVTXH_I_PRETTY, NVTXH_I_TEXT(__LINE__))
#define NVTXH_I_METHOD_MESSAGE(id) (&NVTXH_I_PASTE(id, _name).chars[0])
#endif

#if NVTXH_I_SITES_OWN
#define NVTXH_I_SITE_METHOD(id, kind, text)                                                        \
    NVTXH_I_METHOD_NAME(id);                                                                       \
    NVTXH_I_SITE(id, kind, NVTXH_I_METHOD_MESSAGE(id), text)
#else
/* If the record were a local variable with internal linkage, clang would make one record, with the
 * first instance's name, for all instances of a function template. So the record is a static member
 * of a class template, and each instance has its own. The class template's second argument, a type
 * of this file, makes the record internal. */
namespace {
struct nvtxh_i_this_file;
}
extern "C++" { /* for files that include this header inside of extern "C" */
template <typename Values, typename File>
struct nvtxh_i_method_site {
    static const struct nvtxh_i_site record;
};
template <typename Values, typename File>
__attribute__((__section__("nvtxh_sites"), __aligned__(8)))
const struct nvtxh_i_site nvtxh_i_method_site<Values, File>::record = Values::get();
}
#define NVTXH_I_SITE_METHOD(id, kind, text)                                                        \
    NVTXH_I_METHOD_NAME(id);                                                                       \
    NVTXH_I_SITE_PLAIN_IS(id, text);                                                               \
    static constexpr const char *NVTXH_I_PASTE(id, _function) = NVTXH_I_FUNCTION;                  \
    struct NVTXH_I_PASTE(id, _values) {                                                            \
        static constexpr struct nvtxh_i_site get() {                                               \
            return {NVTXH_I_METHOD_MESSAGE(id),    __FILE__, NVTXH_I_PASTE(id, _function),         \
                    NVTXH_I_FILE_DOMAIN,           __LINE__, (kind)&0xff,                          \
                    NVTXH_I_SITE_FLAGS(kind, text)};                                               \
        }                                                                                          \
    };                                                                                             \
    const struct nvtxh_i_site &id =                                                                \
        nvtxh_i_method_site<NVTXH_I_PASTE(id, _values), nvtxh_i_this_file>::record
#endif

#endif
#endif

#endif
