/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program of regression.md: it counts how often each of 2,000 names is in a text, block by
 * block. */
#include "nvtxh.h"

#include <stdio.h>
#include <string.h>

enum { BLOCKS = 40, WORDS = 1000, NAMES = 2000, BUCKETS = 4096 };

struct name {
    char text[16];
    unsigned count;
    struct name *next;
};

static struct name names[NAMES], *buckets[BUCKETS];
static unsigned used, sum;
static char text[WORDS][16];

static unsigned hash_of(const char *word) {
    unsigned hash = 0;
    while (*word)
        hash = hash * 31 + (unsigned char)*word++;
    return hash % BUCKETS;
}

/* Stands for the input: the same text in every run. */
static void read_block(unsigned *state) {
    NVTX_FUNC();
    for (int i = 0; i < WORDS; i++) {
        *state = *state * 1664525 + 1013904223;
        snprintf(text[i], sizeof text[i], "user-%04u", (*state >> 16) % NAMES);
    }
}

static void count_block(void) {
    NVTX_FUNC();
    for (int i = 0; i < WORDS; i++) {
        struct name **at = &buckets[hash_of(text[i])];
        while (*at && strcmp((*at)->text, text[i]))
            at = &(*at)->next;
        if (!*at) {
            *at = &names[used++];
            strcpy((*at)->text, text[i]);
        }
        (*at)->count++;
    }
}

static void check_block(void) {
    NVTX_FUNC();
    for (int round = 0; round < 100; round++)
        for (int i = 0; i < WORDS; i++)
            for (const char *c = text[i]; *c; c++)
                sum = (sum ^ (unsigned char)*c) * 16777619;
}

int main(void) {
    unsigned state = 1;

    for (int block = 0; block < BLOCKS; block++) {
        NVTX_SCOPE("block");
        read_block(&state);
        count_block();
        check_block();
    }
    printf("%u names, checksum %08x\n", used, sum);
}
