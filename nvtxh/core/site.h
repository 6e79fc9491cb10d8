/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_SITE_H
#define NVTXH_CORE_SITE_H

/* The call site: one static record for every annotation in the source. Not API.
 *
 * In C, and in C++ with clang, the records are an array in the section nvtxh_sites. So when a tool
 * is found, every literal message of the linked object that has no .domain of its own is registered
 * before the first event. g++ refuses the section attribute in files with inline functions. So with
 * g++, records are separate variables ("own"), and a message is registered on its first use. */

#include "../config.h"
#include "../domain.h"
#include "compiler.h"

enum nvtxh_i_kind {
    NVTXH_I_KIND_SCOPE = 1,
    NVTXH_I_KIND_MARK,
    NVTXH_I_KIND_PUSH,
    NVTXH_I_KIND_RANGE,
    NVTXH_I_KIND_FORMAT = 0x80,    /* or'ed with one of the above: the message is a printf format */
    NVTXH_I_KIND_UNCOUNTED = 0x800 /* or'ed with one of the above: sets NVTXH_I_SITE_UNCOUNTED */
};

/* The function's name, in a form that nvcc accepts in a template, too. */
#define NVTXH_I_FUNCTION (&__func__[0])

#if NVTXH_ENABLED

enum {
    NVTXH_I_SITE_AUTO_COLOR = 1, /* the file sets NVTXH_AUTO_COLOR */
    NVTXH_I_SITE_HOME = 2,       /* no .domain: events are in the file's default domain */
    NVTXH_I_SITE_OWN = 4,        /* not in the section: a struct nvtxh_i_site_own */
    NVTXH_I_SITE_UNCOUNTED = 8,  /* not in the statistics */
};

#define NVTXH_I_SITE_FLAGS(kind, attributes)                                                       \
    ((!!(NVTXH_AUTO_COLOR)*NVTXH_I_SITE_AUTO_COLOR) |                                              \
     (NVTXH_I_NO_DOMAIN(attributes) * NVTXH_I_SITE_HOME) | (kind) >> 8)
#ifdef __CUDACC__ /* within a lambda, the form below is not constant for nvcc */
#define NVTXH_I_NO_DOMAIN(attributes) (sizeof(attributes) == 1)
#else /* attributes may be any expression, so this tests their text, where .domain comes first */
#define NVTXH_I_NO_DOMAIN(attributes) (__builtin_strncmp(attributes, ".domain", 7) != 0)
#endif
/* Does the annotation of site `id` have no attributes? NVTXH_I_SITE defines this constant. */
#define NVTXH_I_SITE_PLAIN(id) NVTXH_I_PASTE(id, _plain)
#define NVTXH_I_SITE_PLAIN_IS(id, text) enum { NVTXH_I_SITE_PLAIN(id) = sizeof(text) == 1 }

/* What the source says of an annotation. Const, because a C inline function must not contain static
 * variables that change. */
struct nvtxh_i_site {
    const char *message;
    const char *file;
    const char *function;
    struct nvtxh_domain *domain; /* the file's default domain */
    uint32_t line;
    uint16_t kind;
    uint16_t flags;
};

/* A slot caches what a site needs in one domain: the registered message, and the site's first event
 * (not its payload), which later events reuse, as their attributes are mostly the same. A slot is
 * exactly twice as large as a site, so a site's address gives that of its slot (impl/slot.h). */
struct nvtxh_i_slot {
    uintptr_t domain;          /* the domain's address + 1; 0: the slot is not filled yet */
    uintptr_t category;        /* the first event's .category; NVTXH_I_NO_EVENT: no event yet */
    struct nvtxh_i_slot *more; /* the site's next slot, for another domain */
    uint32_t color;            /* the first event's .color */
    uint32_t row;              /* number of the site's row in the statistics, from 1; 0: none yet */
    uint64_t event[6];         /* an nvtxEventAttributes_t, which only impl/ knows */
};
enum { NVTXH_I_NO_EVENT = 2 }; /* neither a category's address nor NVTXH_CATEGORY_ID(n) */

/* A site outside of the section. Hidden in C++: otherwise a site in an inline function gets the
 * binding STB_GNU_UNIQUE from g++, and the shared object that has the site cannot be unloaded. */
#ifdef __cplusplus
struct NVTXH_I_HIDDEN nvtxh_i_site_own {
#else
struct nvtxh_i_site_own {
#endif
    struct nvtxh_i_site nvtxh_i_record;
    struct nvtxh_i_slot *nvtxh_i_found; /* the site's first slot; NULL: none yet */
};

#if defined(__cplusplus) && !defined(__clang__)
#define NVTXH_I_SITE(id, kind, message, text)                                                      \
    NVTXH_I_SITE_PLAIN_IS(id, text);                                                               \
    static struct nvtxh_i_site_own id = {{message, __FILE__, NVTXH_I_FUNCTION,                     \
                                          NVTXH_I_FILE_DOMAIN, __LINE__, (kind)&0xff,              \
                                          NVTXH_I_SITE_FLAGS(kind, text) | NVTXH_I_SITE_OWN},      \
                                         NULL}
#define NVTXH_I_SITE_OF(id) (&(id).nvtxh_i_record)
#define NVTXH_I_SITES_OWN 1
#else
#define NVTXH_I_SITES_OWN 0
/* Internal linkage: otherwise shared objects would share the record of an inline function, but the
 * record is in the section of only one of the objects. */
#ifdef __cplusplus
#define NVTXH_I_IN_SECTION                                                                         \
    __attribute__((__section__("nvtxh_sites"), __aligned__(8), __internal_linkage__))
#else
#define NVTXH_I_IN_SECTION __attribute__((__section__("nvtxh_sites"), __aligned__(8)))
#endif
/* clang-format off */
#define NVTXH_I_SITE(id, kind, message, text)                                                      \
    NVTXH_I_SITE_PLAIN_IS(id, text);                                                               \
    static const struct nvtxh_i_site id NVTXH_I_IN_SECTION = {                                     \
        message, __FILE__, NVTXH_I_FUNCTION, NVTXH_I_FILE_DOMAIN, __LINE__, (kind)&0xff,           \
        NVTXH_I_SITE_FLAGS(kind, text)}
/* clang-format on */
#define NVTXH_I_SITE_OF(id) (&(id))
#endif

#endif

#endif
