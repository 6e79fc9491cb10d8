/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CHECK_H
#define NVTXH_CHECK_H

/*
 * NVTXH_CHECK: a mistake is reported where it is made, on stderr, once for each place and for 256
 * places, with the file and line of both ends; the program goes on. Looked for whether or not a tool
 * is attached, so conditions and attributes are then evaluated in any case.
 *
 *   - a scope that ends while one opened later in its domain, on its thread, is still open
 *   - a pop without a push; a pop that would close a scope; a pop in another domain than the push
 *   - a process range that has not ended when the program exits
 *   - a category used in a domain that it does not belong to
 *
 * Define it for a whole executable or shared object, and keep a push and its pop in one: a pop here of
 * what a file without it, or another object, has pushed looks like a mistake. The innermost 256 open ranges of a thread are known by name; deeper ones are only
 * counted.
 *
 * Without NVTXH_CHECK there is nothing here, and nothing is spent.
 */

#include "config.h"

#if NVTXH_I_CHECK

#include "core/site.h"
#include "domain.h"
#include "category.h"

/* Not API from here on. */


#define NVTXH_I_CHECK_DEPTH 256
#define NVTXH_I_CHECK_REPORTS 256

/* A mistake of one kind at one place, with the place of its other end, if it has one. */
struct nvtxh_i_mistake {
    unsigned kind;
    unsigned line, other_line;
    const char *file, *other_file;
};

/* What is open on one thread, the innermost last. */
struct nvtxh_i_check_thread {
    size_t depth;
    bool lost; /* it went deeper than we keep; nothing is said until all of it is closed */
    struct {
        const struct nvtxh_i_site *site;
        struct nvtxh_domain *domain;
    } open[NVTXH_I_CHECK_DEPTH];
};

/* A process range that has not ended. */
struct nvtxh_i_check_range {
    struct nvtxh_i_check_range *next;
    const struct nvtxh_i_site *site;
    uint32_t number;
    uint32_t process; /* that has started it; a child it was forked with owes it no end */
};

struct nvtxh_i_check_state {
    uint32_t lock; /* the process id of the holder: a fork may leave it locked */
    bool at_exit;
    bool full; /* and that has been said */
    uint32_t started;
    struct nvtxh_i_check_range *ranges;
    size_t n_reported;
    struct nvtxh_i_mistake reported[NVTXH_I_CHECK_REPORTS];
};

NVTXH_I_C_BEGIN

extern struct nvtxh_i_check_state nvtxh_i_check_state NVTXH_I_HIDDEN;
extern __thread struct nvtxh_i_check_thread nvtxh_i_check_this_thread NVTXH_I_HIDDEN;
NVTXH_I_COLD struct nvtxh_i_check_thread *nvtxh_i_check_of_thread(void);
NVTXH_I_COLD NVTXH_I_FORMAT(2, 3) void nvtxh_i_check_report(const struct nvtxh_i_mistake *mistake,
                                                            const char *format, ...);
NVTXH_I_COLD void nvtxh_i_check_category(const struct nvtxh_i_site *site,
                                         struct nvtxh_domain *domain,
                                         const struct nvtxh_category *category);
NVTXH_I_COLD void nvtxh_i_check_open(const struct nvtxh_i_site *site, struct nvtxh_domain *domain,
                                     const struct nvtxh_category *category);
NVTXH_I_COLD void nvtxh_i_check_close(const struct nvtxh_i_site *site);
NVTXH_I_COLD void nvtxh_i_check_pop(struct nvtxh_domain *domain, const char *file, unsigned line);
NVTXH_I_COLD uint32_t nvtxh_i_check_start(const struct nvtxh_i_site *site);
NVTXH_I_COLD void nvtxh_i_check_end(uint32_t number);
NVTXH_I_COLD void nvtxh_i_check_exit(void);

NVTXH_I_C_END

#include "impl/check.h"

#endif
#endif
