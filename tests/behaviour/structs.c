/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Structs as payloads. What old headers give stands beside what new headers give. */
#include "structs.h"

NVTXH_PAYLOAD_STRUCT(twin_a, (int, left)); /* numbered as twin_b elsewhere: see structs.h */

NVTXH_DOMAIN(train, "train");

#ifdef __cplusplus
namespace {
#endif
NVTXH_PAYLOAD_STRUCT(point, (int, x), (int, y, .unit = "mm", .min = -5, .max = 5));
#ifdef __cplusplus
}
#endif
NVTXH_PAYLOAD_ENUM(phase, (LOAD), (TRAIN), (SAVE, 10), (BAD, -1));
NVTXH_PAYLOAD_STRUCT(batch_info, (int, size), (float, loss), (const char *, phase));
NVTXH_PAYLOAD_STRUCT(pointers, (void *, there), (const void *, constant), (char *, text));
NVTXH_PAYLOAD_STRUCT(integers, (int8_t, i8), (uint8_t, u8), (int16_t, i16), (uint16_t, u16),
                     (int32_t, i32), (uint32_t, u32), (int64_t, i64), (uint64_t, u64),
                     (long long, ll), (unsigned long long, ull), (size_t, size), (char, c),
                     (bool, b));
NVTXH_PAYLOAD_STRUCT(others, (double, d, .unit = "s", .max = 1.5, .description = "how long"),
                     (long double, ld), (void *, address), (char[6], name), (int[3], list),
                     (bool[2], flags), (const int16_t, constant));
NVTXH_PAYLOAD_STRUCT(array_first, (int[2], list), (double, d));
NVTXH_PAYLOAD_STRUCT(nested, (const char *, label), (struct point, one), (struct point[2], more),
                     (struct batch_info, deep), (enum phase, now), (enum phase[2], then));
NVTXH_PAYLOAD_STRUCT(fields_32, (int, f1), (int, f2), (int, f3), (int, f4), (int, f5), (int, f6),
                     (int, f7), (int, f8), (int, f9), (int, f10), (int, f11), (int, f12),
                     (int, f13), (int, f14), (int, f15), (int, f16), (int, f17), (int, f18),
                     (int, f19), (int, f20), (int, f21), (int, f22), (int, f23), (int, f24),
                     (int, f25), (int, f26), (int, f27), (int, f28), (int, f29), (int, f30),
                     (int, f31), (int, f32));

/* The same struct, written by hand. */
struct integers_by_hand {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    long long ll;
    unsigned long long ull;
    size_t size;
    char c;
    bool b;
};

static void layout(void **state) {
    static const struct point points[] = {{1, 2}, {3, 4}};

    (void)state;
    assert_int_equal(sizeof(struct point), 2 * sizeof(int));
    assert_int_equal(sizeof(points), 4 * sizeof(int));
    assert_int_equal(sizeof(struct integers), sizeof(struct integers_by_hand));
    assert_int_equal(offsetof(struct integers, i64), offsetof(struct integers_by_hand, i64));
    assert_int_equal(offsetof(struct integers, b), offsetof(struct integers_by_hand, b));
    assert_int_equal(offsetof(struct others, flags), 8 + 8 + 16 + 8 + 6 + 2 + 12);
    assert_int_equal(points[1].y, 4);
    assert_int_equal(SAVE, 10);
}

