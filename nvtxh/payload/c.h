/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_C_H
#define NVTXH_PAYLOAD_C_H

/*
 * From the type of a pointer to its schema, in C. Not API; part of payload.h.
 *
 * All that C lets one have of a type is numbers. So every declared struct has one that tells it from
 * the others of its file: with gcc the size of the elements of an array of no length within it, with
 * clang, which would miss that in initializers, what an overloaded function returns. The schemas lie
 * in the section nvtxh_schemas and are looked up by file and number when a type is first used.
 */

/*
 * The line and the length of the text are for a file that is compiled several times, with different
 * macros, into one program.
 */
#define NVTXH_I_NUMBER(...)                                                                        \
    (((uint64_t)__COUNTER__ << 28) + ((__LINE__ & 0xffffu) << 12) +                                \
     (sizeof(NVTXH_I_TEXT(__VA_ARGS__)) & 0xfffu) + 1)

#if defined(__clang__)
#define NVTXH_I_NUMBERED(type, number)                                                             \
    __attribute__((__overloadable__)) char(                                                        \
        *nvtxh_i_no_NVTXH_PAYLOAD_STRUCT(const struct type *))[number];
#define NVTXH_I_WITHIN(number)
#define NVTXH_I_OUTSIDE(tag, number) NVTXH_I_NUMBERED(tag, number)
#define NVTXH_I_NUMBER_OF(pointer) sizeof(*nvtxh_i_no_NVTXH_PAYLOAD_STRUCT(pointer))
struct nvtxh_i_numbered {
    char nvtxh_i_nothing;
};
/* Or a pointer to something else would do, with a warning. */
__attribute__((
    __overloadable__,
    __unavailable__(
        "neither a number nor a pointer to a struct that "
        "NVTXH_PAYLOAD_STRUCT has declared"))) char (*nvtxh_i_no_NVTXH_PAYLOAD_STRUCT(const volatile void
                                                                                          *))[1];
NVTXH_I_NUMBERED(nvtxh_i_numbered, 1)
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

/* What T is after it decays, whether that is something else, and a pointer to its elements. */
#define NVTXH_I_DECAYED(T) __typeof__(((void)0, *(__typeof__(T) *)0))
#define NVTXH_I_IS_ARRAY(T) (!__builtin_types_compatible_p(__typeof__(T), NVTXH_I_DECAYED(T)))
#define NVTXH_I_ELEMENT(T)                                                                         \
    __builtin_choose_expr(NVTXH_I_IS_ARRAY(T), *(NVTXH_I_DECAYED(T) *)0, (__typeof__(T) *)0)
#define NVTXH_I_ARRAY(T)                                                                           \
    (NVTXH_I_IS_ARRAY(T) ? sizeof(__typeof__(T)) / sizeof(*NVTXH_I_ELEMENT(T)) : 0)

/* NVTX's numbers for the types of fields; 200 is ours, for bool. */
#define NVTXH_I_SCALARS(f)                                                                         \
    f(char, 1) f(signed char, 11) f(unsigned char, 12) f(short, 13) f(unsigned short, 14)          \
        f(int, 15) f(unsigned, 16) f(long, 17) f(unsigned long, 18) f(long long, 17)               \
            f(unsigned long long, 18) f(float, 19) f(double, 20) f(long double, 21) f(bool, 200)   \
                f(char *, 75) f(const char *, 75) f(void *, 23) f(const void *, 23)
#define NVTXH_I_SCALAR_CODE(T, code) T * : code, T const * : code,
#define NVTXH_I_SCALAR_NUMBER(T, code)                                                             \
    T * : (struct nvtxh_i_numbered *)0, T const * : (struct nvtxh_i_numbered *)0,

#define NVTXH_I_CODE(T)                                                                            \
    _Generic(NVTXH_I_ELEMENT(T), NVTXH_I_SCALARS(NVTXH_I_SCALAR_CODE) default : 0)
#define NVTXH_I_OF(T)                                                                              \
    {                                                                                              \
        NULL, __BASE_FILE__, NVTXH_I_FIELD_NUMBER(NVTXH_I_AS(T))                                   \
    }
#define NVTXH_I_FIELD_NUMBER(T)                                                                    \
    NVTXH_I_NUMBER_OF(_Generic(NVTXH_I_ELEMENT(T), NVTXH_I_SCALARS(NVTXH_I_SCALAR_NUMBER) default  \
                               : NVTXH_I_ELEMENT(T)))

/* Of the types that have a number, this one NVTX has no entry for. */
#define NVTXH_I_FIELD_CHECK(with, field) NVTXH_I_CALL(NVTXH_I_FIELD_CHECK_, NVTXH_I_BARE field, )
#define NVTXH_I_FIELD_CHECK_(type, name, ...)                                                      \
    _Static_assert(!(NVTXH_I_IS_ARRAY(type) && NVTXH_I_CODE(type) == 75),                          \
                   "NVTXH_PAYLOAD_STRUCT: " #name                                                  \
                   " is an array of strings, which NVTX cannot show");

