/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters. EXTENDED has the results for new and for old headers. */
#include "test.h"
#include "nvtxh/counter.h"

#include <math.h>

NVTXH_DOMAIN(train, "train");
NVTXH_PAYLOAD_STRUCT(memory, (uint64_t, used, .unit = "B", .max = 1e9), (uint32_t, blocks));
NVTXH_PAYLOAD_STRUCT(other, (int, n));
NVTXH_COUNTER(rate, &train, "tokens/s", .unit = "1/s", .min = 0, .max = 1e6);
NVTXH_COUNTER(steps, NVTXH_DOMAIN_DEFAULT, "steps", .description = "so far");
NVTXH_COUNTER(pool, NULL, "pool", .description = "of memory");
NVTXH_COUNTER(batched, &train, "batched");
NVTXH_COUNTER(narrow, NULL, "narrow");
NVTXH_COUNTER(groups, &train, "groups");
NVTXH_COUNTER_EXTERN(rate);

/* The first value decides the counter's type. */
static void numbers(void **state) {
    size_t big = 1;

    (void)state;
    nvtxh_counter_set(&rate, 17.5);
    nvtxh_counter_set(&rate, 18);
    nvtxh_counter_set(&rate, 0.5f);
    nvtxh_counter_set(&rate, big << 40);
    nvtxh_counter_set(&rate, -3);
    nvtxh_counter_set(&rate, INT64_C(-4));
    logged(EXTENDED("train counter 'tokens/s' 17.5; train counter 'tokens/s' 18; "
                    "train counter 'tokens/s' 0.5; train counter 'tokens/s' 1.09951163e+12; "
                    "train counter 'tokens/s' -3; train counter 'tokens/s' -4",
                    "train mark 'tokens/s' f64=17.5; train mark 'tokens/s' i32=18; "
                    "train mark 'tokens/s' f32=0.5; train mark 'tokens/s' u64=1099511627776; "
                    "train mark 'tokens/s' i32=-3; train mark 'tokens/s' i64=-4"));
    nvtxh_counter_set(&steps, 'a');
    nvtxh_counter_set(&steps, -5000000000);
    nvtxh_counter_set(&steps, 18446744073709551615u);
    nvtxh_counter_set(&steps, 4294967295u);
    nvtxh_counter_set(&steps, -2.75);
    nvtxh_counter_set(&steps, 1e30);
    nvtxh_counter_set(&steps, true);
    nvtxh_counter_set(&steps, -7);
    logged(EXTENDED("counter 'steps' 97; counter 'steps' -5000000000; "
                    "counter 'steps' 9223372036854775807; counter 'steps' 4294967295; "
                    "counter 'steps' -2; counter 'steps' 9223372036854775807; counter 'steps' 1; "
                    "counter 'steps' -7",
                    "mark 'steps' i32=97; mark 'steps' i64=-5000000000; "
                    "mark 'steps' u64=18446744073709551615; mark 'steps' u32=4294967295; "
                    "mark 'steps' f64=-2.75; mark 'steps' f64=1e+30; "
                    "mark 'steps' i32=1; mark 'steps' i32=-7"));
}

/* Counters of integers get the nearest integer. A counter that begins with a float has doubles. */
static void not_integers(void **state) {
    (void)state;
    nvtxh_counter_set(&steps, (double)NAN);
    nvtxh_counter_set(&steps, (double)-INFINITY);
    nvtxh_counter_set(&narrow, 0.5f);
    nvtxh_counter_set(&narrow, 0.25);
    logged(EXTENDED("counter 'steps' 0; counter 'steps' -9223372036854775808; "
                    "counter 'narrow' 0.5; counter 'narrow' 0.25",
                    "mark 'steps' f64=nan; mark 'steps' f64=-inf; mark 'narrow' f32=0.5; "
                    "mark 'narrow' f64=0.25"));
}

