/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_C_H
#define NVTXH_PAYLOAD_C_H

/* Finds the schema (the layout) of a type, in C. All that C can compute from a type is a number, so
 * every declared struct has a number that no other struct of its file has. With gcc the number is
 * the element size of a zero-length array member. clang would warn that initializers leave this
 * member out, so with clang an overloaded function returns a pointer to an array: the number is the
 * array's size. Schemas are in the section nvtxh_schemas, and are looked up by file and number when
 * a type is first used. Not API. */

#include "types.h"

#ifndef __cplusplus

/* __COUNTER__ is unique in one compile. If a file is compiled several times into one program, with
 * different macros, the line and the length of the declaration's text tell structs apart. */
#define NVTXH_I_NUMBER(...)                                                                        \
    (((uint64_t)__COUNTER__ << 28) + ((__LINE__ & 0xffffu) << 12) +                                \
     (sizeof(NVTXH_I_TEXT(__VA_ARGS__)) & 0xfffu) + 1)

#if defined(__clang__)
#define NVTXH_I_OUTSIDE(type, number)                                                              \
    __attribute__((__overloadable__)) char(                                                        \
        *nvtxh_i_no_NVTXH_PAYLOAD_STRUCT(const struct type *))[number];
#define NVTXH_I_WITHIN(number)
#define NVTXH_I_NUMBER_OF(pointer) sizeof(*nvtxh_i_no_NVTXH_PAYLOAD_STRUCT(pointer))
struct nvtxh_i_numbered {
    char nvtxh_i_nothing;
};
/* Without this overload, a pointer to another type would be accepted with a warning. */
__attribute__((
    __overloadable__,
    __unavailable__(
        "neither a number nor a pointer to a struct that "
        "NVTXH_PAYLOAD_STRUCT has declared"))) char (*nvtxh_i_no_NVTXH_PAYLOAD_STRUCT(const volatile void
                                                                                          *))[1];
NVTXH_I_OUTSIDE(nvtxh_i_numbered, 1)
#else
#define NVTXH_I_WITHIN(number) __extension__ char nvtxh_i_no_NVTXH_PAYLOAD_STRUCT[0][number];
#define NVTXH_I_OUTSIDE(tag, number)
#define NVTXH_I_NUMBER_OF(pointer) sizeof((pointer)->nvtxh_i_no_NVTXH_PAYLOAD_STRUCT[0])
struct nvtxh_i_numbered {
    char nvtxh_i_no_NVTXH_PAYLOAD_STRUCT[1][1];
};
#endif

#define NVTXH_I_INSIDE(tag, number, ...)                                                           \
    NVTXH_I_EACH(NVTXH_I_FIELD_CHECK, tag, __VA_ARGS__)                                            \
    NVTXH_I_WITHIN(number)

/* NVTXH_I_DECAYED: if T is an array, the pointer type that it decays to; otherwise T.
 * NVTXH_I_ELEMENT: a null pointer to the array's element type, or to T. */
#define NVTXH_I_DECAYED(T) __typeof__(((void)0, *(__typeof__(T) *)0))
#define NVTXH_I_IS_ARRAY(T) (!__builtin_types_compatible_p(__typeof__(T), NVTXH_I_DECAYED(T)))
#define NVTXH_I_ELEMENT(T)                                                                         \
    __builtin_choose_expr(NVTXH_I_IS_ARRAY(T), *(NVTXH_I_DECAYED(T) *)0, (__typeof__(T) *)0)
#define NVTXH_I_ARRAY(T)                                                                           \
    (NVTXH_I_IS_ARRAY(T) ? sizeof(__typeof__(T)) / sizeof(*NVTXH_I_ELEMENT(T)) : 0)

/* clang-format off */
#define NVTXH_I_ENTRY_CODE(T, name, number, ...) T *: number, T const *: number,
#define NVTXH_I_ENTRY_POINTER(T, ...)                                                              \
    T *: (struct nvtxh_i_numbered *)0, T const *: (struct nvtxh_i_numbered *)0,
/* clang-format on */

#define NVTXH_I_CODE(T)                                                                            \
    _Generic(NVTXH_I_ELEMENT(T), NVTXH_I_ENTRY_TYPES(NVTXH_I_ENTRY_CODE) default : 0)
#define NVTXH_I_OF(T) NVTXH_I_BRACES(NULL, __BASE_FILE__, NVTXH_I_FIELD_NUMBER(NVTXH_I_AS(T)))
#define NVTXH_I_FIELD_NUMBER(T)                                                                    \
    NVTXH_I_NUMBER_OF(                                                                             \
        _Generic(NVTXH_I_ELEMENT(T), NVTXH_I_ENTRY_TYPES(NVTXH_I_ENTRY_POINTER) default            \
                 : NVTXH_I_ELEMENT(T)))

/* Refuses arrays of strings, for which NVTX has no entry type. (For an array, NVTXH_I_CODE gives
 * the entry type of the elements.) */
#define NVTXH_I_FIELD_CHECK(tag, type, name, ...)                                                  \
    _Static_assert(!(NVTXH_I_IS_ARRAY(type) && NVTXH_I_CODE(type) == NVTXH_I_ENTRY_CSTRING),       \
                   "NVTXH_PAYLOAD_STRUCT: " #name                                                  \
                   " is an array of strings, which NVTX cannot show");