static void everywhere(void **state) {
    struct batch_info info = {32, 0.5f, "warm-up"};
    struct nvtxh_range range = NVTX_START("s", .payload = nvtxh_payload(&info));

    (void)state;
    {
        NVTX_SCOPE("step", .domain = &train, .color = NVTXH_RED, .payload = nvtxh_payload(&info));
        info.size++;
    }
    NVTX_MARK("m", .payload = nvtxh_payload(&info));
    NVTX_PUSH("p", .payload = nvtxh_payload(&info));
    info.phase = NULL;
    NVTX_POP(.payload = nvtxh_payload(&info));
    nvtxh_end(range, .payload = nvtxh_payload(&info));
    nvtxh_end(range, .payload = nvtxh_payload(&info));
    nvtxh_end(range);
    logged(EXTENDED("start [s] batch_info{size=32 loss=0.5 phase=\"warm-up\"} #1; "
                    "train push [step] color=ffff0000 "
                    "batch_info{size=32 loss=0.5 phase=\"warm-up\"}; train pop; "
                    "mark [m] batch_info{size=33 loss=0.5 phase=\"warm-up\"}; "
                    "push [p] batch_info{size=33 loss=0.5 phase=\"warm-up\"}; "
                    "pop batch_info{size=33 loss=0.5 phase=NULL}; "
                    "end batch_info{size=33 loss=0.5 phase=NULL} #1",
                    "start [s] i32=32 #1; train push [step] color=ffff0000 i32=32; train pop; "
                    "mark [m] i32=33; push [p] i32=33; pop; end #1"));
    NVTX_PUSH("p", .domain = &train);
    NVTX_POP(.domain = &train, .payload = nvtxh_payload(&info));
    range = NVTX_START("s", .domain = &train);
    nvtxh_end(range, .payload = nvtxh_payload(&info));
    logged(EXTENDED("train push [p]; train pop batch_info{size=33 loss=0.5 phase=NULL}; "
                    "train start [s] #1; train end batch_info{size=33 loss=0.5 phase=NULL} #1",
                    "train push [p]; train pop; train start [s] #1; train end #1"));
}

/* With old NVTX, the end of a range has no payload. */
static void numbers_at_the_end(void **state) {
    struct nvtxh_range range = NVTX_START("s", .payload = nvtxh_payload(1));

    (void)state;
    NVTX_PUSH("a");
    NVTX_PUSH("b");
    NVTX_PUSH("c");
    NVTX_POP(.payload = nvtxh_payload(-7));
    NVTX_POP(.payload = nvtxh_payload(0.5));
    NVTX_POP(.payload = nvtxh_payload(18446744073709551615u));
    nvtxh_end(range, .payload = nvtxh_payload(2.5f));
    logged(EXTENDED("start [s] i32=1 #1; push [a]; push [b]; push [c]; pop -7; pop 0.5; "
                    "pop 18446744073709551615; end 2.5 #1",
                    "start [s] i32=1 #1; push [a]; push [b]; push [c]; pop; pop; pop; end #1"));
}

static void types(void **state) {
    struct integers integers = {-8, 255, -16, 65535, -32, 4294967295u, -64, 18446744073709551615u,
                                -1, 2,   3,   'x',   true};
    struct others others = {1.25, 2.5, NULL, "name", {1, 2, 3}, {false, true}, -3};
    struct array_first array_first = {{1, 2}, 0.75};
    struct nested nested = {
        "abc", {1, -2}, {{3, 4}, {5, 6}}, {1, 2.5f, "deep"}, SAVE, {BAD, (enum phase)7}};

    (void)state;
    NVTX_MARK("a", .payload = nvtxh_payload(&integers));
    logged(EXTENDED("mark [a] integers{i8=-8 u8=255 i16=-16 u16=65535 i32=-32 u32=4294967295 "
                    "i64=-64 u64=18446744073709551615 ll=-1 ull=2 size=3 c='x' b=true}",
                    "mark [a] i32=-8"));
    NVTX_MARK("a", .payload = nvtxh_payload(&others));
    logged(EXTENDED("mark [a] others{d=1.25 ld=2.5 address=(nil) name=\"name\" list=[1 2 3] "
                    "flags=[false true] constant=-3}",
                    "mark [a] f64=1.25"));
    memcpy(others.name, "sixsix", 6); /* no terminator: all of it */
    NVTX_MARK("a", .payload = nvtxh_payload(&others));
    logged(EXTENDED("mark [a] others{d=1.25 ld=2.5 address=(nil) name=\"sixsix\" list=[1 2 3] "
                    "flags=[false true] constant=-3}",
                    "mark [a] f64=1.25"));
    NVTX_MARK("a", .payload = nvtxh_payload(&array_first));
    logged(EXTENDED("mark [a] array_first{list=[1 2] d=0.75}", "mark [a] f64=0.75"));
    NVTX_MARK("a", .payload = nvtxh_payload(&nested));
    logged(EXTENDED("mark [a] nested{label=\"abc\" one=point{x=1 y=-2} "
                    "more=[point{x=3 y=4} point{x=5 y=6}] "
                    "deep=batch_info{size=1 loss=2.5 phase=\"deep\"} now=SAVE then=[BAD 7]}",
                    "mark [a] i32=10"));
}

