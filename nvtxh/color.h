/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_COLOR_H
#define NVTXH_COLOR_H

/* Colours: 32 bits of ARGB, as NVTX takes them. The functions keep no state, and work
 * whether annotations are on or off.
 *
 *   NVTXH_DARKGREEN, NVTXH_RAPIDS, ...    148 CSS names and RAPIDS: nvtxh/core/color_names.h
 *   nvtxh_rgb(r, g, b)                    opaque; r, g and b are 0 to 255
 *   nvtxh_argb(a, r, g, b)                with alpha; tools draw alpha 0 as no colour
 *   nvtxh_color_by_name("darkgreen", &c)  for a name that is known only at run time
 *   nvtxh_palette_okabe_ito(i)            one of 8 colours that colour-blind readers can tell apart
 *   nvtxh_palette_tableau10(i)            one of the 10 colours that plotting programs use
 *   nvtxh_color_of("any name")            gives the same name the same colour in every run
 *   .color = NVTXH_COLOR_AUTO             what nvtxh_color_of returns for the annotation's message
 *
 * In C you cannot take the address of these functions. The upper-case names are constant
 * expressions, and so are nvtxh_rgb and nvtxh_argb of constants: static initializers may use them.
 *
 * Evaluation: each argument once.
 * Cost: the upper-case names are numbers. The functions are inline and look up a table;
 *   nvtxh_color_of first hashes the name. Only files that use a function contain its table.
 * Threads: any.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, nothing changes.
 * Errors: nvtxh_color_by_name returns false for an unknown name. The other functions have none. */

#pragma GCC system_header

#include "core/compiler.h"
#include "core/color_names.h"

#define nvtxh_argb(a, r, g, b)                                                                     \
    ((NVTXH_I_CHANNEL(a) << 24) | (NVTXH_I_CHANNEL(r) << 16) | (NVTXH_I_CHANNEL(g) << 8) |         \
     NVTXH_I_CHANNEL(b))
#define nvtxh_rgb(r, g, b) nvtxh_argb(0xff, r, g, b)

/* Not a colour (alpha is 0): stands for nvtxh_color_of(message). */
#define NVTXH_COLOR_AUTO 0x00000001u

/* `+ 0LL`, because g++ warns of a useless cast if x is a uint32_t already. */
#define NVTXH_I_CHANNEL(x) ((uint32_t)((x) + 0LL) & 0xffu)

/* The i-th colour of Okabe and Ito's palette (8 colours, black last; i is of any number type, and
 * wraps around). People with any common kind of colour vision can distinguish the colours.
 * https://jfly.uni-koeln.de/color/ */
NVTXH_I_INLINE uint32_t nvtxh_palette_okabe_ito(unsigned long long i) {
    static const uint32_t palette[] = {0xffe69f00u, 0xff56b4e9u, 0xff009e73u, 0xfff0e442u,
                                       0xff0072b2u, 0xffd55e00u, 0xffcc79a7u, 0xff000000u};

    return palette[i % (sizeof(palette) / sizeof(palette[0]))];
}

/* Any number; the multiplication refuses pointers, which the cast would accept. */
#define NVTXH_I_PALETTE_INDEX(i) ((unsigned long long)(1 * (i)))
#define nvtxh_palette_okabe_ito(i) nvtxh_palette_okabe_ito(NVTXH_I_PALETTE_INDEX(i))

/* The i-th colour of the palette "Tableau 10" (i wraps around): blue, orange, red, teal, ... */
NVTXH_I_INLINE uint32_t nvtxh_palette_tableau10(unsigned long long i) {
    static const uint32_t palette[] = {0xff4e79a7u, 0xfff28e2bu, 0xffe15759u, 0xff76b7b2u,
                                       0xff59a14fu, 0xffedc948u, 0xffb07aa1u, 0xffff9da7u,
                                       0xff9c755fu, 0xffbab0acu};

    return palette[i % (sizeof(palette) / sizeof(palette[0]))];
}

#define nvtxh_palette_tableau10(i) nvtxh_palette_tableau10(NVTXH_I_PALETTE_INDEX(i))

/* The colour of a name, the same in every run and on every machine: one of 24 hues of similar
 * lightness. Each hue has a contrast of at least 3:1 against black and against white, so it is
 * readable on both, and both are readable on it. NULL counts as the empty name. */
