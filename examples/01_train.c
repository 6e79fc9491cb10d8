/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Trains a small character-level language model, to be watched in a timeline.
 *
 *     01_train [TEXT [EPOCHS]]                   README.md, 16 epochs
 *     nvtxh record -o train.rec -- 01_train      the same, recorded
 *
 * A worker draws batches of examples from the text, a few ahead; the main thread learns from them:
 *
 *     prefetch   | sample batch | sample batch | wait              | sample batch | wait
 *     main       | epoch
 *                | wait         | step                             | step
 *                               | forward | backward   | update    | forward | backward
 *     process    | batch                                           |
 *                               | batch                                             ...
 *
 * A `batch` begins on one thread, when it is drawn, and ends on the other, when it has been learnt
 * from. The mathematics is in model.h. Here are the text, the two threads, and every annotation.
 */

/* Annotations that name no domain are in `train`. It is defined below, once. */
#define NVTXH_DEFAULT_DOMAIN train
#include "nvtxh.h"
#include "model.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A domain is shown, or filtered out, as a whole; categories tell its ranges apart. */
NVTX_DOMAIN(train, "train");
NVTX_CATEGORY(input, &train, "input");
NVTX_CATEGORY(compute, &train, "compute");

enum {
    EPOCHS = 16,        /* by default */
    MOST_EPOCHS = 1000, /* for the argument EPOCHS */
    /* An epoch is a fixed number of random batches, so a novel takes as long as a README. */
    STEPS_PER_EPOCH = 200,
    QUEUE = 4, /* batches drawn ahead */
    MOST_TEXT = 1 << 20,
    SAMPLE = 400, /* characters written at the end */
};