/* C knows an enum for the integer that it is, so each has a struct of its own to speak for it. */
#define NVTXH_I_AS(T) NVTXH_I_CALL_PICK(NVTXH_I_PASTE(NVTXH_I_IS_, T), NVTXH_I_SAME_TYPE, T, )
#define NVTXH_I_CALL_PICK(...) NVTXH_I_PICK(__VA_ARGS__)
#define NVTXH_I_PICK(no, as, T, ...) as(T)
#define NVTXH_I_SAME_TYPE(T) T
#define NVTXH_I_IS_enum ~, NVTXH_I_ENUM_TYPE,
#define NVTXH_I_ENUM_TYPE(T) struct NVTXH_I_PASTE(nvtxh_i_no_NVTXH_PAYLOAD_ENUM_, T)

#if NVTXH_ENABLED
/* Nothing refers to a schema by name: it is kept, at -O2 and when the linker collects garbage. */
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
    NVTXH_I_ENUM_NUMBERED(tag, number)                                                             \
    NVTXH_I_RECORD_ENUM(nvtxh_i_schema_##tag, NVTXH_I_IN_SCHEMAS, tag, __BASE_FILE__, number,      \
                        __VA_ARGS__)
#else
#define NVTXH_I_BESIDE(tag, number, ...) NVTXH_I_OUTSIDE(tag, number)
#define NVTXH_I_BESIDE_ENUM(tag, number, ...) NVTXH_I_ENUM_NUMBERED(tag, number)
#endif
#define NVTXH_I_ENUM_NUMBERED(tag, number)                                                         \
    struct nvtxh_i_no_NVTXH_PAYLOAD_ENUM_##tag {                                                   \
        char nvtxh_i_nothing;                                                                      \
        NVTXH_I_WITHIN(number)                                                                     \
    };                                                                                             \
    NVTXH_I_OUTSIDE(nvtxh_i_no_NVTXH_PAYLOAD_ENUM_##tag, number)

/* nvtxh_payload(x), for a number or a pointer to a declared struct. */
#undef nvtxh_payload
#define nvtxh_payload(...) NVTXH_I_PAYLOAD_OF(NVTXH_I_UNIQUE(nvtxh_i_payload_), (__VA_ARGS__))

/* clang-format off */
#define NVTXH_I_NUMBERS(f, other)                                                                  \
    int: f(i32),                                                                                   \
    unsigned: f(u32),                                                                              \
    long: f(i64),                                                                                  \
    unsigned long: f(u64),                                                                         \
    long long: f(i64),                                                                             \
    unsigned long long: f(u64),                                                                    \
    float: f(f32),                                                                                 \
    double: f(f64),                                                                                \
    default: other
/* clang-format on */
#define NVTXH_I_NUMBER_MAKER(type) nvtxh_i_payload_or_##type
#define NVTXH_I_NUMBER_POINTER(type) (struct nvtxh_i_numbered *)0
#define NVTXH_I_MAKE(x, ref)                                                                       \
    _Generic((x) + 0, NVTXH_I_NUMBERS(NVTXH_I_NUMBER_MAKER, nvtxh_i_payload_at))(x, ref)
#define NVTXH_I_PAYLOAD_NUMBER(x)                                                                  \
    NVTXH_I_NUMBER_OF(_Generic((x) + 0, NVTXH_I_NUMBERS(NVTXH_I_NUMBER_POINTER, (x))))

#if NVTXH_ENABLED
/* x stands outside of the statement expression, or a compound literal would end with that. */
#define NVTXH_I_PAYLOAD_OF(id, x) NVTXH_I_MAKE(x, NVTXH_I_REF(id, NVTXH_I_PAYLOAD_NUMBER(x)))
#define NVTXH_I_REF(id, number)                                                                    \
    __extension__({                                                                                \
        static const struct nvtxh_i_payload_ref id = {{nvtxh_i_payload_attach},                    \
                                                      {NULL, __BASE_FILE__, number}};              \
        &id.nvtxh_i_type;                                                                          \
    })
#else
#define NVTXH_I_PAYLOAD_OF(id, x) ((void)NVTXH_I_PAYLOAD_NUMBER(x), NVTXH_I_MAKE(x, NULL))
#endif

#define NVTXH_I_PAYLOAD_OR(type, number)                                                           \
    NVTXH_I_INLINE struct nvtxh_payload_value nvtxh_i_payload_or_##type(                           \
        number x, const struct nvtxh_i_payload_type *ref)                                          \
    {                                                                                              \
        (void)ref;                                                                                 \
        return nvtxh_i_payload_##type(x);                                                          \
    }
NVTXH_I_PAYLOAD_OR(i32, int32_t)
NVTXH_I_PAYLOAD_OR(u32, uint32_t)
NVTXH_I_PAYLOAD_OR(i64, int64_t)
NVTXH_I_PAYLOAD_OR(u64, uint64_t)
NVTXH_I_PAYLOAD_OR(f32, float)
NVTXH_I_PAYLOAD_OR(f64, double)

NVTXH_I_INLINE struct nvtxh_payload_value nvtxh_i_payload_at(const void *object,
                                                             const struct nvtxh_i_payload_type *ref)
{
    struct nvtxh_payload_value value;

    value.nvtxh_i_type = object ? ref : NULL;
    value.nvtxh_i_bits = (uintptr_t)object;
    return value;
}

#endif
