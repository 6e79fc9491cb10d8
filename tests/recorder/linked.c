/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that records itself, several times, with threads and children, also by captures.
 * Arguments: what to do. */
#include "program.h"

#include "nvtxh_record.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static nvtxDomainHandle_t domain;
static nvtxStringHandle_t message;

static void work(const char *name, int times) {
    nvtxEventAttributes_t a = attributes();

    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = message;
    for (int i = 0; i < times; i++) {
        nvtxRangePushA(name);
        nvtxDomainRangePushEx(domain, &a);
        nvtxDomainRangePop(domain);
        nvtxRangePop();
    }
}

enum { MANY = 12000 }; /* more than the chunks hold that are made ahead */

static bool over;

static void *keep_going(void *arg) {
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        work("meanwhile", 20);
    }
    return arg;
}

static void by_calls(void) {
    MUST(!nvtxh_record_active() && nvtxh_record_stop() == EINVAL);
    work("before", 5);
    nvtxRangePushA("across the start");
    MUST(nvtxh_record_start("first.nvtxh") == 0);
    MUST(nvtxh_record_active() && nvtxh_record_start("other.nvtxh") == EBUSY);
    work("in the first", MANY);
    nvtxRangePop();
    nvtxRangePushA("across the stop");
    MUST(nvtxh_record_stop() == 0);
    nvtxRangePop();
    work("between", 5);
    MUST(nvtxh_record_start("first.nvtxh") == EEXIST);
    MUST(nvtxh_record_start("no/such/directory") == ENOENT);
    struct nvtxh_record_options options = {.force = true, .ring = 1};
    MUST(nvtxh_record_start_with("second.nvtxh", &options) == EINVAL);
    options.ring = UINT64_C(1) << 37;
    MUST(nvtxh_record_start_with("second.nvtxh", &options) == EINVAL);
    MUST(nvtxh_record_start_with("first.nvtxh", NULL) == EEXIST);
    /* Of what is there, files and links are replaced, and not what links lead to. */
    options.ring = 0;
    MUST(mkdir("directory", 0777) == 0 && mkfifo("pipe", 0666) == 0);
    MUST(symlink("directory", "link.nvtxh") == 0);
    MUST(nvtxh_record_start("link.nvtxh") == EEXIST);
    MUST(nvtxh_record_start_with("directory", &options) == EISDIR);
    MUST(nvtxh_record_start_with("pipe", &options) == EEXIST);
    MUST(nvtxh_record_start_with("link.nvtxh", &options) == 0 && nvtxh_record_stop() == 0);
    struct stat now;
    MUST(lstat("link.nvtxh", &now) == 0 && S_ISREG(now.st_mode) && !rmdir("directory"));
    unlink("link.nvtxh");
    unlink("pipe");
    options.ring = 1 << 18;
    MUST(nvtxh_record_start_with("second.nvtxh", &options) == 0);
    work("in the second", 50000);
    pid_t child = fork();
    if (child == 0) {
        work("in the child", 3);
        exit(0);
    }
    MUST(child > 0 && waitpid(child, NULL, 0) == child);
    MUST(nvtxh_record_stop() == 0);
    work("after", 5);
    MUST(nvtxh_record_start("last.nvtxh") == 0);
    work("in the last", MANY);
}

/* Begins and ends recordings again and again, while threads make events without a pause. */
static void by_turns(void) {
    pthread_t threads[4];
    char name[32];

    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, keep_going, NULL);
    }
    for (int i = 0; i < 18; i++) {
        snprintf(name, sizeof(name), "turn%d.nvtxh", i);
        struct nvtxh_record_options options = {.ring = i % 3 == 2 ? 1 << 18 : 0};
        MUST(nvtxh_record_start_with(name, &options) == 0);
        work("a turn", 100 + i);
        MUST(nvtxh_record_stop() == 0);
    }
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* Rings that end while threads fill parts of them for the first time; then a recording without
 * one. */
static void by_rings(int turns) {
    const struct nvtxh_record_options options = {.force = true, .ring = 4 << 20};
    pthread_t threads[4];

    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, keep_going, NULL);
    }
    for (int i = 0; i < turns; i++) {
        MUST(nvtxh_record_start_with("ring.nvtxh", &options) == 0);
        usleep((unsigned)i * 37 % 1000);
        MUST(nvtxh_record_stop() == 0);
    }
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    MUST(nvtxh_record_start("no_ring.nvtxh") == 0 && nvtxh_record_stop() == 0);
}

enum { CROWD = 200, CROWDS = 4 };
static pthread_barrier_t crowd;

