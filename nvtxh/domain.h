/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DOMAIN_H
#define NVTXH_DOMAIN_H

/* Domains: a library's annotations under the library's name, to be shown or filtered as one group.
 *
 *   NVTXH_DOMAIN(train, "train");     in one file, at file scope: defines the domain object
 *   NVTXH_DOMAIN_EXTERN(train);       in other files of the same executable or shared object:
 *                                     declares the domain object
 *   NVTXH_DOMAIN_INLINE(train, "train");    in a header, in place of both: all files that include
 *                                     the header share one domain object
 *   NVTX_SCOPE("step", .domain = &train);
 *   #define NVTXH_DEFAULT_DOMAIN train    before the include: for every annotation of the file
 *   .domain = NVTXH_DOMAIN_DEFAULT    NVTX's default domain, in a file with NVTXH_DEFAULT_DOMAIN
 *
 * A domain is created in the tool once, before its first event, even if several threads send their
 * first events at the same time. Domains are never destroyed, because tools would drop a domain's
 * strings with it. The domain object is local to the executable or shared object (hidden
 * visibility). If another shared object defines a domain of the same name, most tools show one
 * domain. Avoid '@' in a name, because filters of Nsight Systems interpret it. The tool gets
 * "(empty)" for an empty name.
 *
 * Evaluation: the name is a literal.
 * Cost: 32 bytes and the name, and for NVTXH_DOMAIN_INLINE 24 bytes in each file; nothing runs
 *   before the domain's first event.
 * Threads: any.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, only declarations, which take no byte.
 * Errors: none. A second NVTXH_DOMAIN with the same identifier does not compile in the same file,
 *   and does not link in another file, unless annotations are off. NVTXH_DOMAIN_INLINE with the
 *   same identifier and two names is reported on stderr when someone listens. */

#pragma GCC system_header

#include "config.h"
#include "core/compiler.h"

struct nvtxh_domain;

#define NVTXH_DOMAIN_EXTERN(id) extern NVTXH_I_STRUCT(nvtxh_domain) id NVTXH_I_DECLARED
/* An address that no domain has. */
#define NVTXH_DOMAIN_DEFAULT ((NVTXH_I_STRUCT(nvtxh_domain) *)(uintptr_t)8)

#if NVTXH_ENABLED

/* A domain. Made by NVTXH_DOMAIN; the members are not API. */
struct nvtxh_domain {
    const char *nvtxh_i_name;
    const char *nvtxh_i_file;
    void *nvtxh_i_handle;
    uint32_t nvtxh_i_wanted; /* is it on? NVTXH_I_WANTED, ... of impl/domain.h; 0: not known yet */
    uint32_t nvtxh_i_made;   /* 1: nvtxh_i_handle is final, even if it is NULL */
};

#define NVTXH_DOMAIN(id, name)                                                                     \
    NVTXH_I_LITERAL(name, "NVTXH_DOMAIN", "for one made at run time: nvtxh_domain_named(string)"); \
    NVTXH_DOMAIN_EXTERN(id);                                                                       \
    NVTXH_I_STRUCT(nvtxh_domain) id = {name, __FILE__, NULL, 0, 0}

/* Weak, so the linker keeps one definition of an identifier. What a file says of the identifier is
 * in the section nvtxh_domains, where impl/domain.h compares names. */
#define NVTXH_DOMAIN_INLINE(id, name)                                                              \
    NVTXH_I_LITERAL(name, "NVTXH_DOMAIN_INLINE", "the domain has one name in every file");         \
    NVTXH_DOMAIN_EXTERN(id);                                                                       \
    NVTXH_I_LINKONCE NVTXH_I_STRUCT(nvtxh_domain) id = {name, __FILE__, NULL, 0, 0};               \
    static const NVTXH_I_STRUCT(nvtxh_i_domain_said) NVTXH_I_PASTE(nvtxh_i_said_of_, id)           \
        __attribute__((__section__("nvtxh_domains"), __aligned__(8), __used__)) = {&id, name,      \
                                                                                   __FILE__}

/* Not API. */
struct nvtxh_i_domain_said {
    const struct nvtxh_domain *domain;
    const char *name;
    const char *file;
};

#else

char nvtxh_i_typed_domain(struct nvtxh_domain *domain); /* used in sizeof only */

/* A second definition in one file is refused, as when annotations are on. */
#define NVTXH_I_ONCE(id) enum { NVTXH_I_PASTE(nvtxh_i_definition_of_, id) }

#define NVTXH_DOMAIN(id, name)                                                                     \
    NVTXH_DOMAIN_EXTERN(id);                                                                       \
    NVTXH_I_ONCE(id);                                                                              \
    NVTXH_I_LITERAL(name, "NVTXH_DOMAIN", "for one made at run time: nvtxh_domain_named(string)")
#define NVTXH_DOMAIN_INLINE(id, name)                                                              \
    NVTXH_DOMAIN_EXTERN(id);                                                                       \
    NVTXH_I_ONCE(id);                                                                              \
    NVTXH_I_LITERAL(name, "NVTXH_DOMAIN_INLINE", "the domain has one name in every file")

#endif

/* Not API from here on. NVTXH_I_FILE_DOMAIN: the domain of annotations without .domain, in the file
 * that includes this header. NULL: NVTX's default domain. */
#define NVTXH_I_IS_FILE_DOMAIN(id) NVTXH_I_PASTE(nvtxh_i_file_has_one_NVTXH_DEFAULT_DOMAIN_not_, id)
#ifdef NVTXH_DEFAULT_DOMAIN
#define NVTXH_I_HAS_FILE_DOMAIN 1
#define NVTXH_I_FILE_DOMAIN (&NVTXH_DEFAULT_DOMAIN)
NVTXH_DOMAIN_EXTERN(NVTXH_DEFAULT_DOMAIN);
typedef char NVTXH_I_IS_FILE_DOMAIN(NVTXH_DEFAULT_DOMAIN); /* see the end of nvtxh.h */
#else
#define NVTXH_I_HAS_FILE_DOMAIN 0
#define NVTXH_I_FILE_DOMAIN NULL
#endif

#if NVTXH_ENABLED
/* The domain of an event. GIVEN is its .domain or NULL; FILE is the file's default domain. */
NVTXH_I_INLINE struct nvtxh_domain *nvtxh_i_domain_of(struct nvtxh_domain *given,
                                                      struct nvtxh_domain *file) {
    if (!given) {
        return file;
    }
    return given == NVTXH_DOMAIN_DEFAULT ? NULL : given;
}
#endif

#endif
