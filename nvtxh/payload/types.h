/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_TYPES_H
#define NVTXH_PAYLOAD_TYPES_H

/* The table of C types; the records that declarations of structs, enums and counters make; the
 * macros that write these records. Not API. */

#include "../config.h"
#include "../core/compiler.h"
#include "../core/symbols.h"
#include "../core/each.h"
#include "../attr.h"

/* Tables of C types, with NVTX's type of each as a field of a struct (an entry type) and as a
 * payload by itself (NVTXH_I_PAYLOAD_U64 and so on in attr.h). A row is f(C type, suffix of
 * NVTX_PAYLOAD_ENTRY_TYPE_, number of this entry type, ...). long is 64 bits wide. */
/* clang-format off */
/* Types that can be payloads, in the order of their numbers in attr.h. The last two columns are
 * suffixes of NVTXH_I_PAYLOAD_ and nvtxh_i_payload_. */
#define NVTXH_I_PAYLOAD_TYPES(f)                                                                   \
    f(unsigned long, UINT64, 18, U64, u64) f(long, INT64, 17, I64, i64)                            \
    f(double, DOUBLE, 20, F64, f64)                                                                \
    f(unsigned, UINT32, 16, U32, u32) f(int, INT32, 15, I32, i32) f(float, FLOAT, 19, F32, f32)
#define NVTXH_I_PAYLOAD_ALIASES(f)                                                                 \
    f(unsigned long long, UINT64, 18, U64, u64) f(long long, INT64, 17, I64, i64)
/* Integers narrower than int, and the type that each is read as. NVTX has no number 200. */
#define NVTXH_I_NARROW_TYPES(f)                                                                    \
    f(char, CHAR, 1, signed char) f(unsigned char, UINT8, 12, unsigned char)                       \
    f(signed char, INT8, 11, signed char) f(short, INT16, 13, short)                               \
    f(unsigned short, UINT16, 14, unsigned short) f(bool, BOOL, 200, unsigned char)
/* Types of fields that cannot be payloads by themselves. */
#define NVTXH_I_FIELD_TYPES(f)                                                                     \
    f(long double, LONGDOUBLE, 21, ) f(const void *, ADDRESS, 23, ) f(const char *, CSTRING, 75, )
#define NVTXH_I_FIELD_ALIASES(f) f(void *, ADDRESS, 23, ) f(char *, CSTRING, 75, )
/* Every C type of the tables, once. */
#define NVTXH_I_ENTRY_TYPES(f)                                                                     \
    NVTXH_I_PAYLOAD_TYPES(f) NVTXH_I_PAYLOAD_ALIASES(f) NVTXH_I_NARROW_TYPES(f)                    \
    NVTXH_I_FIELD_TYPES(f) NVTXH_I_FIELD_ALIASES(f)
/* clang-format on */

#define NVTXH_I_ENTRY(T, name, number, ...) NVTXH_I_ENTRY_##name = number,
enum {
    NVTXH_I_PAYLOAD_TYPES(NVTXH_I_ENTRY) NVTXH_I_NARROW_TYPES(NVTXH_I_ENTRY)
        NVTXH_I_FIELD_TYPES(NVTXH_I_ENTRY)
};

/* The options of a field or a counter. */
struct nvtxh_i_options {
    char nvtxh_i_none; /* not API */
    const char *unit;
    double min;
    double max;
    const char *description;
};

#define NVTXH_I_OPTIONS_IN_BRACES(...) NVTXH_I_BRACES(.nvtxh_i_none = 0, __VA_ARGS__)
#define NVTXH_I_FIELD_OPTIONS(...)                                                                 \
    __extension__(NVTXH_I_STRUCT(nvtxh_i_options)) NVTXH_I_OPTIONS_IN_BRACES(__VA_ARGS__)
#ifdef __cplusplus
/* For the types of static variables in inline functions: unless the type is hidden, the variable
 * has the binding STB_GNU_UNIQUE, and its shared object cannot be unloaded. */
#define NVTXH_I_HIDDEN_TYPE NVTXH_I_HIDDEN
#define NVTXH_I_OPTIONS NVTXH_I_FIELD_OPTIONS
#else
#define NVTXH_I_HIDDEN_TYPE
#define NVTXH_I_OPTIONS NVTXH_I_OPTIONS_IN_BRACES
#endif

struct nvtxh_i_schema;

