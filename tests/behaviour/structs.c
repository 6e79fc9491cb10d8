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
NVTXH_PAYLOAD_STRUCT(batch_info, (int, size), (float, loss), (const char *, phase));
NVTXH_PAYLOAD_STRUCT(others, (size_t, size), (char, c), (const int16_t, constant), (char[6], name));

/* Types that structs_drawn.py does not draw. An array of char without a terminator is all text. */
static void types(void **state) {
    struct others others = {3, 'x', -3, {'s', 'i', 'x', 's', 'i', 'x'}};

    (void)state;
    NVTX_MARK("a", .payload = nvtxh_payload(&others));
    logged(EXTENDED("mark [a] others{size=3 c='x' constant=-3 name=\"sixsix\"}", "mark [a] u64=3"));
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
        CASE(types),  CASE(everywhere), CASE(two_files), CASE(evaluation),
#ifdef __cplusplus
        CASE(in_cpp),
#else
        CASE(literals),
#endif
    };

    return RUN(tests);
}
