/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CHECK_H
#define NVTXH_CHECK_H

/* NVTXH_CHECK: reports mistakes on stderr, with file and line. A report never ends, stops or delays
 * the program: a report that could do so is dropped (docs/limits.md). Each place in the source is
 * reported once, and at most 256 places are reported. Mistakes are looked for even without a tool,
 * so conditions and attributes are always evaluated.
 *
 *   - a scope that ends while its thread still has a range open that began later in the same domain
 *   - a pop without a push; a pop that would close a scope; a pop in another domain than the push
 *   - when the program exits: a process range that has not ended; a push that has not been popped,
 *     if its thread has ended or is the thread that calls exit(); a scope that was open when its
 *     thread ended, as by pthread_exit in C built without -fexceptions. If other threads have
 *     scopes or pushes open, the exit may take 10 ms longer, because it waits for threads that are
 *     just ending
 *   - a category used in a domain that it does not belong to
 *
 * Define NVTXH_CHECK for a whole executable or shared object, and pop in the object that pushed. If
 * a push is in another object, or in a file without NVTXH_CHECK, its pop is reported as a mistake.
 * A thread that has more than 256 ranges open is not checked until all of them are closed.
 *
 * Without NVTXH_CHECK the checks cost nothing. */

#pragma GCC system_header

#include "config.h"
#include "core/compiler.h"

#if NVTXH_I_CHECK
#include "impl/check.h"
#elif NVTXH_ENABLED

/* Not API. */
struct nvtxh_i_site;
struct nvtxh_domain;
struct nvtxh_category;

NVTXH_I_INLINE void nvtxh_i_check_category(const struct nvtxh_i_site *site,
                                           struct nvtxh_domain *domain,
                                           const struct nvtxh_category *category) {
    (void)site, (void)domain, (void)category;
}

NVTXH_I_INLINE void nvtxh_i_check_open(const struct nvtxh_i_site *site, struct nvtxh_domain *domain,
                                       const struct nvtxh_category *category) {
    (void)site, (void)domain, (void)category;
}

NVTXH_I_INLINE void nvtxh_i_check_pop(struct nvtxh_domain *domain, const char *file,
                                      unsigned line) {
    (void)domain, (void)file, (void)line;
}

NVTXH_I_INLINE uint32_t nvtxh_i_check_start(const struct nvtxh_i_site *site) {
    (void)site;
    return 0;
}

NVTXH_I_INLINE void nvtxh_i_check_end(uint32_t number) {
    (void)number;
}

#endif

#endif
