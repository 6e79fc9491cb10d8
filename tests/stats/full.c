/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Buckets of 32 bits that become half full go on in 64 bits, and no sample is lost, even if a
 * signal handler counts the same row between any two instructions of the thread that moves them. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include "../inject/step.h"

#include <stdio.h>

static unsigned long passed;

static void annotated(void) {
    NVTX_SCOPE("scope");
}

#if STEPS
static void step(int instruction) {
    step_init(annotated);
    step_begin(instruction);
    annotated();
    passed += step_end() ? 2 : 1;
}
#else
static void step(int instruction) {
    (void)instruction;
    annotated();
    passed++;
}
#endif

static uint64_t read_count(void) {
    struct nvtxh_stats row;
    size_t n;

    nvtxh_stats_read(&row, 1, &n);
    return n == 1 ? row.count : 0;
}

int main(void) {
    struct nvtxh_i_stats_sum *sum;
    uint64_t expected = 0;
    int instruction;

    nvtxh_stats_enable(true);
    annotated();
    passed = 1;
    step(1); /* makes room for two open annotations */
    sum = nvtxh_i_stats_here.thread->sums->of[1];
    for (instruction = 1; instruction <= 200; instruction++) {
        /* One or two samples below half full, so that either the thread's sample or the handler's
         * makes it half full.
         * */
        uint32_t nearly = 0x7fffffffu - (uint32_t)instruction % 2;
        int i;

        for (i = 0; i < (int)NVTXH_I_STATS_FEW; i++) {
            uint64_t more = (uint64_t)nearly - sum->buckets[i]; /* may be negative */

            sum->buckets[i] = nearly;
            sum->count += more;
            expected += more;
        }
        step(instruction);
        if (sum->count != expected + passed || read_count() != expected + passed) {
            printf("after instruction %d: %llu of %llu, read as %llu\n", instruction,
                   (unsigned long long)sum->count, (unsigned long long)(expected + passed),
                   (unsigned long long)read_count());
            return 1;
        }
    }
    for (instruction = 0; instruction < (int)NVTXH_I_STATS_FEW; instruction++)
        if (sum->buckets[instruction] >> 31) {
            printf("bucket %d is still half full\n", instruction);
            return 1;
        }
    return sum->more ? 0 : 2;
}
