/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_CPP_H
#define NVTXH_PAYLOAD_CPP_H

/* Finds the schema (the layout) of a type, in C++. A static member function of a struct returns the
 * struct's schema; an overload of nvtxh_i_enum_schema() returns an enum's. Not API. */

#include "types.h"

#ifdef __cplusplus

#define NVTXH_I_NUMBER(...) 0
#define NVTXH_I_BESIDE(tag, number, ...)

extern "C++" {

/* The entry type of a field. An enum has the entry type of its underlying integer, a struct 0. */
template <class value_type, bool is_enum = __is_enum(value_type)>
struct nvtxh_i_code {
    static constexpr uint32_t value = 0;
};
template <class value_type>
struct nvtxh_i_code<value_type, true> : nvtxh_i_code<__underlying_type(value_type)> {};
template <class value_type>
struct nvtxh_i_code<const value_type, false> : nvtxh_i_code<value_type> {};
#define NVTXH_I_ENTRY_CODE(T, name, number, ...)                                                   \
    template <>                                                                                    \
    struct nvtxh_i_code<T, false> {                                                                \
        static constexpr uint32_t value = number;                                                  \
    };
NVTXH_I_ENTRY_TYPES(NVTXH_I_ENTRY_CODE)

/* The type of an array's elements and its length; for any other type, the type itself and 0. */
template <class value_type>
struct nvtxh_i_element {
    typedef value_type nvtxh_i_type;
    static constexpr uint32_t nvtxh_i_count = 0;
};
template <class value_type, size_t n>
struct nvtxh_i_element<value_type[n]> {
    typedef value_type nvtxh_i_type;
    static constexpr uint32_t nvtxh_i_count = n;
};

/* The function that returns a type's schema. `nvtxh_i_is` says whether there is one. With
 * sanitizers, g++ cannot find this out by comparing `nvtxh_i_find` with NULL at compile time. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_found {
    const struct nvtxh_i_schema *(*nvtxh_i_find)(void);
    bool nvtxh_i_is;
};
template <class value_type>
const struct nvtxh_i_schema *nvtxh_i_find_enum(void) {
    return nvtxh_i_enum_schema(static_cast<const value_type *>(nullptr));
}
template <class value_type, typename value_type::nvtxh_i_declared * = nullptr>
constexpr nvtxh_i_found nvtxh_i_find(int) {
    return {&value_type::nvtxh_i_schema_of, true};
}
template <class value_type,
          class = decltype(nvtxh_i_enum_schema(static_cast<const value_type *>(nullptr)))>
constexpr nvtxh_i_found nvtxh_i_find(long) {
    return {&nvtxh_i_find_enum<value_type>, true};
}
template <class value_type>
constexpr nvtxh_i_found nvtxh_i_find(...) {
    return {nullptr, false};
}

template <class value_type>
struct nvtxh_i_field_type {
    typedef typename nvtxh_i_element<value_type>::nvtxh_i_type element;
    static_assert(
        nvtxh_i_code<element>::value != 0 || nvtxh_i_find<element>(0).nvtxh_i_is,
        "a field of NVTXH_PAYLOAD_STRUCT must be a number, a string, or a type declared by "
        "NVTXH_PAYLOAD_STRUCT or NVTXH_PAYLOAD_ENUM; see nvtxh/payload.h");
    static_assert(nvtxh_i_code<element>::value != NVTXH_I_ENTRY_CSTRING ||
                      nvtxh_i_element<value_type>::nvtxh_i_count == 0,
                  "NVTXH_PAYLOAD_STRUCT: an array of strings, which NVTX cannot show");
    static constexpr uint32_t nvtxh_i_number = nvtxh_i_code<element>::value;
};
#define NVTXH_I_CODE(T) (nvtxh_i_field_type<__typeof__(T)>::nvtxh_i_number)
#define NVTXH_I_ARRAY(T) (nvtxh_i_element<__typeof__(T)>::nvtxh_i_count)
#define NVTXH_I_OF(T)                                                                              \
    NVTXH_I_BRACES(                                                                                \
        nvtxh_i_find<typename nvtxh_i_element<__typeof__(T)>::nvtxh_i_type>(0).nvtxh_i_find,       \
        nullptr, 0)

#define NVTXH_I_INSIDE(tag, number, ...)                                                           \
    typedef struct tag nvtxh_i_declared __attribute__((__unused__));                               \
    NVTXH_I_SCHEMA_OF(tag, __VA_ARGS__)

/* nvtxh_payload(&object). attr.h has the overloads for numbers. */
#if NVTXH_ENABLED
template <class value_type, typename value_type::nvtxh_i_declared * = nullptr>
inline struct nvtxh_payload_value nvtxh_payload(const value_type *object) {
    static const struct nvtxh_i_payload_ref ref = {{nvtxh_i_payload_attach},
                                                   {&value_type::nvtxh_i_schema_of, nullptr, 0}};
    struct nvtxh_payload_value value = {object ? &ref.nvtxh_i_type : nullptr,
                                        reinterpret_cast<uintptr_t>(object)};

    return value;
}

#define NVTXH_I_SCHEMA_OF(tag, ...)                                                                \
    static inline const nvtxh_i_schema *nvtxh_i_schema_of(void) {                                  \
        NVTXH_I_RECORD(nvtxh_i_record, , tag, nullptr, 0, __VA_ARGS__)                             \
        return &nvtxh_i_record;                                                                    \
    }
#define NVTXH_I_BESIDE_ENUM(tag, number, ...)                                                      \
    NVTXH_I_INLINE const nvtxh_i_schema *nvtxh_i_enum_schema(const enum tag *) {                   \
        NVTXH_I_RECORD_ENUM(nvtxh_i_record, , tag, nullptr, 0, __VA_ARGS__)                        \
        return &nvtxh_i_record;                                                                    \
    }
#else
template <class value_type, typename value_type::nvtxh_i_declared * = nullptr>
inline struct nvtxh_payload_value nvtxh_payload(const value_type *) {
    return nvtxh_payload_value();
}

#define NVTXH_I_SCHEMA_OF(tag, ...)
#define NVTXH_I_BESIDE_ENUM(tag, number, ...)
#endif
}

#endif
#endif
