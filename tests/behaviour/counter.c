/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters. EXTENDED has the results for new and for old headers. */
#include "test.h"
#include "nvtxh/counter.h"

#include <math.h>

NVTXH_DOMAIN(train, "train");
NVTXH_PAYLOAD_STRUCT(memory, (uint64_t, used), (uint32_t, blocks));
NVTXH_PAYLOAD_STRUCT(other, (int, n));
NVTXH_COUNTER(rate, &train, "tokens/s");
NVTXH_COUNTER(steps, NVTXH_DOMAIN_DEFAULT, "steps");
NVTXH_COUNTER(pool, NULL, "pool");
NVTXH_COUNTER_EXTERN(rate);

/* Counters of integers get the nearest integer. */
static void not_integers(void **state) {
    (void)state;
    nvtxh_counter_set(&steps, 'a');
    nvtxh_counter_set(&steps, true);
    nvtxh_counter_set(&steps, (double)NAN);
    nvtxh_counter_set(&steps, (double)-INFINITY);
    nvtxh_counter_set(&steps, 1e30);
    logged(EXTENDED("counter 'steps' 97; counter 'steps' 1; counter 'steps' 0; "
                    "counter 'steps' -9223372036854775808; counter 'steps' 9223372036854775807",
                    "mark 'steps' i32=97; mark 'steps' i32=1; mark 'steps' f64=nan; "
                    "mark 'steps' f64=-inf; mark 'steps' f64=1e+30"));
}

/* Only structs of its first type, and no numbers; and a counter of numbers takes no structs. */
static void group(void **state) {
    struct memory memory = {4096, 2}, *none = NULL;
    const double *no_values = NULL;
    struct other other = {1};

    (void)state;
    nvtxh_counter_set(&pool, &memory);
    memory.used = 8192;
    nvtxh_counter_set(&pool, &memory);
    nvtxh_counter_set(&pool, &other);
    nvtxh_counter_set(&pool, none);
    nvtxh_counter_set(&pool, 3);
    nvtxh_counter_set(&rate, 17.5);
    nvtxh_counter_set(&rate, &memory);
    nvtxh_counter_batch(&rate, no_values, 0, (const int64_t *)NULL);
    logged(EXTENDED("counter 'pool' memory{used=4096 blocks=2}; "
                    "counter 'pool' memory{used=8192 blocks=2}; train counter 'tokens/s' 17.5",
                    "mark 'pool' u64=4096; mark 'pool' u64=8192; train mark 'tokens/s' f64=17.5"));
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
        CASE(not_integers),
        CASE(group),
        CASE(evaluation),
#ifndef __cplusplus
        CASE(literals),
#endif
    };

    return RUN(tests);
}
