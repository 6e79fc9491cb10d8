/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statistics of known times, and how numbers are written. Calls internal functions, because no program can choose how
 * long something takes. */
#include "counted.h"

#include <math.h>

#if defined(NVTXH_I_IMPL) && NVTXH_I_IMPL

static struct nvtxh_i_stats_merged none(void)
{
    struct nvtxh_i_stats_merged sum;

    memset(&sum, 0, sizeof(sum));
    sum.min = UINT64_MAX;
    return sum;
}

static void add(struct nvtxh_i_stats_merged *sum, uint64_t ticks)
{
    double moved = nvtxh_i_stats_moved(ticks);

    sum->count++;
    sum->total += ticks;
    sum->min = ticks < sum->min ? ticks : sum->min;
    sum->max = ticks > sum->max ? ticks : sum->max;
    sum->squares += moved * moved;
    sum->buckets[nvtxh_i_stats_bucket_of(moved) - NVTXH_I_STATS_FIRST]++;
}

/* Quantiles of a few times are exact: the shortest time that this share of all does not exceed. */
static void few(void **state)
{
    struct nvtxh_i_stats_merged sum = none();
    struct nvtxh_stats stats;
    uint64_t i;

    (void)state;
    memset(&stats, 0, sizeof(stats));
    for (i = 1; i <= 10; i++)
        add(&sum, i * 1000);
    nvtxh_i_stats_result(&sum, 1, &stats);
    assert_int_equal(stats.count, 10);
    assert_int_equal(stats.total_ns, 55000);
    assert_int_equal(stats.average_ns, 5500);
    assert_int_equal(stats.min_ns, 1000);
    assert_int_equal(stats.max_ns, 10000);
    assert_in_range(stats.median_ns, 5300, 5700);
    assert_in_range(stats.p90_ns, 8700, 9300);
    assert_in_range(stats.p99_ns, 9700, 10000);
    assert_in_range(stats.p999_ns, 9700, 10000);
    assert_in_range(stats.deviation_ns, 3027,
                    3029); /* the deviation of a sample; of the whole population it is 2872 */
    sum = none();
    for (i = 1; i <= 3; i++)
        add(&sum, i * 1000);
    nvtxh_i_stats_result(&sum, 2, &stats);
    assert_in_range(stats.median_ns, 3800, 4200);
    assert_in_range(stats.deviation_ns, 1999, 2001);
    assert_in_range(stats.p99_ns, 5800, 6000);
}

/* Two threads. */
static void together(void **state)
{
    struct nvtxh_i_stats_merged sum = none(), more = none();

    (void)state;
    add(&sum, 10);
    add(&sum, 5000);
    add(&more, 700);
    more.inner = 3;
    more.within = 4;
    nvtxh_i_stats_add_up(&sum, &more);
    assert_int_equal(sum.count, 3);
    assert_int_equal(sum.total, 5710);
    assert_int_equal(sum.min, 10);
    assert_int_equal(sum.max, 5000);
    assert_int_equal(sum.inner, 3);
    assert_int_equal(sum.within, 4);
}

/* Three digits, and the unit that goes with them. */
static void times(void **state)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } table[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {9994, "9.99 us"},
        {9996, "10.0 us"},
        {10200, "10.2 us"},
        {99940, "99.9 us"},
        {99960, "100 us"},
        {999400, "999 us"},
        {999700, "1.00 ms"},
        {1234567, "1.23 ms"},
        {999600000, "1.00 s"},
        {1500000000, "1.50 s"},
        {12345678901, "12.3 s"},
        {999900000000, "1000 s"},
    };
    char text[48];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        assert_int_equal(nvtxh_i_stats_time_text(table[i].ns, text, sizeof(text)),
                         strlen(table[i].text));
        assert_string_equal(text, table[i].text);
    }
}

static void counts_of_thousands(void **state)
{
    static const struct {
        uint64_t number;
        const char *text;
    } table[] = {{0, "0"},
                 {12, "12"},
                 {999, "999"},
                 {1000, "1,000"},
                 {1234, "1,234"},
                 {12345, "12,345"},
                 {123456, "123,456"},
                 {1234567, "1,234,567"},
                 {UINT64_MAX, "18,446,744,073,709,551,615"}};
    char text[48];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        nvtxh_i_stats_count_text(table[i].number, text, sizeof(text));
        assert_string_equal(text, table[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(few), CASE(together), CASE(times),
                                       CASE(counts_of_thousands)};

    (void)spin, (void)begin, (void)end, (void)counted_at;
    return RUN(tests);
}

#else

int main(void) /* stats.h's implementation is in another file, or off */
{
    (void)spin, (void)begin, (void)end, (void)counted_at;
    return 0;
}

#endif
