/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* life fork|exit|environment WORDS MODE|plugin PLUGIN|statistics: a child has none of its parent's
 * ranges; a process may exit while streams have work left; a plugin that has enqueued ranges may be
 * closed; statistics without a tool have nothing enqueued; the environment sets the mode. */
#include "suite.h"
#include "nvtxh/stats.h"

#include <dlfcn.h>
#include <sys/wait.h>
#ifdef TEST_FAKE
#include "fake_cuda.h"
#endif

static cudaStream_t stream;

/* In the child, CUDA is unusable. Nothing of ours may crash, hang or end the parent's ranges. */
static void fork_with_ranges(void) {
    struct nvtxh_device_range open, waiting;
    struct nvtxh_device_counts now;
    struct gate gate;
    int status = 1;
    pid_t child;

    ok(nvtxh_device_start(stream, &open, "open"));
    settle();
    hold(stream, &gate);
    ok(nvtxh_device_start(stream, &waiting, "waiting"));
    child = fork();
    if (!child) {
        ok(nvtxh_device_counts(&now));
        equal(now.pending + now.open + now.captured + now.lost, 0);
        ok(nvtxh_device_drain(0));
        ok(nvtxh_device_abandon());
        logged("start [open] #1");
        _exit(0);
    }
    equal(waitpid(child, &status, 0), child);
    equal(status, 0);
    ok(nvtxh_device_end(stream, waiting));
    ok(nvtxh_device_end(stream, open));
    release(&gate);
    settle();
    logged("start [open] #1; start [waiting] #2; end #2; end #1");
    counts(0, 0, 0, 0, 0, 0);
}

/* run.py checks what is said of unknown words. */
static void set_by_environment(const char *words, unsigned mode) {
    ok(setenv("NVTXH_DEVICE_MODE", words, 1));
    equal(nvtxh_device_mode(), mode);
}

static struct gate at_exit;

static void CUDART_CB slowly(void *unused) {
    (void)unused;
    sem_wait(&at_exit.semaphore);
    usleep(20000);
}

/* Runs last at exit: the log ends where exit() began. */
static void after_all(void) {
    usleep(50000);
    if (log_count(LOG_START, NULL, "too late")) {
        fprintf(stderr, "told after exit\n");
        _exit(1);
    }
}

static void exit_with_work(void) {
    struct nvtxh_device_range range;

    ok(nvtxh_device_start(stream, &range, "in time"));
    settle();
    sem_init(&at_exit.semaphore, 0, 0);
    ok(cudaLaunchHostFunc(stream, slowly, NULL));
    ok(nvtxh_device_next(stream, &range, "too late"));
    sem_post(&at_exit.semaphore);
}

/* A plugin enqueues, and is closed before its turn comes. Its ranges may be ended here, once. */
static void closed_plugin(const char *path) {
    void (*enqueue)(cudaStream_t);
    struct nvtxh_device_range (*start)(cudaStream_t);
    struct nvtxh_device_range range, copy;
    struct gate gate;
    void *plugin, *function;
    int i;

    for (i = 0; i < 3; i++) {
        plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!plugin)
            fprintf(stderr, "%s\n", dlerror());
        check(plugin);
        function = dlsym(plugin, "plugin_enqueue");
        memcpy(&enqueue, &function, sizeof(enqueue));
        function = dlsym(plugin, "plugin_start");
        memcpy(&start, &function, sizeof(start));
        copy = range = start(stream);
        ok(nvtxh_device_end(stream, range));
        equal(nvtxh_device_next(stream, &copy, "none"), cudaErrorInvalidResourceHandle);
        check(!copy.nvtxh_i_value);
        ok(nvtxh_device_next(stream, &copy, "next"));
        ok(nvtxh_device_end(stream, copy));
        settle();
        logged("start [plugin's] #1; end #1; start [next] #2; end #2");
        hold(stream, &gate);
        enqueue(stream);
        ok(dlclose(plugin));
        release(&gate);
        settle();
        logged("start [plugin] #1; end #1");
    }
}

#ifdef TEST_FAKE
/* Statistics alone count nothing of a stream's work, so nothing is enqueued for them. */
static void statistics_alone(void) {
    struct nvtxh_device_range range;
    int i, evaluated = 0;

    nvtxh_stats_enable(true);
    check(nvtxh_listening());
    for (i = 0; i < 2; i++) {
        fake_reset();
        NVTXH_DEVICE_SCOPE(stream, "scope", .payload = nvtxh_payload(++evaluated));
        NVTXH_DEVICE_SCOPEF(stream, "scope %d", ++evaluated);
        ok(nvtxh_device_start(stream, &range, "0", .payload = nvtxh_payload(++evaluated)));
        ok(nvtxh_device_next(stream, &range, "n"));
        ok(nvtxh_device_nextf(stream, &range, "n %d", ++evaluated));
        ok(nvtxh_device_mark(stream, "mark"));
        ok(nvtxh_device_end(stream, range));
        equal(fake_calls("cudaLaunchHostFunc") + fake_calls("cudaStreamGetCaptureInfo"), 0);
        counts(0, 0, 0, 0, 0, 0);
        nvtxh_device_set_mode(NVTXH_DEVICE_EVENT | NVTXH_DEVICE_WAIT);
    }
    equal(evaluated, 0);
    equal(fake_calls("cudaStreamSynchronize"), 0);
}
#endif

int main(int argc, char **argv) {
    check(argc > 1);
    need_device();
    atexit(after_all);
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    (void)nvtxh_listening();
    log_reset();
    if (!strcmp(argv[1], "fork"))
        fork_with_ranges();
    else if (!strcmp(argv[1], "exit"))
        exit_with_work();
    else if (!strcmp(argv[1], "environment"))
        set_by_environment(argv[2], (unsigned)atoi(argv[3]));
#ifdef TEST_FAKE
    else if (!strcmp(argv[1], "statistics"))
        statistics_alone();
#endif
    else
        closed_plugin(argv[2]);
    printf("ok: %s\n", argv[1]);
    return 0;
}
