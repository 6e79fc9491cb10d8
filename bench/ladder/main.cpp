/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs the rungs, for ladder.py.
 *
 *   ladder [Google Benchmark's options]    times: every rung in bursts with pauses between them, so that the disk of
 *                                          a recorder does not count
 *   ladder --count N                       each N times, under callgrind
 *   ladder --list                          the names of the rungs and of their functions
 *
 * NVTXH_BENCH_STATISTICS in the environment switches statistics on; exit status 77 if there are
 * none. LADDER_BURST is the number of calls in a burst. */
#include "ladder.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <unistd.h>

static std::vector<ladder_rung> all() {
    std::vector<ladder_rung> result;

    for (const ladder_rung *list : {rungs_floor, rungs_off, rungs_nvtxh, rungs_nvtx, rungs_nvtx3})
        for (; list->name; list++)
            result.push_back(*list);
    return result;
}

/* What callgrind looks at. */
extern "C" void __attribute__((noinline)) ladder_counted(int n);
void ladder_counted(int n) {
    for (const ladder_rung &rung : all())
        for (int i = 0; i < n; i++)
            rung.run();
}

static void in_time(benchmark::State &state, void (*run)()) {
    usleep(500);
    for (int i = 0; i < 50; i++)
        run(); /* refills the caches after the pause */
    for (auto _ : state)
        run();
}

int main(int argc, char **argv) {
    if (std::getenv("NVTXH_BENCH_STATISTICS") && !ladder_count())
        return 77;
    if (argc > 1 && !std::strcmp(argv[1], "--list")) {
        for (const ladder_rung &rung : all())
            std::printf("%s\t%s\n", rung.name, rung.function);
        return 0;
    }
    if (argc > 2 && !std::strcmp(argv[1], "--count")) {
        for (const ladder_rung &rung : all())
            rung.run(); /* the first run finds out who listens */
        ladder_counted(std::atoi(argv[2]));
        return 0;
    }
    const char *burst = std::getenv("LADDER_BURST");
    for (const ladder_rung &rung : all())
        benchmark::RegisterBenchmark(rung.name, in_time, rung.run)
            ->Iterations(burst ? std::atoi(burst) : 2000);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