/* The tool gets each schema once in every domain that uses it. */
static void schemas(void **state) {
    struct point point = {1, 2};
    struct nested nested = {"", {1, 2}, {{3, 4}, {5, 6}}, {1, 2, ""}, LOAD, {LOAD, LOAD}};
    struct others others = {0, 0, NULL, "", {0, 0, 0}, {false, false}, 0};
    struct pointers pointers = {NULL, NULL, NULL};
    int i;

    (void)state;
    for (i = 0; i < 3; i++) {
        NVTX_MARK("a", .payload = nvtxh_payload(&nested));
        NVTX_MARK("b", .payload = nvtxh_payload(&others));
        NVTX_MARK("c", .payload = nvtxh_payload(&point));
        NVTX_MARK("d", .domain = &train, .payload = nvtxh_payload(&point));
        NVTX_MARK("e", .payload = nvtxh_payload(&pointers));
    }
    if (!tool())
        return;
#define TOLD(kind, domain, text) assert_int_equal(log_count(kind, domain, text), EXTENDED(1, 0))
    TOLD(LOG_SCHEMA, "", "point 8 {x@0 15, y@4 15 unit=mm i64:-5..5}");
    TOLD(LOG_SCHEMA, "train", "point 8 {x@0 15, y@4 15 unit=mm i64:-5..5}");
    TOLD(LOG_ENUM, "", "phase 4 {LOAD=0, TRAIN=1, SAVE=10, BAD=-1}");
    TOLD(LOG_ENUM, "", "bool 1 {false=0, true=1}");
    TOLD(LOG_SCHEMA, "", "batch_info 16 deep {size@0 15, loss@4 19, phase@8 75}");
    TOLD(LOG_SCHEMA, "", "pointers 24 deep {there@0 23, constant@8 23, text@16 75}");
    TOLD(LOG_SCHEMA, "",
         "nested 64 deep {label@0 75, one@8 point, more@16 point[2], deep@32 batch_info, "
         "now@48 phase, then@52 phase[2]}");
    TOLD(LOG_SCHEMA, "",
         "others 64 {d@0 20 unit=s f64:0..1.5 (how long), ld@16 21, address@32 23, name@40 75[6], "
         "list@48 15[3], flags@60 bool[2], constant@62 13}");
}

/* Two structs of one name, or of one number, in two files are two; one of a common header is
 * one. */
static void two_files(void **state) {
    struct shared_info shared = {1, 2};
    struct point point = {3, 4};
    struct twin_a twin = {6};

    (void)state;
    assert_int_equal(TWIN_NUMBER(twin_a), other_twin());
    other_marks(&shared);
    NVTX_MARK("twin", .payload = nvtxh_payload(&twin));
    NVTX_MARK("shared", .payload = nvtxh_payload(&shared));
    NVTX_MARK("point", .payload = nvtxh_payload(&point));
    logged(EXTENDED("mark [shared] shared_info{a=1 b=2}; mark [point] point{radius=0.5 angle=1.5}; "
                    "mark [twin] twin_b{size=5}; mark [twin] twin_a{left=6}; mark [shared] "
                    "shared_info{a=1 b=2}; mark [point] point{x=3 y=4}",
                    "mark [shared] i32=1; mark [point] f64=0.5; mark [twin] i32=5; mark [twin] "
                    "i32=6; mark [shared] i32=1; mark [point] i32=3"));
}

