/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_LIFECYCLE_CHECK_H
#define NVTXH_TEST_LIFECYCLE_CHECK_H

#include "../inject/check.h"

/* The memory that the process has, in KiB. */
static inline long resident(void) {
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    check(file && fscanf(file, "%ld %ld", &size, &pages) == 2);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* As many pops as pushes on every thread, and no pop without a push; and no event is BAD. */
static inline void check_balance(void) {
    size_t i, k, size = log_size();

    for (i = 0; i < size; i++) {
        const struct log_event *event = log_at(i);
        long open = 0;

        check(!event->bad);
        check(event->kind != LOG_POP || event->result >= 0);
        if (event->kind != LOG_PUSH && event->kind != LOG_POP)
            continue;
        for (k = 0; k < i && log_at(k)->tid != event->tid; k++)
            ;
        if (k < i)
            continue; /* this thread was checked already */
        for (k = i; k < size; k++)
            if (log_at(k)->tid == event->tid)
                open += log_at(k)->kind == LOG_PUSH ? 1 : log_at(k)->kind == LOG_POP ? -1 : 0;
        check(open == 0);
    }
}

#endif
