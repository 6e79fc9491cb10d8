/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_H
#define NVTXH_PAYLOAD_H

/*
 * Structs as payloads. Include it by hand, after nvtxh.h or alone; it needs NVTX 3.2 or newer to
 * show all of a struct.
 *
 *     NVTXH_PAYLOAD_ENUM(phase, (LOAD), (TRAIN), (SAVE, 10));
 *     NVTXH_PAYLOAD_STRUCT(batch_info, (int, size), (float, loss, .unit = "nats", .max = 12),
 *                          (enum phase, phase), (const char *, source), (double[3], weights));
 *
 *     struct batch_info info = {32, 0.7f, LOAD, "disk", {1, 0, 0}};
 *     NVTX_SCOPE("step", .payload = nvtxh_payload(&info));
 *     NVTX_POP(.payload = nvtxh_payload(&info)); nvtxh_end(range, .payload = nvtxh_payload(&info));
 *
 *   NVTXH_PAYLOAD_STRUCT(tag, (type, name, ...), ...)    `struct tag { type name; ... }` with its
 *                            schema; up to 32 fields. Layout, size and initializers are those of
 *                            the struct written out.
 *   NVTXH_PAYLOAD_ENUM(tag, (NAME), (NAME, value), ...)    `enum tag { NAME, NAME = value, ... }`
 *                            with the names of its values
 *   nvtxh_payload(&object)   the payload attribute, for a declared struct; for a number as ever
 *
 * Types: integers of 8 to 64 bits, bool, char, float, double, long double, const char * (a string,
 * or NULL), void * (an address), declared enums and structs; and arrays of all but strings, written
 * `(float[8], name)`, of one dimension. An array of char is a string. In C, write
 * `enum tag`; a typedef of an enum is recorded as a plain number.
 * After the name, in this order: .unit = "ms", .min = 0, .max = 10 (the limits hold if they differ),
 * .description = "what it is".
 *
 * The object is read while the event is told, and what the strings point at is copied then; not
 * later. A NULL pointer is no payload.
 *
 * Where it may stand: at file scope. In C++ a struct also in a namespace, a class or a function, an
 * enum also in a namespace.
 * In C the schema is found by the file, the line and the length of the declaration's text. A file that
 * is compiled several times into one program must not declare different structs that agree in these.
 * Cost when nobody listens: none but the question that every annotation asks.
 * Without the extension (NVTX 3.0 and 3.1, or a tool that does not know it, as Nsight Systems
 * 2022.4): the first number of the struct is the payload. NVTXH_REQUIRE_EXTENSIONS: older headers
 * stop the compile. With NVTXH_NO_IMPL the file that defines NVTXH_IMPLEMENTATION includes this one.
 * Off: the struct and the enum alone; no byte.
 */

#include "config.h"
#include "core/compiler.h"
#include "core/symbols.h"
#include "core/each.h"
#include "attr.h"
#include "domain.h"

/* What may be said of a field, besides its type and name. */
struct nvtxh_i_says {
    char nvtxh_i_none NVTXH_I_DEFAULT(0); /* not API */
    const char *unit NVTXH_I_DEFAULT(NVTXH_I_NULL);
    double min NVTXH_I_DEFAULT(0);
    double max NVTXH_I_DEFAULT(0);
    const char *description NVTXH_I_DEFAULT(NVTXH_I_NULL);
};

#define NVTXH_PAYLOAD_STRUCT(tag, ...)                                                             \
    NVTXH_I_PAYLOAD_STRUCT(tag, NVTXH_I_NUMBER(__VA_ARGS__), __VA_ARGS__)
#define NVTXH_PAYLOAD_ENUM(tag, ...)                                                               \
    NVTXH_I_PAYLOAD_ENUM(tag, NVTXH_I_NUMBER(__VA_ARGS__), __VA_ARGS__)

/* Not API from here on. */

#ifdef __cplusplus
/* Or a static of an inline function would pin a shared object in memory (GNU unique). */
#define NVTXH_I_HIDDEN_TYPE NVTXH_I_HIDDEN
#define NVTXH_I_SAYS(...) NVTXH_I_FIELD_SAYS(__VA_ARGS__)
#else
#define NVTXH_I_HIDDEN_TYPE
#define NVTXH_I_SAYS(...)                                                                          \
    {                                                                                              \
        .nvtxh_i_none = 0, __VA_ARGS__                                                             \
    }
#endif

#define NVTXH_I_FIELD_SAYS(...)                                                                    \
    __extension__(struct nvtxh_i_says)                                                             \
    {                                                                                              \
        .nvtxh_i_none = 0, __VA_ARGS__                                                             \
    }

struct nvtxh_i_schema;

/* Where the schema of a type is to be found: in C++ by a function, in C by its file and number. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_schema_ref {
    const struct nvtxh_i_schema *(*find)(void);
    const char *file;
    uint64_t number;
};

/* What the type of a payload points at, if it is a struct. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_payload_ref {
    struct nvtxh_i_payload_type nvtxh_i_type;
    struct nvtxh_i_schema_ref of;
};

/* One field of a struct. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_field {
    const char *name;
    uint32_t type;  /* NVTX's number; 0: see `of` */
    uint32_t count; /* of an array; 0: it is none */
    uint64_t offset;
    struct nvtxh_i_schema_ref of;
    struct nvtxh_i_says says;
};

