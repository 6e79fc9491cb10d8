/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_H
#define NVTXH_PAYLOAD_H

/* Structs as payloads. Include this header yourself, after nvtxh.h or alone. Whole structs need
 * NVTX 3.2 or newer.
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
 *                            schema (its description, for tools); up to 32 fields. Layout, size and
 *                            initializers are those of the same struct written by hand.
 *   NVTXH_PAYLOAD_ENUM(tag, (NAME), (NAME, value), ...)    `enum tag { NAME, NAME = value, ... }`
 *                            with the names of its values
 *   nvtxh_payload(&object)   the payload attribute: a declared struct (no payload if the pointer is
 *                            NULL), or a number
 *
 * Types: integers of 8 to 64 bits, bool, char, float, double, long double, const char * (a string,
 * or NULL), void * (an address), declared enums and structs; and one-dimensional arrays of any such
 * type except strings, written `(float[8], name)`. An array of char is a string. In C, write `enum
 * tag`; a typedef of an enum is recorded as a plain number. Options after a field's name, in order:
 * .unit = "ms", .min = 0, .max = 10 (equal limits count as none), .description = "what it is".
 *
 * Structs and enums may be declared at file scope; in C++ also in a namespace, and structs in a
 * class or a function. In C the schema is found by the file, the line and the length of the
 * declaration's text. A file that is compiled several times into one program must not declare
 * different structs with the same line and length.
 *
 * Without the payload extension (NVTX 3.0 and 3.1, or a tool that lacks the extension, such as
 * Nsight Systems 2022.4) the first number of the struct is the payload. With
 * NVTXH_REQUIRE_EXTENSIONS, headers before 3.2 stop the compile. With NVTXH_NO_IMPL, the file that
 * defines NVTXH_IMPLEMENTATION must include this header.
 *
 * Evaluation: as any attribute. The object and its strings are read during the call, not later.
 * Cost when nobody listens: none beyond that of any annotation (tests/cost).
 * Threads: any.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, only the struct and the enum are declared.
 * Errors: none at run time: a type that cannot be shown does not compile. */

#pragma GCC system_header

#include "core/compiler.h"
#include "core/each.h"
#include "domain.h"
#include "payload/types.h"
#include "payload/c.h"
#include "payload/cpp.h"

#define NVTXH_PAYLOAD_STRUCT(tag, ...)                                                             \
    NVTXH_I_PAYLOAD_STRUCT(tag, NVTXH_I_NUMBER(__VA_ARGS__), __VA_ARGS__)
#define NVTXH_PAYLOAD_ENUM(tag, ...)                                                               \
    NVTXH_I_PAYLOAD_ENUM(tag, NVTXH_I_NUMBER(__VA_ARGS__), __VA_ARGS__)

/* Not API from here on. */

/* A field of a struct is (type, name, options...). */
#define NVTXH_I_DECLARE(tag, type, name, ...)                                                      \
    __typeof__(type) name;                                                                         \
    NVTXH_I_OPTIONS_NAMED(__VA_ARGS__);

/* A value of an enum is (NAME) or (NAME, value). */
#define NVTXH_I_ENUMERATOR(tag, name, ...)                                                         \
    name NVTXH_I_THIRD(__VA_ARGS__, NVTXH_I_WITH_VALUE, NVTXH_I_WITHOUT, )(__VA_ARGS__)
#define NVTXH_I_WITH_VALUE(value, ...) = value,
#define NVTXH_I_WITHOUT(...) ,

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

#if NVTXH_I_IMPL
#include "payload/event.h"
#endif

#endif
