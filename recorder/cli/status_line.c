/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "../format/clock.h"
#include "../output/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct status_line {
    struct worker worker;
    pid_t pid;
    const char *program, *file;
} line;

/* Whether a process, or a descendant down to `depth` generations, has written to any file. True if
 * that is not known. */
static bool has_written(pid_t pid, int depth) {
    char path[64];
    unsigned long long bytes;
    int child;

    snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
    FILE *f = fopen(path, "re");
    bool written = !f || fscanf(f, "rchar: %*u wchar: %llu", &bytes) != 1 || bytes > 0;
    if (f) {
        fclose(f);
    }
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
    f = written || !depth ? NULL : fopen(path, "re");
    while (f && !written && fscanf(f, "%d", &child) == 1) {
        written = has_written((pid_t)child, depth - 1);
    }
    if (f) {
        fclose(f);
    }
    return written;
}

/* Draws the line. Leaves the cursor at the line's start: the program's output replaces the line. */
static void draw(int seconds) {
    struct terminal t = terminal_of(stderr, REPORT_COLOR_NEVER);
    struct stat st = {0};
    char size[64], text[1024];

    stat(line.file, &st);
    figure_size((uint64_t)st.st_blocks * 512, size);
    snprintf(text, sizeof(text), "recording %.300s: %d s, %s in %.300s", line.program, seconds,
             size, line.file);
    char *shown = terminal_text(&t, text, strlen(text));
    terminal_shorten(&t, shown, t.width > 8 ? t.width - 1 : 8);
    fprintf(stderr, "\r%s\033[K\r", shown);
    fflush(stderr);
    free(shown);
}

static bool run_line(void *arg, struct error *ret_error) {
    bool same = isatty(STDOUT_FILENO); /* the program may write to the line's terminal */
    uint64_t begun = clock_ns(CLOCK_MONOTONIC);
    int drawn = 0; /* the seconds that the line shows; 0: there is no line yet */

    (void)arg;
    (void)ret_error;
    while (worker_wait(&line.worker, 200) && !(same && has_written(line.pid, 8))) {
        int now = (int)((clock_ns(CLOCK_MONOTONIC) - begun) / 1000000000);
        if (now != drawn) {
            draw(now);
            drawn = now;
        }
    }
    if (drawn) {
        fputs("\033[K", stderr); /* removes what the program has not overwritten */
        fflush(stderr);
    }
    return true;
}

void status_line_begin(pid_t pid, const char *program, const char *file) {
    const char *terminal = getenv("TERM");

    if (!isatty(STDERR_FILENO) || tcgetpgrp(STDERR_FILENO) != getpgrp() || !terminal ||
        !strcmp(terminal, "dumb")) {
        return;
    }
    line = (struct status_line){{.run = run_line}, pid, program, file};
    worker_begin(&line.worker);
}

void status_line_end(void) {
    worker_end(&line.worker);
}
