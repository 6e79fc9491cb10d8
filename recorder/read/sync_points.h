/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_SYNC_POINTS_H
#define NVTXH_READ_SYNC_POINTS_H
/* Points of synchronization: the same moment on a program's clock and in ns since the session's start. A struct of
 * zeros has none. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sync_points {
    struct sync_point {
        int64_t at; /* on the clock */
        int64_t ns; /* since the session's start */
    } * all;
    size_t count, room;
    double first_rate, last_rate; /* ns a tick before the first point and after the last */
};

void sync_points_add(struct sync_points *s, int64_t at, int64_t ns);

/* Call it after the last point. `rate`: ns per tick, as given by the program, or 0. False: there are too few points. */
bool sync_points_ready(struct sync_points *s, double rate);

/* Converts a time of the clock. Only after sync_points_ready has returned true. */
int64_t sync_points_ns(const struct sync_points *s, int64_t at);

void sync_points_free(struct sync_points *s);

/* a - b, and a + b * rate in ns. b * rate is limited to 31 years; all else that overflows wraps around. */
int64_t sync_points_difference(int64_t a, int64_t b);
int64_t sync_points_later(int64_t a, int64_t b, double rate);

#endif /* NVTXH_READ_SYNC_POINTS_H */