/* One value of an enum. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_enumerator {
    const char *name;
    int64_t value;
};

/* A struct or an enum. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_schema {
    const char *file;
    uint64_t number;
    const char *name;
    uint64_t size;
    uint64_t count;
    const struct nvtxh_i_field *fields;      /* of a struct */
    const struct nvtxh_i_enumerator *values; /* of an enum */
};

/* A field is given as (type, name, options...); these take it apart. */
#define NVTXH_I_CALL(macro, ...) macro(__VA_ARGS__)
#define NVTXH_I_BARE(...) __VA_ARGS__
#define NVTXH_I_DECLARE(with, field) NVTXH_I_CALL(NVTXH_I_DECLARE_, NVTXH_I_BARE field, )
#define NVTXH_I_DECLARE_(type, name, ...) __typeof__(type) name;
#define NVTXH_I_FIELD(with, field) NVTXH_I_CALL(NVTXH_I_FIELD_, with, NVTXH_I_BARE field, )
#define NVTXH_I_FIELD_(tag, type, name, ...)                                                       \
    {#name,                                                                                        \
     NVTXH_I_CODE(type),                                                                           \
     NVTXH_I_ARRAY(type),                                                                          \
     __builtin_offsetof(struct tag, name),                                                         \
     NVTXH_I_OF(type),                                                                             \
     NVTXH_I_SAYS(__VA_ARGS__)},

/* A value of an enum is (NAME) or (NAME, value). */
#define NVTXH_I_ENUMERATOR(with, value)                                                            \
    NVTXH_I_CALL(NVTXH_I_PASTE(NVTXH_I_ENUMERATOR_, NVTXH_I_COUNT value), NVTXH_I_BARE value)
#define NVTXH_I_ENUMERATOR_1(name) name,
#define NVTXH_I_ENUMERATOR_2(name, value) name = value,
#define NVTXH_I_VALUE(with, value) NVTXH_I_CALL(NVTXH_I_VALUE_, NVTXH_I_BARE value, )
#define NVTXH_I_VALUE_(name, ...) {#name, NVTXH_I_CAST(int64_t, name)},

#define NVTXH_I_PAYLOAD_STRUCT(tag, number, ...)                                                   \
    struct tag {                                                                                   \
        NVTXH_I_EACH(NVTXH_I_DECLARE, tag, __VA_ARGS__)                                            \
        NVTXH_I_INSIDE(tag, number, __VA_ARGS__)                                                   \
    };                                                                                             \
    NVTXH_I_BESIDE(tag, number, __VA_ARGS__)                                                       \
    NVTXH_I_ASSERT(sizeof(struct tag) != 0, "")
#define NVTXH_I_PAYLOAD_ENUM(tag, number, ...)                                                     \
    enum tag { NVTXH_I_EACH(NVTXH_I_ENUMERATOR, tag, __VA_ARGS__) };                               \
    NVTXH_I_BESIDE_ENUM(tag, number, __VA_ARGS__)                                                  \
    NVTXH_I_ASSERT(sizeof(enum tag) != 0, "")

/* The records of a struct and an enum. */
#if NVTXH_ENABLED
#define NVTXH_I_RECORD(id, where, tag, file, number, ...)                                          \
    static const struct nvtxh_i_field NVTXH_I_PASTE(id, _fields)[] = {                             \
        NVTXH_I_EACH(NVTXH_I_FIELD, tag, __VA_ARGS__)};                                            \
    static const struct nvtxh_i_schema id where = {file,                                           \
                                                   number,                                         \
                                                   #tag,                                           \
                                                   sizeof(struct tag),                             \
                                                   sizeof(NVTXH_I_PASTE(id, _fields)) /            \
                                                       sizeof(NVTXH_I_PASTE(id, _fields)[0]),      \
                                                   NVTXH_I_PASTE(id, _fields),                     \
                                                   NVTXH_I_NULL};
#define NVTXH_I_RECORD_ENUM(id, where, tag, file, number, ...)                                     \
    static const struct nvtxh_i_enumerator NVTXH_I_PASTE(id, _values)[] = {                        \
        NVTXH_I_EACH(NVTXH_I_VALUE, tag, __VA_ARGS__)};                                            \
    static const struct nvtxh_i_schema id where = {file,                                           \
                                                   number,                                         \
                                                   #tag,                                           \
                                                   sizeof(enum tag),                               \
                                                   sizeof(NVTXH_I_PASTE(id, _values)) /            \
                                                       sizeof(NVTXH_I_PASTE(id, _values)[0]),      \
                                                   NVTXH_I_NULL,                                   \
                                                   NVTXH_I_PASTE(id, _values)};

NVTXH_I_C_BEGIN
NVTXH_I_EVENT void nvtxh_i_payload_attach(const struct nvtxh_i_payload_type *type,
                                          struct nvtxh_domain *domain, const void *data,
                                          struct nvtxh_i_payload_told *ret_attached);
NVTXH_I_C_END
#endif

#ifdef __cplusplus
#include "payload/cpp.h"
#else
#include "payload/c.h"
#endif
#include "payload/schema.h"

#endif
