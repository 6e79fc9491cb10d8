/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double begun, shown_at;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress(const char *what, uint64_t done, uint64_t all)
{
    static const char bar[] = "########################################";
    static const char rest[] = "........................................";
    double time = now();
    int width = (int)sizeof(bar) - 1;

    if (begun <= 0) {
        begun = time;
    }
    if (time - begun < 1 || time - shown_at < 0.1 || !isatty(STDERR_FILENO) || !all) {
        return;
    }
    shown_at = time;
    double part = done < all ? (double)done / (double)all : 1;
    int full = (int)(part * width);
    fprintf(stderr, "\r%s [%.*s%.*s] %3.0f %%", what, full, bar, width - full, rest, 100 * part);
    fflush(stderr);
}

void progress_done(void)
{
    if (shown_at > 0) {
        fputs("\r\033[K", stderr);
    }
    begun = shown_at = 0;
}
