/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "../util/memory.h"
#include "../format/clock.h"
#include "../nsight/nsight_kind.h"
#include "../output/quote.h"
#include "../decode/recording_source.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 3, 0))) static void print(FILE *out, const char *before,
                                                        const char *format, va_list args) {
    char *line = NULL;
    int size = vasprintf(&line, format, args); /* NOLINT(clang-analyzer-valist.Uninitialized) */

    if (size < 0) {
        memory_is_out();
    }
    char *safe = printable(line, (size_t)size, (size_t)size * 4);
    fputs(before, out);
    fputs(safe, out);
    free(safe);
    free(line);
}

int cli_usage(const char *command, const char *format, ...) {
    va_list args;

    va_start(args, format);
    bool question = *format && format[strlen(format) - 1] == '?';
    print(stderr, "nvtxh: ", format, args);
    fprintf(stderr, "%s: nvtxh%s%s --help\n", question ? " See" : "; see", *command ? " " : "",
            command);
    va_end(args);
    return EXIT_USAGE;
}

int cli_line(FILE *out, const char *before, const char *format, ...) {
    va_list args;

    va_start(args, format);
    print(out, before, format, args);
    fputc('\n', out);
    va_end(args);
    return EXIT_FAILED;
}

/* In s; 0: not yet. `begun`: when the work began; `shown_at`: when its progress bar was last shown.
 * The bar is shown only on a terminal, and only after a second of work. */
static double begun, shown_at;

static void progress(const char *what, uint64_t done, uint64_t all) {
    static const char bar[] = "########################################";
    static const char rest[] = "........................................";
    double time = (double)clock_ns(CLOCK_MONOTONIC) / 1e9;
    int width = (int)sizeof(bar) - 1;

    if (begun <= 0) {
        begun = time;
    }
    if (time - begun < 1 || time - shown_at < 0.1 || !isatty(STDERR_FILENO) || !all) {
        return;
    }
    shown_at = time;
    double part = done < all ? (double)done / (double)all : 1;
    int full = (int)(part * width);
    fprintf(stderr, "\r%s [%.*s%.*s] %3.0f %%", what, full, bar, width - full, rest, 100 * part);
    fflush(stderr);
}

void cli_progress_done(void) {
    if (shown_at > 0) {
        fputs("\r\033[K", stderr);
    }
    begun = shown_at = 0;
}

/* The kinds of files that can be opened. The last takes each file that no other kind recognizes. */
static const struct source_kind *const kinds[] = {&nsight_kind, &recording_kind};

static struct source *open_kind(const struct source_kind *kind, const char *path) {
    struct error error;
    struct source *s = kind->open(path, &error);

    if (s) {
        s->progress = progress;
    } else {
        cli_fail("%s: %s", path, error.text);
    }
    return s;
}

struct source *cli_open(char **paths, size_t count) {
    struct error error;
    size_t kind = 0, last = sizeof(kinds) / sizeof(kinds[0]) - 1;

    while (kind < last && !kinds[kind]->recognizes(paths[0])) {
        kind++;
    }
    struct source *s = open_kind(kinds[kind], paths[0]);
    for (size_t i = 1; s && i < count; i++) {
        if (!nsight_kind.add(s, paths[i], &error)) {
            cli_fail("%s: %s", paths[i], error.text);
            s->kind->close(s);
            s = NULL;
        }
    }
    return s;
}

bool cli_ends_in(const char *name, const char *suffix) {
    size_t size = strlen(name), end = strlen(suffix);
    return size >= end && strcmp(name + size - end, suffix) == 0;
}

bool cli_has_database(char **paths, size_t count) {
    while (count > 0 && !nsight_kind.recognizes(paths[count - 1])) {
        count--;
    }
    return count > 0;
}

void cli_no_operations(const char *path) {
    cli_say("%s: no operation of a GPU was recorded; nsys profile --trace=cuda,nvtx records them",
            path);
}

struct source *cli_open_recording(const char *path) {
    return open_kind(&recording_kind, path);
}

void cli_close_all(struct source **all, char **paths, size_t count) {
    for (size_t i = 0; i < count; i++) {
        cli_close(all[i], paths[i]);
    }
}

bool cli_open_all(struct source **all, char **paths, size_t count, bool in_turn) {
    for (size_t i = 0; i < count; i++) {
        all[i] = in_turn ? cli_open_recording(paths[i]) : cli_open(&paths[i], 1);
        if (!all[i]) {
            cli_close_all(all, paths, i);
            return false;
        }
        if (in_turn) {
            recording_release(recording_of(all[i]));
        }
    }
    return true;
}

bool cli_all_differ(const char *command, struct source *const *all, char **paths, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!memcmp(all[i]->session, all[k]->session, sizeof(all[i]->session))) {
                cli_usage(command, "%s and %s are the same recording", paths[k], paths[i]);
                return false;
            }
        }
    }
    return true;
}

bool cli_was_read(const struct source *s, const char *path) {
    struct error error;
    bool was_read = source_was_read(s, &error);

    if (!was_read) {
        cli_progress_done();
        cli_fail("%s: %s", path, error.text);
    }
    return was_read;
}

void cli_close(struct source *s, const char *path) {
    char buffer[400];
    cli_progress_done();
    const char *complaint = s->error ? NULL : s->kind->damage(s, buffer, sizeof(buffer));

    /* A file that is being written may look damaged for a moment, so it is checked again. */
    if (complaint && !s->is_over) {
        usleep(50000);
        complaint = s->kind->damage(s, buffer, sizeof(buffer));
    }
    if (complaint) {
        fflush(stdout);
        cli_fail("%s: %s", path, complaint);
    }
    s->kind->close(s);
}

static void (*undos[2])(void);

/* The action was reset to the default, so the process ends when this function returns. */
static void undo_all(int number) {
    for (size_t i = 0; i < sizeof(undos) / sizeof(undos[0]) && undos[i]; i++) {
        undos[i]();
    }
    raise(number);
}

void cli_at_end(void (*undo)(void)) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = undo_all, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;

    undos[undos[0] != NULL] = undo;
    atexit(undo);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
            sigaction(numbers[i], &action, NULL);
        }
    }
}

void cli_begin(void) {
    int fd;

    do {
        fd = open("/", O_PATH | O_CLOEXEC);
    } while (fd >= 0 && fd < STDERR_FILENO);
    if (fd > STDERR_FILENO) {
        close(fd);
    }
}

bool cli_is_silent(void) {
    int flags = fcntl(STDERR_FILENO, F_GETFL);

    return flags < 0 || (flags & O_PATH);
}

int cli_finish(int status) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return cli_fail("cannot write the output: %s", strerror(errno));
    }
    return status;
}