static __attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("01_train: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

/* --- the text ------------------------------------------------------------------------------- */

static struct {
    unsigned char data[MOST_TEXT]; /* indices into symbol */
    unsigned length;
    unsigned char symbol[VOCAB]; /* every byte that occurs, once */
    int vocab;
} text;

static void text_load(const char *path) {
    NVTX_FUNC(.category = &input);

    FILE *file = fopen(path, "rb");
    if (file == NULL)
        die("%s: %s", path, strerror(errno));
    text.length = (unsigned)fread(text.data, 1, sizeof(text.data), file);
    if (ferror(file))
        die("%s: %s", path, strerror(errno));
    if (!feof(file) && getc(file) != EOF)
        printf("%s: only its first %u bytes are used\n", path, text.length);
    fclose(file);
    if (text.length <= CONTEXT)
        die("%s: %u bytes of text; one example needs %d", path, text.length, CONTEXT + 1);

    int index[256];
    memset(index, -1, sizeof(index));
    for (unsigned i = 0; i < text.length; i++) {
        unsigned char byte = text.data[i];
        if (byte < ' ' && !isspace(byte))
            die("%s: not a text file: byte 0x%02x at offset %u", path, byte, i);
        if (index[byte] < 0) {
            index[byte] = text.vocab++;
            text.symbol[index[byte]] = byte;
        }
        text.data[i] = (unsigned char)index[byte];
    }
}

static void batch_sample(struct batch *batch, uint64_t *rng) {
    NVTX_SCOPE("sample batch", .category = &input, .color = NVTXH_SANDYBROWN);

    for (int b = 0; b < BATCH; b++) {
        const unsigned char *at = text.data + random_bits(rng) % (text.length - CONTEXT);
        memcpy(batch->context[b], at, CONTEXT);
        batch->target[b] = at[CONTEXT];
    }
}

/* --- the worker, and the queue between the threads ------------------------------------------ */

struct slot {
    struct batch batch;
    struct nvtxh_range range; /* begun by the worker, ended by the main thread */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot slots[QUEUE];
    int filled, freed; /* batches so far: number n lies in slot n % QUEUE */
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* Waits until *count is at least `least`. The timeline shows which thread waits for the other. */
static void queue_wait(const int *count, int least) {
    pthread_mutex_lock(&queue.lock);
    if (*count < least) {
        NVTX_SCOPE("wait", .category = &input, .color = NVTXH_LIGHTGRAY);
        while (*count < least)
            pthread_cond_wait(&queue.changed, &queue.lock);
    } /* <-- the range ends here, at the end of its block */
    pthread_mutex_unlock(&queue.lock);
}

static void queue_count(int *count) {
    pthread_mutex_lock(&queue.lock);
    ++*count;
    pthread_cond_signal(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

static void *prefetch(void *total) {
    nvtxh_thread_name("prefetch");
    NVTX_FUNC(.category = &input);

    uint64_t rng = 1;
    for (int n = 0; n < *(int *)total; n++) {
        queue_wait(&queue.freed, n - QUEUE + 1);

        /* From here until the main thread has learnt from it: how long does a batch live? */
        struct slot *slot = &queue.slots[n % QUEUE];
        slot->range = NVTX_START("batch", .category = &input, .payload = nvtxh_payload(n));
        batch_sample(&slot->batch, &rng);

        queue_count(&queue.filled);
    }
    return NULL;
}

/* --- training ------------------------------------------------------------------------------- */

static struct model model;
static struct activations activations[BATCH];

static real train_step(const struct batch *batch, real rate) {
    NVTX_SCOPE("step", .category = &compute, .payload = nvtxh_payload(model.steps));

    real loss = 0;
    NVTXH_BLOCK("forward", .category = &compute, .color = NVTXH_SEAGREEN) {
        loss = forward(&model, batch, activations);
    }
    NVTXH_BLOCK("backward", .category = &compute, .color = NVTXH_STEELBLUE) {
        backward(&model, batch, activations);
    }
    NVTXH_BLOCK("update", .category = &compute, .color = NVTXH_ORCHID,
                .payload = nvtxh_payload(loss)) {
        update(&model, rate);
    }
    return loss;
}

/* Returns the mean loss of the epoch's batches. */
static real train_epoch(int epoch, int total) {
    NVTX_SCOPE("epoch", .color = NVTXH_GOLD, .payload = nvtxh_payload(epoch));

    real loss = 0;
    for (int i = 0; i < STEPS_PER_EPOCH; i++) {
        int n = model.steps;
        struct slot *slot = &queue.slots[n % QUEUE];
        queue_wait(&queue.filled, n + 1);

        /* The rate falls to 0, so that the last steps settle. */
        loss += train_step(&slot->batch, (real)0.008 * (real)(total - n) / (real)total);

        NVTX_END(slot->range);
        queue_count(&queue.freed);
    }
    return loss / STEPS_PER_EPOCH;
}

/* Writes what the model thinks comes after the text's first characters. */
static void write_sample(void) {
    NVTX_FUNC(.category = &compute, .color = NVTXH_PLUM);

    unsigned char context[CONTEXT];
    memcpy(context, text.data, CONTEXT);
    for (int i = 0; i < CONTEXT; i++)
        putchar(text.symbol[context[i]]);

    uint64_t rng = 2;
    for (int i = 0; i < SAMPLE; i++) {
        real *p = activations[0].p, sum = 0;
        predict(&model, context, &activations[0]);

        /* The power 3/2 makes likely characters more likely, so there are fewer slips than in a
         * fair draw. */
        for (int k = 0; k < text.vocab; k++)
            sum += p[k] *= sqrt(p[k]);

        int next = 0;
        for (real draw = sum * random_unit(&rng); next < text.vocab - 1; next++)
            if ((draw -= p[next]) < 0)
                break;

        /* It may put bytes together that are no character. */
        putchar(text.symbol[next] < 0x80 ? text.symbol[next] : '?');
        memmove(context, context + 1, CONTEXT - 1);
        context[CONTEXT - 1] = (unsigned char)next;
    }
    putchar('\n');
}

int main(int argc, char **argv) {
    const char *path = "README.md";
    long epochs = EPOCHS;
    char *rest = "";
#ifdef TRAIN_DEFAULT_TEXT /* the project's own, from the build, if there is none here */
    if (access(path, R_OK) != 0)
        path = TRAIN_DEFAULT_TEXT;
#endif
    if (argc > 1)
        path = argv[1];
    if (argc > 2)
        epochs = strtol(argv[2], &rest, 10);
    if (argc > 3 || *rest != '\0' || epochs < 1 || epochs > MOST_EPOCHS) {
        fprintf(stderr, "usage: 01_train [TEXT [EPOCHS]]     EPOCHS: 1 to %d\n", MOST_EPOCHS);
        return 2;
    }

    text_load(path);
    model_init(&model, text.vocab, 3);
    printf("%s: %u bytes, %d different\n", path, text.length, text.vocab);

    struct batch untrained;
    batch_sample(&untrained, &(uint64_t){4});
    printf("epoch  0  loss %.3f  (untrained)\n", (double)forward(&model, &untrained, activations));

    int total = (int)epochs * STEPS_PER_EPOCH;
    pthread_t worker;
    if ((errno = pthread_create(&worker, NULL, prefetch, &total)) != 0)
        die("no thread to prefetch with: %s", strerror(errno));

    /* A checkpoint is the weights of the best epoch so far; here they are kept in memory. */
    static union weights checkpoint;
    real best = INFINITY;
    for (int epoch = 1; epoch <= epochs; epoch++) {
        real loss = train_epoch(epoch, total);
        printf("epoch %2d  loss %.3f\n", epoch, (double)loss);
        fflush(stdout);
        if (loss < best) {
            best = loss;
            checkpoint = model.w;
            NVTX_MARK("checkpoint", .color = NVTXH_GOLD, .payload = nvtxh_payload(loss));
        }
    }
    pthread_join(worker, NULL);

    model.w = checkpoint;
    printf("\n");
    write_sample();
}
