/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Claims about examples/model.h: its probabilities add up to 1, the gradient is the derivative of
 * the loss, and following it reduces the loss. */
#define MODEL_REAL double
#include "../../examples/model.h"

#include <stdio.h>

enum { CHARACTERS = 37, PROBES = 200 };

static struct model model;
static struct batch batch;
static struct activations activations[BATCH];
static int failures;

static void claim(const char *what, double error, double limit) {
    int holds = error <= limit; /* a NaN does not */
    printf("%-6s %-32s error %.2e, limit %.0e\n", holds ? "ok" : "FAILED", what, error, limit);
    failures += !holds;
}

/* The loss's slope along one weight, from two losses: right to about the square of the distance. */
static double slope(double *weight) {
    const double distance = 1e-4, kept = *weight;
    *weight = kept + distance;
    double above = forward(&model, &batch, activations);
    *weight = kept - distance;
    double below = forward(&model, &batch, activations);
    *weight = kept;
    return (above - below) / (2 * distance);
}

/* The greatest difference, relative to the group's greatest slope. That the slope is not 0 is a
 * claim, too. */
static void check_group(const char *name, const void *group, size_t bytes) {
    size_t offset = (size_t)((const double *)group - model.w.flat), size = bytes / sizeof(double);
    uint64_t rng = 5;
    double error = 0, greatest = 0;

    for (int i = 0; i < PROBES; i++) {
        size_t at = offset + random_bits(&rng) % size;
        double expected = slope(&model.w.flat[at]);
        error = fmax(error, fabs(expected - model.grad.flat[at]));
        greatest = fmax(greatest, fabs(expected));
    }
    claim(name, greatest > 1e-4 ? error / greatest : NAN, 1e-6);
}

int main(void) {
    uint64_t rng = 1;
    model_init(&model, CHARACTERS, 2);
    fill(model.w.b1, HIDDEN, 0.5, &rng); /* zero would hide mistakes */
    fill(model.w.b2, VOCAB, 0.5, &rng);
    for (int b = 0; b < BATCH; b++) {
        for (int c = 0; c < CONTEXT; c++)
            batch.context[b][c] = (unsigned char)(random_bits(&rng) % CHARACTERS);
        batch.target[b] = (unsigned char)(random_bits(&rng) % CHARACTERS);
    }

    double untrained = forward(&model, &batch, activations), sum = 0, negative = 0;
    for (int k = 0; k < CHARACTERS; k++) {
        sum += activations[0].p[k];
        negative = fmin(negative, activations[0].p[k]);
    }
    claim("probabilities sum to 1", fabs(sum - 1), 1e-12);
    claim("none is negative", 0 - negative, 0);

    backward(&model, &batch, activations);
    check_group("gradient of embed", model.w.embed, sizeof(model.w.embed[0]) * CHARACTERS);
    check_group("gradient of w1", model.w.w1, sizeof(model.w.w1));
    check_group("gradient of b1", model.w.b1, sizeof(model.w.b1));
    check_group("gradient of w2", model.w.w2, sizeof(model.w.w2));
    check_group("gradient of b2", model.w.b2, sizeof(double) * VOCAB);

    for (int i = 0; i < 20; i++) {
        forward(&model, &batch, activations);
        backward(&model, &batch, activations);
        update(&model, 0.01);
    }
    claim("20 steps halve the loss", forward(&model, &batch, activations) / untrained, 0.5);
    return failures != 0;
}
