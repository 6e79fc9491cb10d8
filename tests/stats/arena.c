/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A signal handler allocates memory of statistics after each single instruction of the thread that
 * allocates some: no memory is given out twice, all of it is zero, and chunks are filled. Pieces of
 * all sizes: none overlaps another, and afterwards the process has no more memory than before. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include "../inject/step.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The pages that the process has mapped. */
static long mapped(void) {
    char text[100] = "";
    int fd = open("/proc/self/statm", O_RDONLY);

    if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
        abort();
    close(fd);
    return strtol(text, NULL, 10);
}

static bool is_given_back(size_t first) {
    enum { PIECES = 300 };
    static struct {
        unsigned char *at;
        size_t size;
    } pieces[PIECES];
    struct nvtxh_i_arena arena = {NULL};
    const long before = mapped();
    unsigned drawn = 1;
    size_t i, k;

    for (i = 0; i < PIECES; i++) {
        drawn = drawn * 1103515245u + 12345u;
        pieces[i].size = i ? (1u << (drawn >> 16) % 18) + (drawn >> 8) % 70 : first;
        pieces[i].at = (unsigned char *)nvtxh_i_arena_alloc(&arena, pieces[i].size, 64);
        if (!pieces[i].at || (uintptr_t)pieces[i].at % 64)
            return false;
        for (k = 0; k < pieces[i].size; k++) {
            if (pieces[i].at[k])
                return false;
            pieces[i].at[k] = (unsigned char)(1 + i % 255);
        }
    }
    for (i = 0; i < PIECES; i++)
        for (k = 0; k < pieces[i].size; k++)
            if (pieces[i].at[k] != 1 + i % 255)
                return false;
    nvtxh_i_arena_free(&arena);
    return !arena.chunks && mapped() == before;
}

#if STEPS
enum { SIZE = 64, INSTRUCTIONS = 200, BLOCKS = 2500 };
static struct nvtxh_i_arena arena;
static unsigned char *blocks[BLOCKS];
static volatile int n;

static void take(void) {
    blocks[n] = (unsigned char *)nvtxh_i_arena_alloc(&arena, SIZE, SIZE);
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
        mine = (unsigned char *)nvtxh_i_arena_alloc(&arena, SIZE, SIZE);
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
    return !is_given_back(1) || !is_given_back(100000);
}
#else
int main(void) {
    return !is_given_back(1) || !is_given_back(100000);
}
#endif
