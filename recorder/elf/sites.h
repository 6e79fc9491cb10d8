/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_ELF_SITES_H
#define NVTXH_ELF_SITES_H
/* The records that nvtxh's annotations leave in a program: see nvtxh/core/site.h. */
#include "image.h"

struct site {
    const char *message; /* a printf format if is_format; NULL: it is known only at run time */
    const char *file, *function;
    const char *domain; /* the domain of its source file; NULL: NVTX's default domain */
    uint32_t line;
    const char *kind; /* "scope", "mark", "push" or "range" */
    bool is_format;
    bool elsewhere; /* the annotation names another domain, which is known only at run time */
};

struct sites {
    struct site *all; /* sorted by file and line */
    size_t count, room;
    size_t bytes; /* of the sites' texts */
    bool cut;     /* more sites were left out, because their texts would take too much memory */
};

/* Finds the records: compilers of C and clang++ put them into the section nvtxh_sites, g++ into writable data. */
void sites_find(struct sites *s, const struct image *image);
void sites_free(struct sites *s);

#endif /* NVTXH_ELF_SITES_H */
