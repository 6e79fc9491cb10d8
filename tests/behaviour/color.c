/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"
#include "color_css.h"
#include "color_auto.h"

#include <math.h>

/* Constant expressions: in static initializers, enumerators, cases and array sizes. */
static const uint32_t in_static = NVTXH_RED;
static const uint32_t in_array[] = {NVTXH_GREEN, nvtxh_rgb(1, 2, 3), nvtxh_argb(4, 5, 6, 7)};
enum { in_enum = nvtxh_argb(0, 255, 255, 255), in_size = sizeof(char[nvtxh_argb(0, 0, 0, 9)]) };

static void constants(void **state) {
    (void)state;
    assert_int_equal(in_static, 0xffff0000u);
    assert_int_equal(in_array[0], 0xff008000u);
    assert_int_equal(in_array[1], 0xff010203u);
    assert_int_equal(in_array[2], 0x04050607u);
    assert_int_equal(in_enum, 0x00ffffff);
    assert_int_equal(in_size, 9);
    switch (in_static) {
    case NVTXH_RED:
        break;
    default:
        fail();
    }
}

/* Channels are 0 to 255 each, evaluated once, of any integer type. */
static void arithmetic(void **state) {
    int r = 254, g = 7;
    unsigned char b = 255;

    (void)state;
    assert_int_equal(nvtxh_rgb(r++, g, b), 0xfffe07ffu);
    assert_int_equal(r, 255);
    assert_int_equal(nvtxh_argb(128, 0, 0, 0), 0x80000000u);
    assert_int_equal(nvtxh_argb(255, 255, 255, 255), 0xffffffffu);
    assert_int_equal(nvtxh_rgb(0, 0, 0), 0xff000000u);
}

struct css {
    const char *name;
    uint32_t macro, rgb;
};

/* All 148 CSS names have CSS's values, as a macro and looked up; and there is `rapids`. */
static void css_names(void **state) {
#define ROW(name, NAME, rgb) {#name, NVTXH_##NAME, rgb},
    static const struct css table[] = {CSS_COLORS(ROW)};
    size_t i, n = sizeof(table) / sizeof(table[0]);
    uint32_t color;

    (void)state;
    assert_int_equal(n, 148);
    for (i = 0; i < n; i++) {
        color = 1;
        assert_int_equal(table[i].macro, 0xff000000u | table[i].rgb);
        assert_true(nvtxh_color_by_name(table[i].name, &color));
        assert_int_equal(color, 0xff000000u | table[i].rgb);
    }
    assert_int_equal(NVTXH_RAPIDS, 0xff7400ffu);
    assert_true(nvtxh_color_by_name("rapids", &color));
    assert_int_equal(color, 0xff7400ffu);
}

static void by_name(void **state) {
    static const char *const wrong[] = {"",           "gren",    "greens",     "green ",
                                        " green",     "#",       "#12345",     "#1234567",
                                        "#123456789", "#12345g", "#-12345",    "123456",
                                        "0x12345",    "0x",      "alice blue", "yellowgreenish",
                                        "x123456",    "tab:",    "tab:teal",   "#12 456",
                                        "a",          "zzz",     "#+12345",    "darkgre\xc3\xa9n"};
    /* matplotlib.colors.TABLEAU_COLORS, and the second spelling of gray */
    static const struct {
        const char *name;
        uint32_t rgb;
    } tab[] = {{"tab:blue", 0x1f77b4},  {"tab:orange", 0xff7f0e}, {"tab:green", 0x2ca02c},
               {"tab:red", 0xd62728},   {"tab:purple", 0x9467bd}, {"tab:brown", 0x8c564b},
               {"tab:pink", 0xe377c2},  {"tab:gray", 0x7f7f7f},   {"tab:grey", 0x7f7f7f},
               {"tab:olive", 0xbcbd22}, {"Tab:Cyan", 0x17becf}};
    uint32_t color;
    size_t i;

    (void)state;
    assert_true(nvtxh_color_by_name("DarkGreen", &color));
    assert_int_equal(color, 0xff006400u);
    assert_true(nvtxh_color_by_name("AZURE", &color));
    assert_int_equal(color, NVTXH_AZURE);
    assert_true(nvtxh_color_by_name("#abcdef", &color));
    assert_int_equal(color, 0xffabcdefu);
    assert_true(nvtxh_color_by_name("#ABCdef", &color));
    assert_int_equal(color, 0xffabcdefu);
    assert_true(nvtxh_color_by_name("#00fedcba", &color));
    assert_int_equal(color, 0x00fedcbau);
    assert_true(nvtxh_color_by_name("0xff00ff00", &color));
    assert_int_equal(color, 0xff00ff00u);
    assert_true(nvtxh_color_by_name("0X76B900", &color));
    assert_int_equal(color, 0xff76b900u);
    for (i = 0; i < sizeof(tab) / sizeof(tab[0]); i++) {
        assert_true(nvtxh_color_by_name(tab[i].name, &color));
        assert_int_equal(color, 0xff000000u | tab[i].rgb);
    }
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        color = 0x12345678u;
        assert_false(nvtxh_color_by_name(wrong[i], &color));
        assert_int_equal(color, 0x12345678u);
    }
    assert_false(nvtxh_color_by_name(NULL, &color));
    assert_int_equal(color, 0x12345678u);
}

