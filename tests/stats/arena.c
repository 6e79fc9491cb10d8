/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 
 * A signal handler allocates memory of statistics after each single instruction of the thread that
 * allocates some: no memory is given out twice, all of it is zero, and chunks are filled. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include "../inject/step.h"

#include <stdio.h>
#include <string.h>

#if STEPS
enum { SIZE = 64, INSTRUCTIONS = 200, BLOCKS = 2500 };
static struct nvtxh_i_arena arena;
static unsigned char *blocks[BLOCKS];
static volatile int n;

static void take(void) {
    blocks[n] = (unsigned char *)nvtxh_i_arena_take(&arena, SIZE, SIZE);
    n++;
}

static bool is_all(const unsigned char *block, int value) {
    int i;

    for (i = 0; i < SIZE; i++)
        if (block[i] != value)
            return false;
    return true;
}

int main(void) {
    int i, instruction, gaps = 0;

    step_init(take);
    for (instruction = 1; instruction <= INSTRUCTIONS; instruction++) {
        unsigned char *mine;

        step_begin(instruction);
        mine = (unsigned char *)nvtxh_i_arena_take(&arena, SIZE, SIZE);
        (void)step_end();
        blocks[n] = mine;
        n++;
    }
    while (n < BLOCKS) /* into the third chunk */
        take();
    for (i = 0; i < BLOCKS; i++) {
        if (!blocks[i] || !is_all(blocks[i], 0)) {
            printf("block %d of %d was not free\n", i, n);
            return 1;
        }
        memset(blocks[i], 1 + i % 255, SIZE);
    }
    for (i = 0; i < BLOCKS; i++)
        if (!is_all(blocks[i], 1 + i % 255))
            return 1;
    for (i = BLOCKS - 1000; i < BLOCKS; i++)
        gaps += blocks[i] != blocks[i - 1] + SIZE;
    if (gaps > 1) { /* 1023 blocks fit into a chunk */
        printf("1000 blocks are in %d chunks\n", gaps + 1);
        return 1;
    }
    return 0;
}
#else
int main(void) {
    return 0;
}
#endif
