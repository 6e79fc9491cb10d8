/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sixteen threads make the first events of the process at once: of the same sites and of different
 * ones, in the same domains and in different ones, with the same categories. The tool gets every
 * domain, category and string once, and every event complete. Needs the logging tool. */
#define NVTXH_DEFAULT_DOMAIN common
#include "nvtxh.h"
#include "check.h"

#include <pthread.h>

enum { THREADS = 16, TURNS = 20 };

NVTX_DOMAIN(common, "common");
NVTX_DOMAIN(all, "all");
NVTX_DOMAIN(even, "even");
NVTX_DOMAIN(odd, "odd");
NVTX_DOMAIN(unlisted, "unlisted"); /* no message of it is registered: its first event makes it */
NVTX_CATEGORY(everyone, &all, "everyone");
NVTX_CATEGORY(plain, NULL, "plain");

static pthread_barrier_t barrier;
static struct nvtxh_range ranges[THREADS];

#define OWN(n)                                                                                     \
    case n: {                                                                                      \
        NVTX_SCOPE("own " #n, .domain = n % 2 ? &odd : &even);                                     \
        NVTX_MARK("mark of " #n);                                                                  \
        break;                                                                                     \
    }

static void own(int i) {
    switch (i) {
        OWN(0)
        OWN(1)
        OWN(2)
        OWN(3)
        OWN(4)
        OWN(5)
        OWN(6)
        OWN(7)
        OWN(8)
        OWN(9)
        OWN(10)
        OWN(11)
        OWN(12)
        OWN(13)
        OWN(14)
        OWN(15)
    }
}

static void *run(void *number) {
    int i = (int)(intptr_t)number, turn;

    pthread_barrier_wait(&barrier);
    NVTXH_MARKF_WITH(("by %s", "all"), .domain = &unlisted);
    if (i % 4 == 0)
        NVTX_MARKF("from %d", i); /* makes the domain, but registers nothing */
    if (i % 4 == 1)
        nvtxh_thread_name("one of four");
    if (i % 4 == 2)
        (void)nvtxh_listening();
    for (turn = 0; turn < TURNS; turn++) {
        NVTX_SCOPE("shared");
        NVTX_SCOPE("shared, in all", .domain = &all, .category = &everyone);

        own(i);
        NVTX_PUSH("pushed", .domain = i % 2 ? &odd : &even, .payload = nvtxh_payload(i));
        NVTX_MARKF("thread %d", i);
        NVTX_POP(.domain = i % 2 ? &odd : &even);
        NVTX_MARK("auto", .domain = NVTXH_DOMAIN_DEFAULT, .category = &plain,
                  .color = NVTXH_COLOR_AUTO);
        nvtxh_end(ranges[(i + turn) % THREADS]); /* several ends of one range: one counts */
        nvtxh_end(NVTX_START("range", .domain = &all));
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int i;

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (i = 0; i < THREADS; i++)
        check(!pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i));
    for (i = 0; i < THREADS; i++)
        check(!pthread_join(threads[i], NULL));

    check(log_count(LOG_INIT, NULL, NULL) == 1);
    check(log_count(LOG_DOMAIN, NULL, "all") == 1);
    check(log_count(LOG_DOMAIN, NULL, "common") == 1);
    check(log_count(LOG_DOMAIN, NULL, "even") == 1);
    check(log_count(LOG_DOMAIN, NULL, "odd") == 1);
    check(log_count(LOG_DOMAIN, NULL, "unlisted") == 1);
    check(log_count(LOG_MARK, "unlisted", "by all") == THREADS);
    check(log_count(LOG_DOMAIN, NULL, NULL) == 5);
    check(log_count(LOG_CATEGORY, "all", "everyone") == 1);
    check(log_count(LOG_CATEGORY, "", "plain") == 1);
    check(log_count(LOG_CATEGORY, NULL, NULL) == 2);
    check(log_count(LOG_STRING, NULL, "shared") == 1);
    check(log_count(LOG_STRING, "all", "shared, in all") == 1);
    check(log_count(LOG_STRING, "even", "pushed") == 1);
    check(log_count(LOG_STRING, "odd", "pushed") == 1);
    for (i = 0; i < THREADS; i++) {
        char name[32];

        snprintf(name, sizeof(name), "own %d", i);
        check(log_count(LOG_STRING, NULL, name) == 1);
        check(log_count(LOG_PUSH, i % 2 ? "odd" : "even", name) == TURNS);
        snprintf(name, sizeof(name), "mark of %d", i);
        check(log_count(LOG_STRING, "common", name) == 1);
        check(log_count(LOG_MARK, "common", name) == TURNS);
        snprintf(name, sizeof(name), "thread %d", i);
        check(log_count(LOG_MARK, "common", name) == TURNS);
    }
    check(log_count(LOG_PUSH, NULL, NULL) == 4 * TURNS * THREADS);
    check(log_count(LOG_POP, NULL, NULL) == 4 * TURNS * THREADS);
    check(log_count(LOG_START, NULL, NULL) == TURNS * THREADS);
    check(log_count(LOG_END, NULL, NULL) == TURNS * THREADS);
    check(log_count(LOG_THREAD, NULL, "one of four") == THREADS / 4);
    check_balance();
    return 0;
}
