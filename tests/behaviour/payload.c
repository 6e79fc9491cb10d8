/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

/* The NVTX type follows from the type of the number. */
static void types(void **state) {
    long long ll = -8;
    unsigned long long ull = 9;
    size_t size = 10;
    ptrdiff_t difference = -11;

    (void)state;
    NVTX_MARK("long long", .payload = nvtxh_payload(ll));
    NVTX_MARK("unsigned long long", .payload = nvtxh_payload(ull));
    NVTX_MARK("size_t", .payload = nvtxh_payload(size));
    NVTX_MARK("ptrdiff_t", .payload = nvtxh_payload(difference));
    logged("mark [long long] i64=-8; mark [unsigned long long] u64=9; mark [size_t] u64=10; "
           "mark [ptrdiff_t] i64=-11");
}

/* Narrow types widen as in any expression. */
static void narrow(void **state) {
    signed char c = -1;
    unsigned char uc = 255;
    short s = -2;
    unsigned short us = 65535;
    bool b = true;

    (void)state;
    NVTX_MARK("a", .payload = nvtxh_payload('x'));
    NVTX_MARK("b", .payload = nvtxh_payload(c));
    NVTX_MARK("c", .payload = nvtxh_payload(uc));
    NVTX_MARK("d", .payload = nvtxh_payload(s));
    NVTX_MARK("e", .payload = nvtxh_payload(us));
    NVTX_MARK("f", .payload = nvtxh_payload(b));
    logged("mark [a] i32=120; mark [b] i32=-1; mark [c] i32=255; mark [d] i32=-2; "
           "mark [e] i32=65535; mark [f] i32=1");
}

/* Every bit arrives. */
static void values(void **state) {
    static const double doubles[] = {0.0, -0.0, 1.7976931348623157e308, 4.9406564584124654e-324};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++) {
        NVTX_MARK("a", .payload = nvtxh_payload(doubles[i]));
        if (tool())
            assert_memory_equal(&log_at(log_size() - 1)->payload_bits, &doubles[i], 8);
    }
    logged("mark [a] f64=0; mark [a] f64=-0; mark [a] f64=1.7976931348623157e+308; "
           "mark [a] f64=4.9406564584124654e-324");
    NVTX_MARK("zero", .payload = nvtxh_payload(0));
    NVTX_MARK("infinite", .payload = nvtxh_payload(-__builtin_inf()));
    NVTX_MARK("float", .payload = nvtxh_payload(__builtin_nanf("")));
    logged("mark [zero] i32=0; mark [infinite] f64=-inf; mark [float] f32=nan");
}

/* An expression of any sort, evaluated once. */
enum level { LOW = -3, HIGH = 9 };

static void expressions(void **state) {
    enum level level = LOW;
    const volatile int constant = 77;
    struct {
        unsigned bits : 5;
    } field = {21};
    int n = 1, array[3] = {1, 2, 3};

    (void)state;
    NVTX_MARK("a", .payload = nvtxh_payload(n++ + array[2]));
    assert_int_equal(n, tool() ? 2 : 1);
    NVTX_MARK("b", .payload = nvtxh_payload(level));
    NVTX_MARK("c", .payload = nvtxh_payload(constant));
    NVTX_MARK("d", .payload = nvtxh_payload(sizeof(array)));
    NVTX_MARK("e", .payload = nvtxh_payload(n ? 1.5 : 2));
    NVTX_MARK("f", .payload = nvtxh_payload(field.bits + 0));
    logged("mark [a] i32=4; mark [b] i32=-3; mark [c] i32=77; mark [d] u64=12; mark [e] f64=1.5; "
           "mark [f] i32=21");
}

/* It is a value: kept and used again. */
static void kept(void **state) {
    struct nvtxh_payload_value value = nvtxh_payload(3.5f);

    (void)state;
    NVTX_MARK("a", .payload = value);
    { NVTX_SCOPE("b", .payload = value); }
    logged("mark [a] f32=3.5; push [b] f32=3.5; pop");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(types), CASE(narrow), CASE(values), CASE(expressions), CASE(kept),
    };

    return RUN(tests);
}
