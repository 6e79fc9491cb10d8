/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "watch.h"
#include "../report/terminal.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct watch {
    pthread_t thread;
    sem_t end;
    pid_t pid;
    const char *program, *file;
    bool runs;
} watch;

/* The first number after `name` in a file of /proc; 0 if there is none. */
static unsigned long long number_in(const char *path, const char *name)
{
    char line[256];
    unsigned long long number = 0;
    FILE *f = fopen(path, "re");

    while (f && fgets(line, sizeof(line), f)) {
        if (!strncmp(line, name, strlen(name))) {
            number = strtoull(line + strlen(name), NULL, 10);
        }
    }
    if (f) {
        fclose(f);
    }
    return number;
}

/* Whether a process or one that it started has written to any file; true if that cannot be known. */
static bool has_written(pid_t pid, int depth)
{
    char path[64];
    int child;
    bool written;

    snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
    written = access(path, R_OK) != 0 || number_in(path, "wchar:") > 0;
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *f = written || !depth ? NULL : fopen(path, "re");
    while (f && !written && fscanf(f, "%d", &child) == 1) {
        written = has_written((pid_t)child, depth - 1);
    }
    if (f) {
        fclose(f);
    }
    return written;
}

/* Leaves the cursor at the beginning of the line, so that the program writes over it. */
static void draw(int seconds)
{
    struct terminal t = terminal_of(stderr, REPORT_COLOR_NEVER);
    struct stat st = {0};
    char size[64], text[1024];

    stat(watch.file, &st);
    figure_size((uint64_t)st.st_blocks * 512, size);
    snprintf(text, sizeof(text), "recording %.300s: %d s, %s in %.300s", watch.program, seconds,
             size, watch.file);
    char *shown = terminal_text(&t, text, strlen(text));
    terminal_shorten(&t, shown, t.width > 8 ? t.width - 1 : 8);
    fprintf(stderr, "\r%s\033[K\r", shown);
    fflush(stderr);
    free(shown);
}

static void *run(void *arg)
{
    enum { CHECKS = 5 }; /* per second */
    bool same = isatty(STDOUT_FILENO), drawn = false;
    struct timespec next;

    (void)arg;
    clock_gettime(CLOCK_REALTIME, &next);
    for (int i = 1;; i++) {
        next.tv_nsec += 1000000000 / CHECKS;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        if (sem_timedwait(&watch.end, &next) == 0 || (same && has_written(watch.pid, 8))) {
            break;
        }
        if (i % CHECKS == 0) {
            draw(i / CHECKS);
            drawn = true;
        }
    }
    if (drawn) {
        fputs("\033[K", stderr); /* the rest, which the program has not overwritten */
        fflush(stderr);
    }
    return NULL;
}

void watch_begin(pid_t pid, const char *program, const char *file)
{
    const char *terminal = getenv("TERM");
    sigset_t all, before;

    if (!isatty(STDERR_FILENO) || tcgetpgrp(STDERR_FILENO) != getpgrp() || !terminal ||
        !strcmp(terminal, "dumb") || sem_init(&watch.end, 0, 0) != 0) {
        return;
    }
    watch.pid = pid;
    watch.program = program;
    watch.file = file;
    sigfillset(&all); /* signals are for the thread that waits for the program */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watch.runs = pthread_create(&watch.thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void watch_end(void)
{
    if (watch.runs) {
        sem_post(&watch.end);
        pthread_join(watch.thread, NULL);
        watch.runs = false;
    }
}
