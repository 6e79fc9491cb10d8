/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Structs as payloads: what a range works on at its beginning, and what came of it at its end.
 *
 * Integrates the square root from 0 to 1 by Simpson's rule, in pieces that are halved until two
 * estimates agree.
 */
#include "nvtxh.h"
#include "nvtxh/payload.h"

#include <math.h>
#include <stdio.h>

/* The types, and how a viewer shows them, in one declaration. */
NVTXH_PAYLOAD_ENUM(verdict, (ACCEPTED), (HALVED), (TOO_DEEP));
NVTXH_PAYLOAD_STRUCT(piece, (double, from, .max = 1), (double, to, .max = 1), (int, depth));
NVTXH_PAYLOAD_STRUCT(outcome, (enum verdict, verdict), (double, area),
                     (double, error, .description = "two estimates' difference"),
                     (const char *, method));

static int pieces;

static double simpson(double from, double to) {
    return (to - from) / 6 * (sqrt(from) + 4 * sqrt((from + to) / 2) + sqrt(to));
}

static double integrate(double from, double to, double tolerance, int depth) {
    struct piece piece = {from, to, depth};
    struct outcome outcome = {ACCEPTED, 0, 0, "Simpson"};
    double middle = (from + to) / 2, whole;

    pieces++;
    /* What the pointer points at is read during the call, if someone listens. */
    NVTX_PUSH("piece", .payload = nvtxh_payload(&piece));
    whole = simpson(from, to);
    outcome.area = simpson(from, middle) + simpson(middle, to);
    outcome.error = fabs(outcome.area - whole);
    if (outcome.error > tolerance)
        outcome.verdict = depth < 30 ? HALVED : TOO_DEEP;
    NVTX_POP(.payload = nvtxh_payload(&outcome));

    if (outcome.verdict != HALVED)
        return outcome.area;
    return integrate(from, middle, tolerance / 2, depth + 1) +
           integrate(middle, to, tolerance / 2, depth + 1);
}

int main(void) {
    NVTX_SCOPE("integrate");
    double area = integrate(0, 1, 1e-6, 0);

    printf("%.5f in %d pieces\n", area, pieces);
}
