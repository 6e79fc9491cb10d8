/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every macro, on some threads, in a signal handler and in a forked child. Its output must not
 * depend on a tool: results, how often arguments were evaluated, and the statistics' counts. With
 * FAULTS, counts that depend on memory for statistics are not printed. */
#include "nvtxh.h"
#include "nvtxh/capture.h"
#include "nvtxh/counter.h"
#include "nvtxh/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef FAULTS
enum { COUNTED = 0 };
#else
enum { COUNTED = 1 };
#endif
enum { THREADS = 3, TURNS = 20, PASSED = THREADS * TURNS, STATUS = 7 };

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(load, "load");
NVTX_CATEGORY(gemm, &train, "gemm");
NVTXH_PAYLOAD_STRUCT(batch, (int, size), (const char *, source), (double[2], weights));
NVTXH_COUNTER(rate, &train, "tokens/s", .unit = "1/s");
NVTXH_COUNTER(groups, NULL, "groups");

static int evaluated;
static uint64_t sum = 1;
static struct nvtxh_range passed[PASSED]; /* to be ended by another thread */

static int counted(int x) {
    __atomic_add_fetch(&evaluated, 1, __ATOMIC_RELAXED);
    return x;
}

static void work(uint64_t x) {
    __atomic_add_fetch(&sum, x * x, __ATOMIC_RELAXED);
}

/* For the tool to call from its callbacks; its messages are in no sum. */
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((visibility("default"))) void annotated_for_tool(void);
#ifdef __cplusplus
}
#endif
void annotated_for_tool(void) {
    NVTX_SCOPE("for the tool", .domain = &load);
    NVTX_PUSH("for the tool, too", .category = &gemm);
    NVTX_MARK("mark for the tool");
    NVTX_END(NVTX_START("range for the tool"));
    NVTX_POP();
}

static void on_signal(int number) {
    int kept = errno;

    (void)number;
    {
        NVTX_SCOPE("in the handler");
        work(3);
    }
    errno = kept;
}

static int early(int way) {
    int i;

    NVTX_FUNC(.domain = &train);
    NVTXH_SCOPE_AS(phase, "phase", .payload = nvtxh_payload(counted(way)));
    for (i = 0; i < 3; i++) {
        NVTXH_BLOCK("block", .color = NVTXH_COLOR_AUTO) {
            if (way == 1)
                break;
            if (way == 2)
                continue;
            work(1);
        }
        if (way == 3)
            return 1;
    }
    nvtxh_scope_end(&phase);
    NVTXH_FUNC_IF(way & 1);
    NVTXH_SCOPE_IF(counted(way) > 2, "conditional", .domain = &load);
    return 2;
}

static void structs(int i) {
    struct batch batch = {i, "disk", {1.5, -2}};
    double values[2] = {1, 2};
    int64_t times[2] = {1, 2};

    NVTX_SCOPE("struct", .domain = &train, .payload = nvtxh_payload(&batch));
    NVTX_PUSH("struct push", .payload = nvtxh_payload(&batch));
    NVTX_POP(.payload = nvtxh_payload(&batch));
    nvtxh_end(NVTX_START("struct range", .domain = &load), .payload = nvtxh_payload(&batch));
    nvtxh_counter_set(&rate, i * 0.5);
    nvtxh_counter_set(&groups, &batch);
    nvtxh_counter_batch(&rate, values, 2, times);
}

static void formats(int i) {
    NVTX_SCOPEF("format %d", counted(i));
    NVTXH_SCOPEF_WITH(("with %d", i), .domain = &train, .color = NVTXH_GREEN);
    NVTX_MARKF("mark %s", i & 1 ? "odd" : "even");
    NVTXH_MARKF_WITH(("mark %d", i), .category = &gemm);
    NVTXH_PUSHF("push %d", i);
    NVTXH_PUSHF_WITH(("push with %d", i), .domain = &load);
    NVTX_POP(.domain = &load);
    NVTX_POP();
    nvtxh_end(NVTXH_STARTF("start %d", i));
    nvtxh_end(NVTXH_STARTF_WITH(("start with %d", i), .domain = &train));
}

static void *on_thread(void *which) {
    int i, me = (int)(intptr_t)which;

    nvtxh_thread_name("one of them");
    for (i = 0; i < TURNS; i++) {
        NVTX_SCOPE("turn");
        NVTX_PUSH("push", .domain = &train, .category = &gemm, .color = NVTXH_RED,
                  .payload = nvtxh_payload(counted(i)));
        NVTX_MARK("mark", .category = NVTXH_CATEGORY_ID(7));
        passed[me * TURNS + i] = NVTX_START("passed on", .domain = i & 1 ? &train : &load);
        NVTXH_SCOPE_NVTX_ONLY("for tools alone");
        work((uint64_t)early(i & 3));
        structs(i);
        formats(i);
        if (i % 7 == 3) {
            NVTXH_CAPTURE_SCOPE("capture");
            work(5);
        }
        NVTX_POP(.domain = &train);
        if (i % 5 == 1)
            raise(SIGUSR1);
    }
    return NULL;
}

static int in_child(void) {
    int status = 0;
    pid_t child = fork();

    if (!child) {
        on_thread(NULL);
        _exit(!COUNTED || nvtxh_stats_find("turn").count == TURNS ? 3 : 4);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static void say(const char *message) {
    uint64_t count = nvtxh_stats_find(message).count;

    printf("%s: %" PRIu64 "\n", message, COUNTED ? count : 0);
}

int main(void) {
    static const char *const messages[] = {
        "turn",          "train:push",    "mark",           "passed on",      "phase",
        "block",         "struct",        "struct push",    "struct range",   "format %d",
        "with %d",       "mark %s",       "push %d",        "push with %d",   "start %d",
        "start with %d", "conditional",   "early",          "in the handler", "left out",
        "not left out",  "pushed across", "for tools alone"};
    pthread_t threads[THREADS];
    size_t i;
    int t;

    nvtxh_stats_enable(true);
    signal(SIGUSR1, on_signal);
    errno = 42;
    { NVTX_SCOPE("first"); }
    printf("errno %d\n", errno);
    for (t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, on_thread, (void *)(intptr_t)t))
            abort();
    for (t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (i = 0; i < PASSED; i++) {
        nvtxh_end(passed[i]);
        nvtxh_end(passed[i]);
    }
    nvtxh_capture_start("by hand", 0);
    NVTX_PUSH("pushed across");
    nvtxh_enable(false);
    {
        NVTX_SCOPE("left out", .payload = nvtxh_payload(counted(1)));
        NVTX_PUSH("left out");
        nvtxh_enable(true);
        NVTX_SCOPE("not left out");
    }
    NVTX_POP();
    NVTX_POP();
    NVTX_POP(); /* one too many */
    nvtxh_capture_stop();
    nvtxh_capture_stop();
    printf("child %x\n", (unsigned)in_child());
    for (i = 0; i < sizeof(messages) / sizeof(*messages); i++)
        say(messages[i]);
    evaluated *= COUNTED;
    printf("evaluated %d, sum %" PRIu64 "\n", evaluated, sum);
    return STATUS;
}