static __attribute__((unused)) struct point *counted_point(struct point *point) {
    evaluated++;
    return point;
}

/* Arguments are evaluated once, and only if someone listens. NULL is no payload. Numbers work as
 * before. */
static void evaluation(void **state) {
    struct point points[3] = {{1, 2}, {3, 4}, {5, 6}}, *point = points;
    const struct point *none = NULL;
    struct nvtxh_payload_value kept = nvtxh_payload(&points[2]);
    struct nvtxh_range no_range;
    int n = 0;

    (void)state;
    nvtxh_enable(false);
    no_range = NVTX_START("paused");
    nvtxh_enable(true);
    NVTX_MARK("a", .payload = nvtxh_payload(counted_point(&points[0])));
    evaluated_times(1);
    NVTX_POP(.payload = nvtxh_payload(counted_point(&points[0])));
    evaluated_times(1);
    nvtxh_end(no_range, .payload = nvtxh_payload(counted_point(&points[0])));
    never_evaluated();
    log_reset();
    NVTX_MARK("a", .payload = nvtxh_payload(point++));
    assert_int_equal(point - points, tool() ? 1 : 0);
    NVTX_MARK("b", .payload = nvtxh_payload(points));
    NVTX_MARK("c", .payload = nvtxh_payload(none));
    NVTX_MARK("d", .payload = kept);
    NVTX_MARK("e", .payload = nvtxh_payload(n + 7));
    NVTX_MARK("f", .payload = nvtxh_payload('x'));
    NVTX_MARK("g", .payload = nvtxh_payload(&(*points)));
    logged(EXTENDED("mark [a] point{x=1 y=2}; mark [b] point{x=1 y=2}; mark [c]; "
                    "mark [d] point{x=5 y=6}; mark [e] i32=7; mark [f] i32=120; "
                    "mark [g] point{x=1 y=2}",
                    "mark [a] i32=1; mark [b] i32=1; mark [c]; mark [d] i32=5; mark [e] i32=7; "
                    "mark [f] i32=120; mark [g] i32=1"));
    nvtxh_enable(false);
    NVTX_MARK("a", .payload = nvtxh_payload(counted_point(&points[0])));
    nvtxh_enable(true);
    never_evaluated();
    logged("");
}

static void many_fields(void **state) {
    struct fields_32 many;
    char *text;

    (void)state;
    memset(&many, 0, sizeof(many));
    many.f1 = 1;
    many.f32 = 32;
    NVTX_MARK("a", .payload = nvtxh_payload(&many));
    text = log_text(0);
    if (tool())
        assert_non_null(strstr(text, EXTENDED("f31=0 f32=32}", "i32=1")));
    free(text);
    log_reset();
}

#ifndef __cplusplus
/* A compound literal lives as long as the block the annotation is in. */
static void literals(void **state) {
    (void)state;
    NVTX_MARK("a", .payload = nvtxh_payload(&(struct point){7, 8}));
    { NVTX_SCOPE("b", .payload = nvtxh_payload(&(struct point){.x = 9, .y = 10})); }
    logged(EXTENDED("mark [a] point{x=7 y=8}; push [b] point{x=9 y=10}; pop",
                    "mark [a] i32=7; push [b] i32=9; pop"));
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(layout),  CASE(everywhere), CASE(numbers_at_the_end), CASE(types),
        CASE(schemas), CASE(two_files),  CASE(evaluation),         CASE(many_fields),
#ifdef __cplusplus
        CASE(in_cpp),
#else
        CASE(literals),
#endif
    };

    return RUN(tests);
}