NVTXH_I_INLINE uint32_t nvtxh_color_of(const char *name) {
    static const uint32_t palette[] = {
        0xffd35570u, 0xffc04442u, 0xffd35d31u, 0xffb05a02u, 0xffb87501u, 0xff936e03u,
        0xff998704u, 0xff737c03u, 0xff659815u, 0xff218b30u, 0xff019f68u, 0xff088871u,
        0xff079a94u, 0xff09848fu, 0xff0695b5u, 0xff037eafu, 0xff2389e2u, 0xff456ed1u,
        0xff7577e3u, 0xff7d5cc7u, 0xffa366cdu, 0xffa14da7u, 0xffc35aa4u, 0xffb84379u,
    };
    uint32_t hash = 2166136261u; /* FNV-1a, whose low and high bits are mixed below */

    for (; name && *name; name++) {
        hash = (hash ^ (unsigned char)(*name)) * 16777619u;
    }
    hash = (hash ^ (hash >> 15)) * 2246822519u;
    hash ^= hash >> 13;
    return palette[hash % (sizeof(palette) / sizeof(palette[0]))];
}

/* Not API. Compares NAME, converted to upper case, with an upper-case KEY: -1, 0 or 1. */
NVTXH_I_INLINE int nvtxh_i_color_compare(const char *name, const char *key) {
    for (;; name++, key++) {
        int c = *name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name;

        if (c != *key) {
            return c < *key ? -1 : 1;
        }
        if (!c) {
            return 0;
        }
    }
}

/* Not API. The value of DIGITS, if they are exactly N hexadecimal digits; otherwise -1. */
NVTXH_I_INLINE int64_t nvtxh_i_color_hex(const char *digits, int n) {
    int64_t value = 0;

    for (; n; n--, digits++) {
        int c = *digits | 0x20;

        if (*digits >= '0' && *digits <= '9') {
            value = value * 16 + (*digits - '0');
        } else if (c >= 'a' && c <= 'f') {
            value = value * 16 + (c - 'a' + 10);
        } else {
            return -1;
        }
    }
    return *digits ? -1 : value;
}

struct nvtxh_i_color_entry {
    const char *name;
    uint32_t color;
};
#define NVTXH_I_COLOR_CSS(name) {#name, NVTXH_##name},
#define NVTXH_I_COLOR_OTHER(name, color) {#name, color},

NVTXH_I_INLINE bool nvtxh_i_color_find(const struct nvtxh_i_color_entry *table, size_t n,
                                       const char *name, uint32_t *ret_color) {
    size_t low = 0, high = n;

    if (!name) {
        return false;
    }
    if (name[0] == '#' || (name[0] == '0' && (name[1] | 0x20) == 'x')) {
        const char *digits = name + (name[0] == '#' ? 1 : 2);
        int64_t rgb = nvtxh_i_color_hex(digits, 6);
        int64_t argb = rgb < 0 ? nvtxh_i_color_hex(digits, 8) : rgb | 0xff000000;

        if (argb >= 0) {
            *ret_color = (uint32_t)argb;
        }
        return argb >= 0;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = nvtxh_i_color_compare(name, table[middle].name);

        if (!order) {
            *ret_color = table[middle].color;
            return true;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

/* bool nvtxh_color_by_name(const char *name, uint32_t *ret_color): looks up a colour. NAME is a
 * name of nvtxh/core/color_names.h, one of matplotlib's (`tab:blue`, ...), `#rrggbb` or
 * `#aarrggbb`; `0x` may replace `#`, and case does not matter. Returns true and sets *ret_color, or
 * returns false and leaves *ret_color unchanged. Evaluates each argument once. It is a macro, so
 * that only files that use it compile the table; use it within functions. */
#define nvtxh_color_by_name(name, ret_color)                                                       \
    NVTXH_I_COLOR_BY_NAME(NVTXH_I_UNIQUE(nvtxh_i_colors_), name, ret_color)
#define NVTXH_I_COLOR_BY_NAME(id, name, ret_color)                                                 \
    __extension__({                                                                                \
        static const struct nvtxh_i_color_entry id[] = {                                           \
            NVTXH_I_COLOR_NAMES(NVTXH_I_COLOR_CSS, NVTXH_I_COLOR_OTHER)};                          \
        nvtxh_i_color_find(id, sizeof(id) / sizeof(id[0]), name, ret_color);                       \
    })

#endif
