/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Annotated by itself and through a plugin that it loads, uses and closes; it may fork. It does not
 * print statistics itself: suite.py sets the environment. Times are spent spinning. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

NVTX_DOMAIN(train, "train");

static void spin(double us) {
    struct timespec t;
    double end = 0, now;

    do {
        clock_gettime(CLOCK_MONOTONIC, &t);
        now = (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
        end = end > 0 ? end : now + us;
    } while (now < end);
}

static void work(void) {
    NVTX_SCOPE("work", .domain = &train);
    spin(300);
    {
        NVTX_SCOPE("inner work");
        spin(200);
    }
}

#ifdef PLUGIN

#ifdef __cplusplus
extern "C"
#endif
    void
    plugin(void);
void plugin(void) {
    NVTX_SCOPE("in the plugin");
    spin(1000);
}

#else

/* A thread that begins while another one has annotations open. */
static void *works(void *unused) {
    NVTX_SCOPE("of a thread");
    return unused;
}

static void with_thread(void) {
    NVTX_SCOPE("with a thread");
    pthread_t thread;

    if (!pthread_create(&thread, NULL, works, NULL))
        pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    int i;

    for (i = 0; i < 500; i++) {
        work();
        NVTX_MARK("done", .payload = nvtxh_payload(i));
        nvtxh_end(NVTX_START("process range"));
        NVTX_PUSH("pushed");
        spin(100);
        NVTX_POP();
    }
    for (i = 1; i < argc; i++) {
        NVTX_SCOPE("around the plugin");
        void *library;
        void (*plugin)(void);

        if (!strcmp(argv[i], "fork")) {
            pid_t child = fork();

            work();
            if (!child) {
                with_thread();
                exit(0);
            }
            waitpid(child, NULL, 0);
            continue;
        }
        library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (!library)
            return 2;
        *(void **)&plugin = dlsym(library, "plugin");
        plugin();
        dlclose(library);
    }
    return 0;
}

#endif
