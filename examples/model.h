/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A character-level language model, small enough to read in one go.
 *
 * It sees the last CONTEXT characters of a text and says how likely each character of the
 * vocabulary is to come next:
 *
 *     characters -> embedding -> hidden layer (tanh) -> softmax over the vocabulary
 *
 * `forward` and `backward` work on a batch of examples, `update` takes one step of Adam. Plain
 * mathematics: there is no annotation in this file. They are in 01_train.c, around the calls.
 */
#ifndef EXAMPLES_MODEL_H
#define EXAMPLES_MODEL_H

#include <stdint.h>
#include <string.h>
#include <tgmath.h>

/* float trains fast; a gradient check wants the digits of double. */
#ifndef MODEL_REAL
#define MODEL_REAL float
#endif
typedef MODEL_REAL real;

enum {
    CONTEXT = 8, /* characters seen */
    EMBED = 16,  /* numbers that describe one character */
    INPUT = CONTEXT * EMBED,
    HIDDEN = 128,
    VOCAB = 256, /* most different characters a text can have: one for each byte */
    BATCH = 32,  /* examples per step */
};

/* Everything that is learnt, by name for the mathematics, and as one array for the optimiser. */
union weights {
    struct {
        real embed[VOCAB][EMBED];
        real w1[INPUT][HIDDEN], b1[HIDDEN];
        real w2[HIDDEN][VOCAB], b2[VOCAB];
    };
    real flat[VOCAB * EMBED + (INPUT + 1) * HIDDEN + (HIDDEN + 1) * VOCAB];
};

enum { WEIGHTS = sizeof(union weights) / sizeof(real) };

struct model {
    int vocab; /* characters in use, and columns of w2 and b2 */
    int steps; /* updates so far */
    union weights w, grad;
    union weights mean, variance; /* Adam's running averages of the gradient and its square */
};

/* Characters are given by their index in the vocabulary. */
struct batch {
    unsigned char context[BATCH][CONTEXT];
    unsigned char target[BATCH];
};

/* What forward computes for one example, and backward needs again. */
struct activations {
    real x[INPUT], h[HIDDEN], p[VOCAB];
};

/* y += a * x */
static inline void axpy(int n, real a, const real *restrict x, real *restrict y) {
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* Eight sums side by side: the compiler may use vectors without being allowed to reorder. */
static inline real dot(int n, const real *x, const real *y) {
    real part[8] = {0}, sum = 0;
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            part[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        sum += x[i] * y[i];
    for (int k = 0; k < 8; k++)
        sum += part[k];
    return sum;
}

/* Random numbers that are the same on every machine: splitmix64, and its top 24 bits in [0, 1). */
static inline uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static inline real random_unit(uint64_t *state) {
    return (real)(random_bits(state) >> 40) / (real)(1 << 24);
}

static inline void fill(real *x, size_t n, real range, uint64_t *rng) {
    for (size_t i = 0; i < n; i++)
        x[i] = range * (2 * random_unit(rng) - 1);
}

/* Biases start at 0, weights so that a sum over all inputs is of the order of 1. */
static inline void model_init(struct model *m, int vocab, uint64_t seed) {
    memset(m, 0, sizeof(*m));
    m->vocab = vocab;
    fill(m->w.embed[0], VOCAB * EMBED, 1, &seed);
    fill(m->w.w1[0], INPUT * HIDDEN, sqrt((real)3 / INPUT), &seed);
    fill(m->w.w2[0], HIDDEN * VOCAB, sqrt((real)1 / HIDDEN), &seed);
}

/* One example: a->p becomes the probability of each character that may come next. */
static inline void predict(const struct model *m, const unsigned char *context,
                           struct activations *a) {
    for (int c = 0; c < CONTEXT; c++)
        memcpy(a->x + c * EMBED, m->w.embed[context[c]], sizeof(m->w.embed[0]));

    memcpy(a->h, m->w.b1, sizeof(a->h));
    for (int i = 0; i < INPUT; i++)
        axpy(HIDDEN, a->x[i], m->w.w1[i], a->h);
    for (int j = 0; j < HIDDEN; j++)
        a->h[j] = tanh(a->h[j]);

    memcpy(a->p, m->w.b2, sizeof(a->p));
    for (int j = 0; j < HIDDEN; j++)
        axpy(m->vocab, a->h[j], m->w.w2[j], a->p);

    /* Softmax; less the greatest, exp cannot overflow. */
    real greatest = a->p[0], sum = 0;
    for (int k = 1; k < m->vocab; k++)
        greatest = a->p[k] > greatest ? a->p[k] : greatest;
    for (int k = 0; k < m->vocab; k++)
        sum += a->p[k] = exp(a->p[k] - greatest);
    for (int k = 0; k < m->vocab; k++)
        a->p[k] /= sum;
}

/* The batch's loss: the mean of -log(probability of the character that really came next). */
static inline real forward(const struct model *m, const struct batch *batch,
                           struct activations a[BATCH]) {
    real loss = 0;
    for (int b = 0; b < BATCH; b++) {
        predict(m, batch->context[b], &a[b]);
        loss -= log(fmax(a[b].p[batch->target[b]], (real)1e-30));
    }
    return loss / BATCH;
}

/* m->grad becomes the derivative of that loss by every weight. Uses up a[].p. */
static inline void backward(struct model *m, const struct batch *batch,
                            struct activations a[BATCH]) {
    union weights *grad = &m->grad;
    memset(grad, 0, sizeof(*grad));

    for (int b = 0; b < BATCH; b++) {
        const real *x = a[b].x, *h = a[b].h;
        real dh[HIDDEN], *dp = a[b].p; /* before the softmax: probability minus truth */
        dp[batch->target[b]] -= 1;

        axpy(m->vocab, (real)1 / BATCH, dp, grad->b2);
        for (int j = 0; j < HIDDEN; j++) {
            axpy(m->vocab, h[j] / BATCH, dp, grad->w2[j]);
            dh[j] = dot(m->vocab, m->w.w2[j], dp) / BATCH * (1 - h[j] * h[j]);
        }

        axpy(HIDDEN, 1, dh, grad->b1);
        for (int i = 0; i < INPUT; i++) {
            axpy(HIDDEN, x[i], dh, grad->w1[i]);
            grad->embed[batch->context[b][i / EMBED]][i % EMBED] += dot(HIDDEN, m->w.w1[i], dh);
        }
    }
}

/* One step of Adam (Kingma and Ba, 2015), with the constants of the paper. */
static inline void update(struct model *m, real rate) {
    const real beta1 = (real)0.9, beta2 = (real)0.999, epsilon = (real)1e-8;
    m->steps++;
    rate *= sqrt(1 - pow(beta2, (real)m->steps)) / (1 - pow(beta1, (real)m->steps));
    for (int i = 0; i < WEIGHTS; i++) {
        real g = m->grad.flat[i];
        real mean = m->mean.flat[i] += (1 - beta1) * (g - m->mean.flat[i]);
        real variance = m->variance.flat[i] += (1 - beta2) * (g * g - m->variance.flat[i]);
        m->w.flat[i] -= rate * mean / (sqrt(variance) + epsilon);
    }
}

#endif
