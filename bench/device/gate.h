/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_BENCH_GATE_H
#define NVTXH_BENCH_GATE_H

/* A host function that holds a stream until it is released, and an alarm in case it never is. */

#include <cuda_runtime_api.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static sem_t gate;

static void CUDART_CB wait_at_gate(void *unused) {
    (void)unused;
    while (sem_wait(&gate))
        ;
}

static const char *volatile under_way;

static void stuck(int unused) {
    static const char why[] =
        ": stuck; perhaps CUDA takes no more host functions behind a closed gate\n";
    const char *row = under_way;

    (void)unused;
    (void)!write(STDERR_FILENO, row, strlen(row));
    (void)!write(STDERR_FILENO, why, sizeof(why) - 1);
    _exit(1);
}

static void gate_init(void) {
    sem_init(&gate, 0, 0);
    signal(SIGALRM, stuck);
}

#endif