/* In C the type of an enum is an integer type, which does not tell which enum it is. So for each
 * enum there is a struct, which has the enum's number. */
#define NVTXH_I_AS(T) NVTXH_I_CALL_PICK(NVTXH_I_PASTE(NVTXH_I_IS_, T), NVTXH_I_BARE, T, )
#define NVTXH_I_CALL_PICK(...) NVTXH_I_PICK(__VA_ARGS__)
#define NVTXH_I_PICK(no, as, T, ...) as(T)
#define NVTXH_I_IS_enum ~, NVTXH_I_ENUM_TYPE,
#define NVTXH_I_ENUM_TYPE(T) struct NVTXH_I_PASTE(nvtxh_i_no_NVTXH_PAYLOAD_ENUM_, T)

/* Makes the compiler and the linker keep the schemas, although nothing refers to a schema by
 * name. */
#if __has_attribute(__retain__)
#define NVTXH_I_RETAIN __retain__,
#else
#define NVTXH_I_RETAIN
#endif
#define NVTXH_I_IN_SCHEMAS                                                                         \
    __attribute__((__section__("nvtxh_schemas"), __aligned__(8), NVTXH_I_RETAIN __used__))

#define NVTXH_I_BESIDE(tag, number, ...)                                                           \
    NVTXH_I_OUTSIDE(tag, number)                                                                   \
    NVTXH_I_RECORD(nvtxh_i_schema_##tag, NVTXH_I_IN_SCHEMAS, tag, __BASE_FILE__, number,           \
                   __VA_ARGS__)
#define NVTXH_I_BESIDE_ENUM(tag, number, ...)                                                      \
    struct nvtxh_i_no_NVTXH_PAYLOAD_ENUM_##tag {                                                   \
        char nvtxh_i_nothing;                                                                      \
        NVTXH_I_WITHIN(number)                                                                     \
    };                                                                                             \
    NVTXH_I_OUTSIDE(nvtxh_i_no_NVTXH_PAYLOAD_ENUM_##tag, number)                                   \
    NVTXH_I_RECORD_ENUM(nvtxh_i_schema_##tag, NVTXH_I_IN_SCHEMAS, tag, __BASE_FILE__, number,      \
                        __VA_ARGS__)

/* nvtxh_payload(x), for a number or a pointer to a declared struct. */
#undef nvtxh_payload
/* x is not evaluated in NVTXH_I_REF, which is a statement expression: if x is a compound literal,
 * its object would not outlive the block of that expression. */
#define nvtxh_payload(...) NVTXH_I_PAYLOAD_OF((__VA_ARGS__))
#define NVTXH_I_PAYLOAD_OF(x)                                                                      \
    _Generic((x) + 0, NVTXH_I_NUMBERS(NVTXH_I_NUMBER_MAKER, nvtxh_i_payload_at))(                  \
        x, NVTXH_I_REF(NVTXH_I_UNIQUE(nvtxh_i_payload_), NVTXH_I_PAYLOAD_NUMBER(x)))

/* clang-format off */
#define NVTXH_I_NUMBERS(f, other) NVTXH_I_PAYLOAD_TYPES(f) NVTXH_I_PAYLOAD_ALIASES(f) default: other
#define NVTXH_I_NUMBER_MAKER(T, entry, number, type, maker) T: nvtxh_i_payload_or_##maker,
#define NVTXH_I_NUMBER_POINTER(T, ...) T: (struct nvtxh_i_numbered *)0,
/* clang-format on */
#define NVTXH_I_PAYLOAD_NUMBER(x)                                                                  \
    NVTXH_I_NUMBER_OF(_Generic((x) + 0, NVTXH_I_NUMBERS(NVTXH_I_NUMBER_POINTER, (x))))

#if NVTXH_ENABLED
#define NVTXH_I_REF(id, number)                                                                    \
    __extension__({                                                                                \
        static const struct nvtxh_i_payload_ref id = {{nvtxh_i_payload_attach},                    \
                                                      {NULL, __BASE_FILE__, number}};              \
        &id.nvtxh_i_type;                                                                          \
    })
#else
#define NVTXH_I_REF(id, number) ((void)(number), NULL)
#endif

#define NVTXH_I_PAYLOAD_OR(T, entry, number, type, maker)                                          \
    NVTXH_I_INLINE struct nvtxh_payload_value nvtxh_i_payload_or_##maker(                          \
        T x, const struct nvtxh_i_made_by_nvtxh_payload *ref) {                                    \
        (void)ref;                                                                                 \
        return nvtxh_i_payload_##maker(x);                                                         \
    }
NVTXH_I_PAYLOAD_TYPES(NVTXH_I_PAYLOAD_OR)

NVTXH_I_INLINE struct nvtxh_payload_value nvtxh_i_payload_at(
    const void *object, const struct nvtxh_i_made_by_nvtxh_payload *ref) {
    struct nvtxh_payload_value value;

    value.nvtxh_i_type = object ? ref : NULL;
    value.nvtxh_i_bits = (uintptr_t)object;
    return value;
}

#endif
#endif
