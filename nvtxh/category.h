/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CATEGORY_H
#define NVTXH_CATEGORY_H

/* Categories: kinds of work within a domain, by which tools group and filter events.
 *
 *   NVTXH_CATEGORY(gemm, &train, "gemm");    in one file, at file scope
 *   NVTXH_CATEGORY_EXTERN(gemm);             in other files of the same executable or shared object
 *   NVTX_SCOPE("matmul", .domain = &train, .category = &gemm);
 *   NVTX_SCOPE("matmul", .category = NVTXH_CATEGORY_ID(7));    a number of your own, without a name
 *
 * A category belongs to the domain in its definition (NULL: NVTX's default domain). The tool gets
 * the category's name before the category's first event. NVTX distinguishes categories by number. A
 * named category gets its number from its name: 2^30 or above, and the same in every run. Keep your
 * numbers for NVTXH_CATEGORY_ID below 2^30. The tool gets "(empty)" for an empty name.
 *
 * Evaluation: the name is a literal, the domain a constant address. The number of NVTXH_CATEGORY_ID
 *   is evaluated like any attribute.
 * Cost: 32 bytes and the name; nothing runs before the category's first event.
 * Threads: any.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, only declarations, which take no byte.
 * Errors: none. NVTXH_CHECK reports a category used in another domain (nvtxh/check.h). */

#pragma GCC system_header

#include "config.h"
#include "core/compiler.h"
#include "domain.h"

struct nvtxh_category;

#define NVTXH_CATEGORY_EXTERN(id) extern NVTXH_I_STRUCT(nvtxh_category) id NVTXH_I_DECLARED
/* The number is encoded as an odd address, which no category object has. */
#define NVTXH_CATEGORY_ID(number)                                                                  \
    ((NVTXH_I_STRUCT(nvtxh_category) *)((((uintptr_t)(uint32_t)(number)) << 1) | 1u))

#if NVTXH_ENABLED

/* A category. Made by NVTXH_CATEGORY; the members are not API. */
struct nvtxh_category {
    const char *nvtxh_i_name;
    struct nvtxh_domain *nvtxh_i_domain;
    const char *nvtxh_i_file;
    uint32_t nvtxh_i_line;
    uint32_t nvtxh_i_id; /* the category's number; 0: the tool has not got the name yet */
};

#define NVTXH_CATEGORY(id, domain, name)                                                           \
    NVTXH_I_LITERAL(name, "NVTXH_CATEGORY",                                                        \
                    "for one made at run time: nvtxh_category_named(domain, string)");             \
    NVTXH_CATEGORY_EXTERN(id);                                                                     \
    NVTXH_I_STRUCT(nvtxh_category) id = {name, domain, __FILE__, __LINE__, 0}

#else

#define NVTXH_CATEGORY(id, domain, name)                                                           \
    NVTXH_I_LITERAL(name, "NVTXH_CATEGORY",                                                        \
                    "for one made at run time: nvtxh_category_named(domain, string)");             \
    NVTXH_CATEGORY_EXTERN(id);                                                                     \
    NVTXH_I_ONCE(id);                                                                              \
    NVTXH_I_ASSERT(sizeof(nvtxh_i_typed_domain(domain)) != 0, "a category has a domain")

#endif
#endif
