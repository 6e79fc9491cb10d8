/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An incident, and what is left of it: four processes work in step. Once, one of them stalls for a
 * second; all wait. Later everything is killed, as a cluster's scheduler does it, and no process
 * has a chance to say goodbye.
 *
 *     nvtxh record --ring 1M --snapshot-when 'job:load stuck 500ms' --after 100ms -o incident.nvtxh -- ./11_incident
 *     nvtxh top --once --nest incident.snap1.nvtxh
 *
 * The snapshot shows which process stalled, in which range, and what all others did meanwhile. */
#define _GNU_SOURCE
#define NVTXH_DEFAULT_DOMAIN job
#include "nvtxh.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { WORKERS = 4, STEPS = 120, STALLS = 2, STALL_STEP = 80 };

NVTX_DOMAIN(job, "job");

/* shared by all processes: how often each has come to the end of a step */
static atomic_int *arrived;

static void load(int worker, int step) {
    NVTX_FUNC();
    usleep(worker == STALLS && step == STALL_STEP ? 1000000 : 500);
}

static void compute(int worker) {
    NVTX_FUNC();
    usleep(500 + 100 * (useconds_t)worker);
}

static void exchange(int step) {
    NVTX_FUNC();
    atomic_fetch_add(arrived, 1);
    while (atomic_load(arrived) < WORKERS * (step + 1))
        usleep(100);
}

static void work(int worker) {
    char name[32];

    snprintf(name, sizeof name, "worker %d", worker);
    nvtxh_thread_name(name);
    for (int step = 0; step < STEPS; step++) {
        NVTX_SCOPE("step", .payload = nvtxh_payload(step));
        load(worker, step);
        compute(worker);
        exchange(step);
    }
}

int main(void) {
    arrived =
        mmap(NULL, sizeof *arrived, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (arrived == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    for (int worker = 1; worker < WORKERS; worker++) {
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            work(worker);
            pause();
        }
    }
    work(0);
    puts("all steps are done, and now it is killed");
    fflush(stdout);
    raise(SIGKILL);
    return 0;
}
