/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In chunks, so that an event stays where it is. ThreadSanitizer does not see the lock, because it
 * would order the program's threads where their own code does not. The lock holds a process id, for
 * a child that is forked while another thread is in here. */
enum { CHUNK = 4096, CHUNKS = 1024 };

static struct log_event *chunks[CHUNKS];
static size_t n_events, first_event;
static int64_t first_id;
static uint32_t lock_owner;
static void (*the_hook)(enum log_kind);

void log_lock(void) {
    uint32_t pid = (uint32_t)getpid(), owner = 0;

    while (!__atomic_compare_exchange_n(&lock_owner, &owner, pid, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (!owner || owner == pid) {
            owner = 0;
            sched_yield();
        }
    }
}

void log_unlock(void) {
    __atomic_store_n(&lock_owner, 0u, __ATOMIC_RELEASE);
}

static void append_to_file(const struct log_event *event) {
    const char *path = getenv("NVTXH_TEST_LOG");
    char *line;
    int fd;

    if (!path || event->kind < LOG_DESTROY)
        return;
    line = log_line(event, 0);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0) {
        dprintf(fd, "%ld %s\n", event->tid, line);
        close(fd);
    }
    free(line);
}

void log_add(const struct log_event *event) {
    struct log_event **chunk = &chunks[n_events / CHUNK];

    if (n_events == (size_t)CHUNK * CHUNKS)
        abort();
    if (!*chunk && !(*chunk = (struct log_event *)calloc(CHUNK, sizeof(**chunk))))
        abort();
    (*chunk)[n_events % CHUNK] = *event;
    (*chunk)[n_events % CHUNK].tid = syscall(SYS_gettid);
    append_to_file(&(*chunk)[n_events % CHUNK]);
    __atomic_store_n(&n_events, n_events + 1, __ATOMIC_RELEASE);
}

size_t log_size(void) {
    return __atomic_load_n(&n_events, __ATOMIC_ACQUIRE);
}

const struct log_event *log_at(size_t i) {
    return &chunks[i / CHUNK][i % CHUNK];
}

static bool same(const char *given, const char *wanted) {
    return !wanted || !strcmp(given ? given : "", wanted);
}

size_t log_count(enum log_kind kind, const char *domain, const char *text) {
    size_t i, n = 0, size = log_size();

    for (i = 0; i < size; i++) {
        const struct log_event *event = log_at(i);

        if (event->kind == kind && same(event->domain, domain) && same(event->text, text))
            n++;
    }
    return n;
}

const char *log_category(const char *domain, uint32_t category) {
    size_t i;

    for (i = n_events; i--;) {
        const struct log_event *event = log_at(i);

        if (event->kind == LOG_CATEGORY && event->category == category &&
            same(event->domain, domain ? domain : ""))
            return event->text;
    }
    return NULL;
}

void log_reset(void) {
    size_t i;

    log_lock();
    first_event = n_events;
    for (i = 0; i < n_events; i++)
        if (log_at(i)->kind == LOG_START && log_at(i)->result > first_id)
            first_id = log_at(i)->result;
    log_unlock();
}

char *log_text(long tid) {
    size_t i, size, length = 0;
    char *text = (char *)calloc(1, 1);

    log_lock();
    size = n_events;
    for (i = first_event; text && i < size; i++) {
        const struct log_event *event = log_at(i);
        char *line, *longer;

        if (event->kind < LOG_DESTROY ||
            (event->kind > LOG_COUNTER && event->kind != LOG_RESOURCE) ||
            (tid && event->tid != tid))
            continue;
        line = log_line(event, first_id);
        longer = (char *)realloc(text, length + strlen(line) + 3);
        if (!longer)
            abort();
        text = longer;
        length += (size_t)sprintf(text + length, "%s%s", length ? "; " : "", line);
        free(line);
    }
    log_unlock();
    return text;
}

void log_set_hook(void (*hook)(enum log_kind)) {
    the_hook = hook;
}

void log_call_hook(enum log_kind kind) {
    if (the_hook)
        the_hook(kind);
}
