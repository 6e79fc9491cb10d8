/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INSTRUMENT_SETTINGS_H
#define NVTXH_INSTRUMENT_SETTINGS_H

/* Which functions are shown. Not API. */

#include "symbols.h" /* NVTXH_I_SYMBOL_QUIET */

#include <fnmatch.h>
#include <string.h>

static char *nvtxh_i_patterns; /* replaced, never freed: somebody may be reading */
static unsigned nvtxh_i_depth_limit;
static uint64_t nvtxh_i_least_ns;
static uint32_t nvtxh_i_settings = 1;

NVTXH_I_SYMBOL_QUIET static bool nvtxh_i_pattern_matches(const char *pattern, size_t n,
                                                         const char *name)
{
    char text[256];

    if (n >= sizeof(text))
        return false;
    memcpy(text, pattern, n);
    text[n] = 0;
    return !fnmatch(text, name, 0);
}

NVTXH_I_SYMBOL_QUIET static bool nvtxh_i_is_wanted(const char *name)
{
    const char *at = __atomic_load_n(&nvtxh_i_patterns, __ATOMIC_ACQUIRE);
    bool any = false, in = false;

    if (!strncmp(name, "nvtxh_i_", 8))
        return false;
    while (at && *at) {
        size_t n = strcspn(at, ",");

        if (*at == '-' && nvtxh_i_pattern_matches(at + 1, n - 1, name))
            return false;
        if (*at != '-' && n) {
            any = true;
            in |= nvtxh_i_pattern_matches(at, n, name);
        }
        at += n + (at[n] == ',');
    }
    return in || !any;
}

NVTXH_I_SYMBOL_QUIET void nvtxh_instrument_filter(const char *given)
{
    char *copy = given && *given ? strdup(given) : NULL;

    __atomic_store_n(&nvtxh_i_patterns, copy, __ATOMIC_RELEASE);
    __atomic_add_fetch(&nvtxh_i_settings, 1, __ATOMIC_RELEASE);
}

NVTXH_I_SYMBOL_QUIET void nvtxh_instrument_depth(unsigned most)
{
    __atomic_store_n(&nvtxh_i_depth_limit, most, __ATOMIC_RELAXED);
}

NVTXH_I_SYMBOL_QUIET void nvtxh_instrument_min(uint64_t ns)
{
    __atomic_store_n(&nvtxh_i_least_ns, ns, __ATOMIC_RELAXED);
    __atomic_add_fetch(&nvtxh_i_settings, 1, __ATOMIC_RELEASE);
}

#endif
