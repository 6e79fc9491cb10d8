/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "output_file.h"
#include "record.h"
#include "../format/clock.h"
#include "../format/create.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets t->absolute to t->path as an absolute path. If t->apart, the program's processes will fill
 * in the fields of t->path. False with errno on failure. */
static bool make_absolute(struct recording_file *t) {
    char here[PATH_MAX] = "", escaped[PATH_MAX];
    bool relative = t->path[0] != '/';

    if ((relative && !getcwd(here, sizeof(here))) ||
        (t->apart && !output_name_escape(here, escaped))) {
        return false;
    }
    errno = ENAMETOOLONG;
    return snprintf(t->absolute, PATH_MAX, "%s%s%s", t->apart ? escaped : here, relative ? "/" : "",
                    t->path) < PATH_MAX;
}

static bool is_directory(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Sets t->path. If `directory` is NULL, t->path becomes `output` with its fields filled in. Else it
 * becomes PROGRAM.nvtxh in `directory` ("": the working directory) or, if `number` is above 1,
 * PROGRAM.NUMBER.nvtxh. False with errno. */
static bool name_file(struct recording_file *t, const char *output, const char *directory,
                      const char *program, const struct rec_identity *who, unsigned number) {
    char counted[16] = "";

    if (!directory) {
        return output_name_expand(output, who, number, t->path) &&
               output_name_make_directories(t->path);
    }
    if (number > 1) {
        snprintf(counted, sizeof(counted), ".%u", number);
    }
    errno = ENAMETOOLONG;
    return snprintf(t->path, PATH_MAX, "%s%s%s%s.nvtxh", directory,
                    *directory && !cli_ends_in(directory, "/") ? "/" : "", path_base(program),
                    counted) < PATH_MAX;
}

static bool set_aside(struct recording_file *t) {
    struct stat st;

    if (!output_file_may_replace(t->absolute)) {
        return false;
    }
    errno = ENAMETOOLONG;
    if (snprintf(t->aside, PATH_MAX, "%s.%d.old", t->absolute, (int)getpid()) < PATH_MAX &&
        (lstat(t->absolute, &st) != 0 || rename(t->absolute, t->aside) == 0)) {
        return true;
    }
    t->aside[0] = 0;
    return false;
}

/* Writes a part of the file's header at offset `at`, if the file was made and is still there. */
static void write_header(const struct recording_file *t, const void *part, size_t size, off_t at) {
    int fd = t->made ? rec_join(t->absolute, t->session) : -1;

    if (fd >= 0) {
        (void)!pwrite(fd, part, size, at);
        close(fd);
    }
}

void recording_file_control(const struct recording_file *t, bool paused, bool is_watched) {
    struct rec_control control = {
        .pauses = {.count = paused, .ticks = {clock_ticks(clock_choose())}},
        .watcher = is_watched ? (uint64_t)getpid() : 0};

    write_header(t, &control, sizeof(control), offsetof(struct rec_header, control));
}

void recording_file_keep(struct recording_file *t, pid_t program) {
    const struct rec_running now = rec_running_now(program);

    write_header(t, &now, sizeof(now), offsetof(struct rec_header, program));
    if (*t->aside) {
        unlink(t->aside);
    }
}

void recording_file_undo(struct recording_file *t) {
    if (t->made) {
        unlink(t->absolute);
    }
    if (*t->aside) {
        rename(t->aside, t->absolute);
    }
}

/* Whether the name has a field whose value only the program's processes know: their pid or rank. */
static bool is_for_processes(const char *output, const struct rec_identity *who) {
    return output_name_has(output, 'p') ||
           (output_name_has(output, 'r') &&
            (who->rank == REC_RANK_NONE || identity_is_doubtful(who)));
}

/* False with errno on failure. */
static bool name_for_processes(struct recording_file *t, const char *output) {
    errno = ENAMETOOLONG;
    t->apart = snprintf(t->path, PATH_MAX, "%s", output) < PATH_MAX;
    t->apart = t->apart && make_absolute(t);
    return t->apart;
}

/* Creates the file. If its name has the field %n, takes the lowest number for which there is no
 * file yet. False with errno on failure. */
static bool make_named(struct recording_file *t, const struct record_options *o,
                       const char *directory, char **argv, const struct rec_identity *who) {
    bool counts = directory || output_name_has(o->output, 'n');
    char command[1024] = "";

    char **word = argv; /* the program, and its arguments */
    do {
        text_append(command, sizeof(command), " ", "%s", *word);
    } while (*++word);
    for (unsigned i = 1; i <= (counts ? OUTPUT_NAME_MOST : 1); i++) {
        if (!name_file(t, o->output, directory, argv[0], who, i) || !make_absolute(t) ||
            (o->force && !counts && !set_aside(t))) {
            return false;
        }
        int fd = rec_create(t->absolute, false, record_options_mode(o), command, t->session);
        t->made = fd >= 0 && close(fd) == 0; /* closed again, because few descriptors may be left */
        if (t->made || errno != EEXIST) {
            return t->made;
        }
    }
    return false;
}

int recording_file_create(struct recording_file *t, const struct record_options *o, char **argv) {
    char here[PATH_MAX];
    const char *output = o->output;
    struct rec_identity who;

    if (output && cli_ends_in(output, "/") && !strchr(output, '%')) {
        (void)output_name_make_directories(output); /* what is a failure is said below */
    }
    const char *directory = !output ? "" : is_directory(output) ? output : NULL;
    const char *first = directory ? directory : output;
    *t = (struct recording_file){0};
    identity_of(o->settings[RECORD_RANK].text, o->settings[RECORD_JOB].text, &who);
    if (*first != '/' && !getcwd(here, sizeof(here))) {
        bool is_long = errno == ERANGE;
        cli_fail("the working directory %s: %s; %s runs unrecorded",
                 is_long           ? "has too long a path"
                 : errno == ENOENT ? "is gone"
                                   : "cannot be determined",
                 strerror(is_long ? ENAMETOOLONG : errno), argv[0]);
        return EXIT_DONE;
    }
    char mistake = directory ? 0 : output_name_mistake(output);
    if (mistake) {
        return cli_usage("record", "invalid -o '%s': %%%c is not a field (choose from %s)", output,
                         mistake, OUTPUT_NAME_FIELDS);
    }
    if (!directory && !strchr(output, '%') && output_file_allowed(output, o->force)) {
        return EXIT_USAGE;
    }
    bool apart = !directory && is_for_processes(output, &who);
    if (apart ? name_for_processes(t, output) : make_named(t, o, directory, argv, &who)) {
        return EXIT_DONE;
    }
    int error = errno;
    recording_file_undo(t);
    errno = error;
    if (output_file_is_mistake(error)) {
        return output_file_failed(t->path);
    }
    cli_fail("cannot create %s: %s; %s runs unrecorded", t->path, strerror(error), argv[0]);
    return EXIT_DONE;
}

bool recording_file_close(struct recording_file *t, int status, const struct rec_usage *usage) {
    struct rec_sample end = clock_sample(clock_choose());
    int32_t status32 = status;
    int fd = rec_join(t->absolute, t->session);

    if (fd < 0) {
        bool removed = errno == ENOENT || errno == ENOTDIR;
        cli_fail("%s: %s", t->path,
                 removed           ? "the recording was removed while it was recorded, by the "
                                     "program or by somebody else, and is lost"
                 : errno == EINVAL ? "another file is there now, the recording is lost"
                                   : strerror(errno));
        return false;
    }
    if (pwrite(fd, &status32, sizeof(status32), offsetof(struct rec_header, status)) < 0 ||
        pwrite(fd, usage, sizeof(*usage), offsetof(struct rec_header, usage)) < 0 ||
        pwrite(fd, &end, sizeof(end), offsetof(struct rec_header, end)) < 0) {
        cli_fail("%s: %s", t->path, strerror(errno));
    }
    close(fd);
    return true;
}