/* How to find the schema of a type: in C++ by a function, in C by file and number. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_schema_ref {
    const struct nvtxh_i_schema *(*find)(void);
    const char *file;
    uint64_t number;
};

/* The member nvtxh_i_type of struct nvtxh_payload_value is a small number (attr.h) or, if the
 * payload is a struct, the address of an nvtxh_i_payload_ref. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_payload_ref {
    struct nvtxh_i_made_by_nvtxh_payload nvtxh_i_type;
    struct nvtxh_i_schema_ref of;
};

struct NVTXH_I_HIDDEN_TYPE nvtxh_i_field {
    const char *name;
    uint32_t type;  /* a number of NVTXH_I_ENTRY_TYPES; 0: see `of` */
    uint32_t count; /* the length of an array; 0: not an array */
    uint64_t offset;
    struct nvtxh_i_schema_ref of; /* the type's schema, if the type is a struct or an enum */
    struct nvtxh_i_options options;
};

struct NVTXH_I_HIDDEN_TYPE nvtxh_i_enumerator {
    const char *name;
    int64_t value;
};

/* The record of a struct or an enum. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_schema {
    const char *file; /* in C, file and number identify the type: see c.h */
    uint64_t number;
    const char *name;
    uint64_t size;
    uint64_t count;                          /* how many fields or values */
    const struct nvtxh_i_field *fields;      /* of a struct; else NULL */
    const struct nvtxh_i_enumerator *values; /* of an enum; else NULL */
};

/* Macros that write the record of a struct or enum. c.h or cpp.h defines NVTXH_I_CODE,
 * NVTXH_I_ARRAY and NVTXH_I_OF, which give the members `type`, `count` and `of` of a field. */
#define NVTXH_I_FIELD(tag, type, name, ...)                                                        \
    NVTXH_I_BRACES(#name, NVTXH_I_CODE(type), NVTXH_I_ARRAY(type),                                 \
                   __builtin_offsetof(struct tag, name), NVTXH_I_OF(type),                         \
                   NVTXH_I_OPTIONS(__VA_ARGS__)),
#define NVTXH_I_VALUE(tag, name, ...) {#name, ((int64_t)(name))},

#if NVTXH_ENABLED

#define NVTXH_I_SCHEMA(id, where, type, name, file, number, rows, fields, values)                  \
    static const struct nvtxh_i_schema id where = {                                                \
        file, number, name, sizeof(type), sizeof(rows) / sizeof((rows)[0]), fields, values};
#define NVTXH_I_RECORD(id, where, tag, file, number, ...)                                          \
    static const struct nvtxh_i_field id##_fields[] = {                                            \
        NVTXH_I_EACH(NVTXH_I_FIELD, tag, __VA_ARGS__)};                                            \
    NVTXH_I_SCHEMA(id, where, struct tag, #tag, file, number, id##_fields, id##_fields, NULL)
#define NVTXH_I_RECORD_ENUM(id, where, tag, file, number, ...)                                     \
    static const struct nvtxh_i_enumerator id##_values[] = {                                       \
        NVTXH_I_EACH(NVTXH_I_VALUE, tag, __VA_ARGS__)};                                            \
    NVTXH_I_SCHEMA(id, where, enum tag, #tag, file, number, id##_values, NULL, id##_values)

/* A counter, made by NVTXH_COUNTER; the members are not API. A group is a counter of structs. */
struct nvtxh_counter {
    const char *nvtxh_i_name;
    struct nvtxh_domain *nvtxh_i_domain;
    struct nvtxh_i_options nvtxh_i_options;
    const void *nvtxh_i_schema; /* of a group; void: g++ warns of members of hidden types */
    uint64_t nvtxh_i_id;        /* the tool's id; 0: the tool has no counters */
    uint32_t nvtxh_i_type;      /* a number of NVTXH_I_ENTRY_TYPES; 0: a group */
    uint32_t nvtxh_i_made;      /* 1: the first value has set schema, id and type */
};

NVTXH_I_C_BEGIN
NVTXH_I_ENTRY_DECL void nvtxh_i_payload_attach(const struct nvtxh_i_made_by_nvtxh_payload *type,
                                               struct nvtxh_domain *domain, const void *data,
                                               struct nvtxh_i_payload_encoded *ret_attached)
    NVTXH_I_ENTRY_SYMBOL("include_payload_h_in_the_implementation");
NVTXH_I_C_END

#else

#define NVTXH_I_RECORD(...)
#define NVTXH_I_RECORD_ENUM(...)

#endif

#endif
