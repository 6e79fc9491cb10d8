/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Colours and categories: three ways to sort, each in a colour of its own.
 *
 *     02_colours [COLOUR]        the colour of "shuffle": a CSS name, #rrggbb or #aarrggbb
 */
#define NVTXH_DEFAULT_DOMAIN sorting
#include "nvtxh.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 2000 };

NVTX_DOMAIN(sorting, "sorting");
NVTX_CATEGORY(prepare, &sorting, "prepare");
NVTX_CATEGORY(sort, &sorting, "sort");

static int numbers[N];
static int comparisons;
static uint32_t shuffle_colour = NVTXH_SLATEGRAY; /* a constant: fit for a static initialiser */

static int compare(const void *a, const void *b) {
    comparisons++;
    return *(const int *)a - *(const int *)b;
}

static void swap(int *a, int *b) {
    int kept = *a;
    *a = *b;
    *b = kept;
}

static void shuffle(void) {
    /* Any expression will do. It is not even evaluated while nobody listens. */
    NVTX_FUNC(.category = &prepare, .color = shuffle_colour);

    unsigned random = 1;
    for (int i = 0; i < N; i++)
        numbers[i] = (int)((random = random * 1664525 + 1013904223) >> 16);
    comparisons = 0;
}

/* One after the other from a palette: they stay apart, for colour-blind readers too. */
static void insertion_sort(void) {
    NVTX_FUNC(.category = &sort, .color = nvtxh_palette_okabe_ito(0));

    for (int i = 1; i < N; i++)
        for (int k = i; k > 0 && compare(&numbers[k], &numbers[k - 1]) < 0; k--)
            swap(&numbers[k], &numbers[k - 1]);
}

static void selection_sort(void) {
    NVTX_FUNC(.category = &sort, .color = nvtxh_palette_okabe_ito(1));

    for (int i = 0; i < N; i++)
        for (int k = i + 1; k < N; k++)
            if (compare(&numbers[k], &numbers[i]) < 0)
                swap(&numbers[k], &numbers[i]);
}

/* No colour in mind: nvtxh_color_of gives a name the same colour in every run. */
static void library_sort(void) {
    NVTX_FUNC(.category = &sort, .color = NVTXH_COLOR_AUTO);
    qsort(numbers, N, sizeof(numbers[0]), compare);
}

static void try_out(const char *name, void (*function)(void)) {
    shuffle();
    function();
    for (int i = 1; i < N; i++)
        if (numbers[i - 1] > numbers[i])
            NVTX_MARK("out of order", .color = nvtxh_rgb(255, 0, 0), .payload = nvtxh_payload(i));
    printf("%-15s %7d comparisons, smallest %d, greatest %d\n", name, comparisons, numbers[0],
           numbers[N - 1]);
}

int main(int argc, char **argv) {
    if (argc > 2 || (argc == 2 && !nvtxh_color_by_name(argv[1], &shuffle_colour))) {
        fprintf(stderr, "usage: 02_colours [COLOUR]     a CSS name, #rrggbb or #aarrggbb\n");
        return 2;
    }
    try_out("insertion sort", insertion_sort);
    try_out("selection sort", selection_sort);
    try_out("library's sort", library_sort);
}
