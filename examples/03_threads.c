/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads and process ranges: primes, counted in pieces by three workers.
 *
 * A scope belongs to the thread that opens it. A process range does not: here one begins when a
 * piece is ordered, on the main thread, and ends when it is done, on whichever worker took it. The
 * distance between its beginning and that of "count" is how long the piece has waited.
 */
#include "nvtxh.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { PIECES = 12, PIECE = 50000, WORKERS = 3 };

static struct piece {
    struct nvtxh_range range;
    int first, primes;
} pieces[PIECES];

static atomic_int taken;

static int is_prime(int n) {
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return n > 1;
}

static void *work(void *argument) {
    char name[32];
    snprintf(name, sizeof(name), "worker %d", *(int *)argument);
    nvtxh_thread_name(name); /* any string: it is copied */

    for (int i; (i = atomic_fetch_add(&taken, 1)) < PIECES;) {
        NVTX_SCOPE("count", .payload = nvtxh_payload(i));

        struct piece *piece = &pieces[i];
        for (int n = piece->first; n < piece->first + PIECE; n++)
            piece->primes += is_prime(n);

        NVTX_END(piece->range); /* begun by main */
    }
    return NULL;
}

int main(void) {
    pthread_t threads[WORKERS];
    int numbers[WORKERS], running = 0, primes = 0;

    nvtxh_thread_name("main");
    for (int i = 0; i < PIECES; i++) {
        pieces[i].first = i * PIECE;
        pieces[i].range = NVTX_START("piece", .color = NVTXH_TEAL, .payload = nvtxh_payload(i));
    }
    for (; running < WORKERS; running++) {
        numbers[running] = running;
        if (pthread_create(&threads[running], NULL, work, &numbers[running]) != 0)
            break;
    }
    if (running == 0) {
        fprintf(stderr, "03_threads: cannot create a thread\n");
        return 1;
    }
    while (running > 0)
        pthread_join(threads[--running], NULL);

    for (int i = 0; i < PIECES; i++) {
        primes += pieces[i].primes;
        printf("%6d primes below %6d\n", primes, pieces[i].first + PIECE);
    }
}
