/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INSTRUMENT_SETTINGS_H
#define NVTXH_INSTRUMENT_SETTINGS_H

/* Which instrumented functions are shown. Not API. */

#include "../core/system.h"

#include <string.h>

static char *nvtxh_i_patterns;        /* never freed: another thread may be reading it */
static unsigned nvtxh_i_depth_limit;  /* 0: no limit */
static uint64_t nvtxh_i_least_ns;     /* a shorter call counts as short; 0: no call does */
static uint32_t nvtxh_i_settings = 1; /* 1 + how often the patterns or the least time were set */

/* Does the pattern's element at *at match the character C? Moves *at to the element's last
 * character. A '[' without ']' is an ordinary character. */
NVTXH_I_UNHOOKED static bool nvtxh_i_one_matches(const char **at, const char *end, char c) {
    const char *p = *at + 1, *first;
    bool inverted, in = false;

    if (**at == '\\' && p < end) {
        *at = p;
    } else if (**at == '?') {
        return true;
    }
    if (*at == p || **at != '[') {
        return **at == c;
    }
    inverted = p < end && (*p == '!' || *p == '^');
    p += inverted;
    for (first = p; p < end && (*p != ']' || p == first); p++) {
        p += *p == '\\' && p + 1 < end;
        if (p + 2 < end && p[1] == '-' && p[2] != ']') {
            in |= p[0] <= c && c <= p[2];
            p += 2;
        } else {
            in |= *p == c;
        }
    }
    if (p >= end) {
        return c == '[';
    }
    *at = p;
    return in != inverted;
}

/* Like fnmatch(), which would call malloc for long names. Compares bytes. */
NVTXH_I_UNHOOKED static bool nvtxh_i_pattern_matches(const char *pattern, size_t n,
                                                     const char *name) {
    const char *end = pattern + n, *star = NULL, *retry = NULL;

    while (*name) {
        if (pattern < end && *pattern == '*') {
            star = ++pattern;
            retry = name;
        } else if (pattern < end && nvtxh_i_one_matches(&pattern, end, *name)) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*') {
        pattern++;
    }
    return pattern == end;
}

NVTXH_I_UNHOOKED static bool nvtxh_i_is_wanted(const char *name) {
    const char *at = __atomic_load_n(&nvtxh_i_patterns, __ATOMIC_ACQUIRE);
    bool any = false, in = false;

    if (!strncmp(name, "nvtxh_i_", 8)) {
        return false;
    }
    while (at && *at) {
        size_t n = strcspn(at, ",");

        if (*at == '-' && nvtxh_i_pattern_matches(at + 1, n - 1, name)) {
            return false;
        }
        if (*at != '-' && n) {
            any = true;
            in |= nvtxh_i_pattern_matches(at, n, name);
        }
        at += n + (at[n] == ',');
    }
    return in || !any;
}

NVTXH_I_UNHOOKED void nvtxh_instrument_filter(const char *given) {
    size_t n = given ? strlen(given) : 0;
    char *copy = n ? (char *)nvtxh_i_map(n + 1, 0) : NULL;

    if (copy) {
        memcpy(copy, given, n);
    }
    __atomic_store_n(&nvtxh_i_patterns, copy, __ATOMIC_RELEASE);
    __atomic_add_fetch(&nvtxh_i_settings, 1, __ATOMIC_RELEASE);
}

NVTXH_I_UNHOOKED void nvtxh_instrument_depth(unsigned most) {
    __atomic_store_n(&nvtxh_i_depth_limit, most, __ATOMIC_RELAXED);
}

NVTXH_I_UNHOOKED void nvtxh_instrument_min(uint64_t ns) {
    __atomic_store_n(&nvtxh_i_least_ns, ns, __ATOMIC_RELAXED);
    __atomic_add_fetch(&nvtxh_i_settings, 1, __ATOMIC_RELEASE);
}

#endif