static void group(void **state) {
    struct memory memory = {4096, 2}, *none = NULL;
    struct other other = {1};

    (void)state;
    nvtxh_counter_set(&pool, &memory);
    memory.used = 8192;
    nvtxh_counter_set(&pool, &memory);
    nvtxh_counter_set(&pool, &other);
    nvtxh_counter_set(&pool, none);
    nvtxh_counter_set(&pool, 3);
    nvtxh_counter_set(&rate, &memory);
    logged(EXTENDED("counter 'pool' memory{used=4096 blocks=2}; "
                    "counter 'pool' memory{used=8192 blocks=2}",
                    "mark 'pool' u64=4096; mark 'pool' u64=8192"));
    if (tool()) {
        assert_int_equal(log_count(LOG_SCHEMA, "",
                                   "memory 16 group {used@0 18 counter unit=B u64:0..1000000000, "
                                   "blocks@8 16 counter}"),
                         EXTENDED(1, 0));
        assert_int_equal(log_count(LOG_COUNTER_NAME, "", "pool time=14 (of memory)"),
                         EXTENDED(1, 0));
        assert_int_equal(
            log_count(LOG_COUNTER_NAME, "train", "tokens/s 20 unit=1/s f64:0..1e+06 time=14"),
            EXTENDED(1, 0));
        assert_int_equal(log_count(LOG_COUNTER_NAME, "", "steps 17 time=14 (so far)"),
                         EXTENDED(1, 0));
    }
}

static void batches(void **state) {
    static const int64_t times[] = {10, 20, 30};
    double f64[] = {0.5, 1.5, 2.5};
    long i64[] = {1, 2, 3};
    struct memory memories[] = {{1, 2}, {3, 4}};

    (void)state;
    nvtxh_counter_batch(&batched, f64, 3, times);
    nvtxh_counter_batch(&batched, &f64[1], 1, &times[1]);
    nvtxh_counter_batch(&batched, f64, 0, times);
    nvtxh_counter_batch(&groups, memories, 2, times);
    logged(EXTENDED("train counter 'batched' 0.5@10 1.5@20 2.5@30; train counter 'batched' 1.5@20; "
                    "train counter 'groups' memory{used=1 blocks=2}@10 "
                    "memory{used=3 blocks=4}@20",
                    "train mark 'batched' f64=2.5; train mark 'batched' f64=1.5; "
                    "train mark 'groups' u64=3"));
    /* Numbers of the other type are converted. */
    nvtxh_counter_batch(&batched, i64, 3, times);
    nvtxh_counter_batch(&steps, i64, 2, times);
    nvtxh_counter_batch(&steps, f64, 2, times);
    logged(EXTENDED("train counter 'batched' 1@10 2@20 3@30; counter 'steps' 1@10 2@20; "
                    "counter 'steps' 0@10 1@20",
                    "train mark 'batched' i64=3; mark 'steps' i64=2; mark 'steps' f64=1.5"));
}

/* More numbers than are converted at once: all arrive, each with its time. */
static void many(void **state) {
    enum { MANY = 150, ONCE = 64 };
    char text[MANY * 16 + 100] = "";
    int64_t times[MANY];
    long values[MANY];
    int i;

    (void)state;
    for (i = 0; i < MANY; i++) {
        values[i] = i;
        times[i] = 1000 + i;
        sprintf(text + strlen(text), "%s %d@%d",
                i % ONCE ? ""
                : i      ? "; train counter 'batched'"
                         : "train counter 'batched'",
                i, 1000 + i);
    }
    nvtxh_counter_batch(&batched, values, MANY, times);
    logged(EXTENDED(text, "train mark 'batched' i64=149"));
}

#ifndef __cplusplus
static void literals(void **state) {
    (void)state;
    nvtxh_counter_set(&pool, &(struct memory){7, 8});
    logged(EXTENDED("counter 'pool' memory{used=7 blocks=8}", "mark 'pool' u64=7"));
}
#endif

static __attribute__((unused)) double counted_double(void) {
    evaluated++;
    return 1;
}

static void evaluation(void **state) {
    (void)state;
    nvtxh_counter_set(&rate, counted_double());
    evaluated_times(1);
    log_reset();
    nvtxh_enable(false);
    nvtxh_counter_set(&rate, counted_double());
    nvtxh_enable(true);
    never_evaluated();
    logged("");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(numbers),  CASE(not_integers), CASE(group),
        CASE(batches),  CASE(many),         CASE(evaluation),
#ifndef __cplusplus
        CASE(literals),
#endif
    };

    return RUN(tests);
}