/* Every thread makes some ranges in each recording, and as many between the recordings. */
static void *be_in_crowd(void *arg) {
    char name[32];

    for (int i = 0; i < 2 * CROWDS; i++) {
        snprintf(name, sizeof(name), i % 2 ? "in recording %d" : "between", i / 2);
        pthread_barrier_wait(&crowd);
        work(name, 3 + (int)(intptr_t)arg % 5);
        pthread_barrier_wait(&crowd);
    }
    return NULL;
}

/* So many threads that their chunks share mappings, in one recording after the other. */
static void by_crowd(void) {
    pthread_t threads[CROWD];
    char name[32];

    pthread_barrier_init(&crowd, NULL, CROWD + 1);
    for (intptr_t i = 0; i < CROWD; i++) {
        MUST(pthread_create(&threads[i], NULL, be_in_crowd, (void *)i) == 0);
    }
    for (int i = 0; i < 2 * CROWDS; i++) {
        snprintf(name, sizeof(name), "crowd%d.nvtxh", i / 2);
        MUST(i % 2 == 0 || nvtxh_record_start(name) == 0);
        pthread_barrier_wait(&crowd);
        pthread_barrier_wait(&crowd);
        MUST(i % 2 == 0 || nvtxh_record_stop() == 0);
    }
    for (int i = 0; i < CROWD; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void capture(nvtxDomainHandle_t captures, nvtxEventAttributes_t a) {
    nvtxDomainRangePushEx(captures, &a);
    work("named", 1);
    nvtxDomainRangePop(captures);
}

/* Recordings are named after captures whatever kind of text they have. */
static void by_names(nvtxDomainHandle_t captures) {
    nvtxEventAttributes_t a = with_text("");

    capture(captures, with_text("s.nvtxh"));
    capture(captures, with_text(".nvtxh"));
    capture(captures, a);
    capture(captures, a); /* once more, without a name */
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringA(captures, "registered");
    capture(captures, a);
    a.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    a.message.unicode = L"wid\u00e9";
    capture(captures, a);
}

static void by_captures(void) {
    nvtxDomainHandle_t captures = nvtxDomainCreateA("nvtxh.capture");

    for (int i = 0; i < 2; i++) {
        work("not captured", 3);
        nvtxEventAttributes_t a = with_text("warm");
        nvtxRangeId_t outer = nvtxDomainRangeStartEx(captures, &a);
        work("captured", 10 + i);
        a = with_text("nested");
        nvtxDomainRangePushEx(captures, &a);
        nvtxDomainRangeEnd(captures, outer);
        work("still", 1); /* the other one is open */
        nvtxDomainRangePop(captures);
    }
    work("not captured", 3);
    nvtxEventAttributes_t a = with_text("../out/side");
    nvtxDomainRangePushEx(captures, &a);
    work("beside", 2);
    nvtxDomainRangePop(captures);
    by_names(captures);
}

/* Recordings that know nothing of the time of the one before. */
static void by_parts(void) {
    char name[32];

    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof(name), "part%d.nvtxh", i);
        MUST(nvtxh_record_start(name) == 0);
        for (long long until = now_ns() + 60000000; now_ns() < until; usleep(500)) {
            work("timed", 1);
        }
        MUST(nvtxh_record_stop() == 0);
    }
    work("after", 2);
}

int main(int argc, char **argv) {
    domain = nvtxDomainCreateA("linked");
    message = nvtxDomainRegisterStringA(domain, "registered early");
    nvtxNameCategoryA(3, "a category");
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "a thread");
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "calls")) {
        by_calls();
    } else if (!strcmp(what, "turns")) {
        by_turns();
    } else if (!strcmp(what, "rings")) {
        by_rings(argc > 2 ? atoi(argv[2]) : 20);
    } else if (!strcmp(what, "crowd")) {
        by_crowd();
    } else if (!strcmp(what, "captures")) {
        memset(argv[0], 'x', strlen(argv[0])); /* as programs do that change their title */
        by_captures();
    } else if (!strcmp(what, "parts")) {
        by_parts();
    } else if (!strcmp(what, "quiet")) {
        MUST(nvtxh_record_start("quiet.nvtxh") == 0);
        nvtxRangePushA("open");
        usleep(20000);
        MUST(nvtxh_record_stop() == 0);
    } else if (!strcmp(what, "busy")) {
        MUST(nvtxh_record_start("none.nvtxh") == EBUSY);
        work("for the other tool", 3);
    } else if (!strcmp(what, "empty")) {
        MUST(nvtxh_record_start("empty.nvtxh") == 0);
        raise(SIGKILL);
    } else if (!strcmp(what, "killed")) {
        MUST(nvtxh_record_start("killed.nvtxh") == 0);
        work("until then", 1000);
        raise(SIGKILL);
    }
    return 0;
}
