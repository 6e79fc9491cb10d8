/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How numbers of statistics are written. Calls internal functions, because no program can choose how
 * long something takes. */
#include "counted.h"

#if defined(NVTXH_I_IMPL) && NVTXH_I_IMPL

/* Three digits, and the unit that goes with them. */
static void times(void **state) {
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
        {999900000000, "1,000 s"},
    };
    struct nvtxh_stats row;
    char text[64];
    size_t i;

    (void)state;
    memset(&row, 0, sizeof(row));
    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        row.total_ns = table[i].ns;
        nvtxh_i_stats_figure(&row, 0, 1, true, text);
        assert_string_equal(text, table[i].text);
    }
}

static void counts_of_thousands(void **state) {
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
                 {9007199254740991, "9,007,199,254,740,991"}};
    struct nvtxh_stats row;
    char text[64];
    size_t i;

    (void)state;
    memset(&row, 0, sizeof(row));
    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        row.count = table[i].number;
        nvtxh_i_stats_figure(&row, 0, 0, true, text);
        assert_string_equal(text, table[i].text);
    }
}

static const struct nvtxh_stats rows[] = {
    {"step", "train", "run", "a.c", 12, NVTXH_STATS_SCOPE, 3, 6000000, 5000000, 1000000, 3000000,
     2000000, 900000, 1900000, 2900000, 2990000, 2999000, 5500000},
    {"push", NULL, "run", "a.c", 13, NVTXH_STATS_PUSH, 1, 2000, 10, 20, 30, 40, 50, 60, 70, 80, 90,
     100},
    {"range", "load", NULL, "b.c", 0, NVTXH_STATS_RANGE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"tick", NULL, "main", "b.c", 7, NVTXH_STATS_MARK, 1234, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
};

/* Every cell of every format is what the row has. */
static void cells(void **state) {
    /* With ' for ". */
    const char *const expected[] = {
        "Range         Total   Share  Count      Avg     Self      P99      Med      Max      Min  "
        "    P90    P99.9  StdDev  Style     Place\n"
        "train:step  5.50 ms  68.8 %      3  2.00 ms  5.00 ms  2.99 ms  1.90 ms  3.00 ms "
        " 1.00 ms  2.90 ms  3.00 ms  900 us  PushPop   a.c:12\n"
        "push         100 ns   0.0 %      1    40 ns    10 ns    80 ns    60 ns    30 ns "
        "   20 ns    70 ns    90 ns   50 ns  PushPop   a.c:13\n"
        "load:range     0 ns              0     0 ns              0 ns     0 ns     0 ns "
        "    0 ns     0 ns     0 ns    0 ns  StartEnd  b.c\n"
        "tick                         1,234                                              "
        "                                    Mark      b.c:7\n",
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
        "(ns),Self (ns),P90 (ns),P99 (ns),P99.9 (ns),Inclusive "
        "(ns),Style,Range,Domain,Message,Function,"
        "File,Line\n"
        "68.8,6000000,3,2000000,1900000,1000000,3000000,900000,5000000,2900000,2990000,"
        "2999000,5500000,PushPop,'train:step','train','step','run','a.c',12\n"
        "0.0,2000,1,40,60,20,30,50,10,70,80,90,100,PushPop,'push','','push','run','a.c',13\n"
        ",0,0,0,0,0,0,0,,0,0,0,,StartEnd,'load:range','load','range','','b.c',0\n"
        ",,1234,,,,,,,,,,,Mark,'tick','','tick','main','b.c',7\n",
        "{'ranges': [\n"
        "  {'message': 'step', 'domain': 'train', 'function': 'run', 'file': 'a.c', "
        "'line': 12, 'kind': 'scope', 'count': 3, 'total_ns': 6000000, 'self_ns': "
        "5000000, 'min_ns': 1000000, 'max_ns': 3000000, 'average_ns': 2000000, "
        "'deviation_ns': 900000, 'median_ns': 1900000, 'p90_ns': 2900000, 'p99_ns': "
        "2990000, 'p999_ns': 2999000, 'inclusive_ns': 5500000},\n"
        "  {'message': 'push', 'domain': null, 'function': 'run', 'file': 'a.c', 'line': "
        "13, 'kind': 'push', 'count': 1, 'total_ns': 2000, 'self_ns': 10, 'min_ns': 20, "
        "'max_ns': 30, 'average_ns': 40, 'deviation_ns': 50, 'median_ns': 60, 'p90_ns': "
        "70, 'p99_ns': 80, 'p999_ns': 90, 'inclusive_ns': 100},\n"
        "  {'message': 'range', 'domain': 'load', 'function': null, 'file': 'b.c', "
        "'line': 0, 'kind': 'range', 'count': 0, 'total_ns': 0, 'min_ns': "
        "0, 'max_ns': 0, 'average_ns': 0, 'deviation_ns': 0, 'median_ns': 0, 'p90_ns': 0,"
        " 'p99_ns': 0, 'p999_ns': 0},\n"
        "  {'message': 'tick', 'domain': null, 'function': 'main', 'file': 'b.c', "
        "'line': 7, 'kind': 'mark', 'count': 1234}\n"
        "]}\n"};
    const size_t n = sizeof(rows) / sizeof(rows[0]);
    int i;

    (void)state;
    for (i = 0; i < 3; i++) {
        char *text = NULL, *quote;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);

        nvtxh_i_stats_print_rows(file, rows, n, 8000000, (enum nvtxh_stats_format)(i + 1));
        fclose(file);
        while ((quote = strchr(text, '"')) != NULL)
            *quote = '\'';
        assert_string_equal(text, expected[i]);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(times), CASE(counts_of_thousands), CASE(cells)};

    (void)begin, (void)end, (void)counted_at;
    return RUN(tests);
}

#else

/* stats.h's implementation is in another file, or off. */
int main(void) {
    (void)begin, (void)end, (void)counted_at;
    return 0;
}

#endif