static void palettes(void **state) {
    static const uint32_t okabe_ito[] = {0xE69F00, 0x56B4E9, 0x009E73, 0xF0E442,
                                         0x0072B2, 0xD55E00, 0xCC79A7, 0x000000};
    static const uint32_t tableau[] = {0x4E79A7, 0xF28E2B, 0xE15759, 0x76B7B2, 0x59A14F,
                                       0xEDC948, 0xB07AA1, 0xFF9DA7, 0x9C755F, 0xBAB0AC};
    size_t i;

    (void)state;
    for (i = 0; i < 40; i++) {
        assert_int_equal(nvtxh_palette_okabe_ito(i), 0xff000000u | okabe_ito[i % 8]);
        assert_int_equal(nvtxh_palette_tableau10(i), 0xff000000u | tableau[i % 10]);
    }
    for (int k = 0; k < 10; k++) /* of another type: no warning */
        assert_int_equal(nvtxh_palette_tableau10(k), 0xff000000u | tableau[k]);
    assert_int_equal(nvtxh_palette_okabe_ito(SIZE_MAX), 0xff000000u | okabe_ito[7]);
}

/* The contrast of WCAG 2: (lighter + 0.05) / (darker + 0.05), by relative luminance. */
static double channel(uint32_t byte) {
    double c = byte / 255.0;

    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t color) {
    return 0.2126 * channel(color >> 16 & 255) + 0.7152 * channel(color >> 8 & 255) +
           0.0722 * channel(color & 255);
}

/* Whatever the name: opaque, and readable on black as on white. Names differ in their colours. */
static void of_names(void **state) {
    uint32_t seen[64];
    unsigned uses[64] = {0};
    size_t i, k, n_seen = 0;

    (void)state;
    for (i = 0; i < 5000; i++) {
        char name[32];
        uint32_t color;

        snprintf(name, sizeof(name), "layer%zu.forward", i);
        color = nvtxh_color_of(name);
        assert_int_equal(color >> 24, 0xff);
        assert_true((luminance(color) + 0.05) / 0.05 >= 3.0);
        assert_true(1.05 / (luminance(color) + 0.05) >= 3.0);
        for (k = 0; k < n_seen && seen[k] != color; k++)
            ;
        assert_in_range(k, 0, 63);
        if (k == n_seen)
            seen[n_seen++] = color;
        uses[k]++;
    }
    assert_in_range(n_seen, 16, 64);
    for (k = 0; k < n_seen; k++) /* about evenly */
        assert_in_range(uses[k] * n_seen, 2500, 10000);
}

/* The same in every run and on every machine: these were computed by another program. */
static void stable(void **state) {
    (void)state;
    assert_int_equal(nvtxh_color_of("forward"), 0xff0695b5u);
    assert_int_equal(nvtxh_color_of("backward"), 0xff019f68u);
    assert_int_equal(nvtxh_color_of("na\xc3\xafve"), 0xff998704u);
    assert_int_equal(nvtxh_color_of(""), 0xff09848fu);
    assert_int_equal(nvtxh_color_of(NULL), 0xff09848fu);
}

/* `.color = NVTXH_COLOR_AUTO` asks for the message's colour; computed colours pass unchanged. */
static void automatic(void **state) {
    (void)state;
    NVTX_MARK("auto", .color = NVTXH_COLOR_AUTO);
    NVTX_MARK("auto", .color = nvtxh_color_of("backward"));
    NVTX_MARK("auto", .color = 0);
    NVTX_MARK("auto");
    NVTX_MARK("auto", .color = nvtxh_rgb(counted(1), 2, 3));
    evaluated_times(1);
    { NVTX_SCOPE("scope", .color = NVTXH_COLOR_AUTO); }
    nvtxh_end(NVTX_START("a", .color = NVTXH_COLOR_AUTO));
    NVTX_MARK(NULL, .color = NVTXH_COLOR_AUTO);
    logged("mark [auto] color=ff037eaf; mark [auto] color=ff019f68; mark [auto]; mark [auto]; "
           "mark [auto] color=ff010203; push [scope] color=ff037eaf; pop; "
           "start [a] color=ffc04442 #1; end #1; mark - color=ff09848f");
}

/* NVTXH_AUTO_COLOR: the default of a file, for formatted messages too. */
static void automatic_file(void **state) {
    (void)state;
    auto_file();
    logged("push [scope] color=ff037eaf; push [scope] color=ffff0000; pop; pop; push 'f 1' "
           "color=ffc35aa4; pop; mark [mark] color=ff659815; mark 'f 1' color=ffff0000; mark "
           "[mark] color=ff659815; mark [mark] color=ffff0000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(constants), CASE(arithmetic), CASE(css_names), CASE(by_name),        CASE(palettes),
        CASE(of_names),  CASE(stable),     CASE(automatic), CASE(automatic_file),
    };

    return RUN(tests);
}
