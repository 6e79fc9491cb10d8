/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output_file.h"
#include "cli.h"
#include "../output/export.h"
#include "../decode/recording.h"
#include "../output/report.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct output_file *being_made;

void output_file_abandon(void) {
    if (being_made) {
        unlink(being_made->temporary);
        being_made = NULL;
    }
}

bool output_file_is_mistake(int error) {
    return error == EEXIST || error == ELOOP || error == ENOENT || error == ENOTDIR ||
           error == EISDIR || error == EBUSY || error == ENAMETOOLONG || error == EINVAL ||
           error == EACCES || error == EPERM || error == EROFS;
}

int output_file_failed(const char *path) {
    int error = errno;

    being_made = NULL;
    cli_fail("cannot create %s: %s", path,
             error == EBUSY ? "a program is recorded there; give another name" : strerror(error));
    return output_file_is_mistake(error) ? EXIT_USAGE : EXIT_FAILED;
}

bool output_file_is_busy(const char *path) {
    struct recording r;
    struct stat st;
    struct error error;

    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) || !recording_open(&r, path, &error)) {
        return false;
    }
    bool busy = recording_is_alive(&r);
    recording_close(&r);
    return busy;
}

bool output_file_may_replace(const char *path) {
    struct stat st;

    if (lstat(path, &st) == 0) {
        errno = S_ISDIR(st.st_mode)                            ? EISDIR
                : !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode) ? EEXIST
                : output_file_is_busy(path)                    ? EBUSY
                                                               : 0;
        return errno == 0;
    }
    return true;
}

int output_file_allowed(const char *path, bool force) {
    struct stat st;

    if (cli_ends_in(path, "/")) {
        errno = EISDIR;
        return output_file_failed(path);
    }
    if (lstat(path, &st) != 0) {
        return EXIT_DONE;
    }
    if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
        cli_fail("%s is not a regular file and is not replaced; give another name", path);
        return EXIT_USAGE;
    }
    if (!force) {
        cli_fail("%s exists; give --force to replace it, or another name", path);
        return EXIT_USAGE;
    }
    return output_file_may_replace(path) ? EXIT_DONE : output_file_failed(path);
}

int output_file_apart(const char *path, char *const *recs, size_t count) {
    struct stat out, in;

    for (size_t i = 0; i < count && stat(path, &out) == 0; i++) {
        if (stat(recs[i], &in) == 0 && out.st_dev == in.st_dev && out.st_ino == in.st_ino) {
            cli_fail("%s is the recording itself and is not replaced; give another name", path);
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}

int output_file_begin(struct output_file *r, const char *path, bool force) {
    static bool registered;
    int status = output_file_allowed(path, force);

    output_file_abandon();
    *r = (struct output_file){.path = path, .force = force};
    if (status) {
        return status;
    }
    int size = snprintf(r->temporary, sizeof(r->temporary), "%s.%d.part", path, (int)getpid());
    if (size >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return output_file_failed(path);
    }
    being_made = r;
    if (!registered) {
        cli_at_end(output_file_abandon);
    }
    registered = true;
    return EXIT_DONE;
}

void output_file_wrote(const char *path, const char *next) {
    struct stat st = {0};
    char size[64];

    stat(path, &st);
    figure_size((uint64_t)st.st_size, size);
    cli_say("wrote %s, %s%s%s", path, size, next ? "; " : "", next ? next : "");
}

/* Creates the temporary file, mode 0600, never through a link. NULL with errno on failure. */
static FILE *open_temporary(const struct output_file *r) {
    int fd = open(r->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (fd >= 0 && !file) {
        int error = errno;
        close(fd);
        unlink(r->temporary);
        errno = error;
    }
    return file;
}

bool output_file_move(const struct output_file *r) {
    if (r->force) {
        return rename(r->temporary, r->path) == 0;
    }
    /* Does not replace a file that another process has made at the path. If the file system lacks
     * RENAME_NOREPLACE (EINVAL), makes a hard link. If it lacks hard links, too (EPERM), renames
     * only if no file is at the path. Calls syscall(), because musl may lack renameat2(). */
    if (syscall(SYS_renameat2, AT_FDCWD, r->temporary, AT_FDCWD, r->path, RENAME_NOREPLACE) == 0) {
        return true;
    }
    if (errno == EINVAL && link(r->temporary, r->path) == 0) {
        return unlink(r->temporary) == 0;
    }
    if (errno == EPERM && access(r->path, F_OK) != 0) {
        return rename(r->temporary, r->path) == 0;
    }
    errno = errno == EPERM ? EEXIST : errno;
    return false;
}

int output_file_end(struct output_file *r, bool done, const struct error *why) {
    int status = EXIT_DONE;

    if (!done || !output_file_move(r)) {
        status = cli_fail("cannot write %s: %s", r->path, *why->text ? why->text : strerror(errno));
        unlink(r->temporary);
    }
    being_made = NULL;
    return status;
}

int output_file_export(const struct export_format *format, struct export_job *job, const char *path,
                       bool force) {
    struct error error = {""};
    struct output_file file;
    int status = output_file_begin(&file, path, force);

    if (status) {
        return status;
    }
    job->out = open_temporary(&file);
    job->path = file.temporary;
    if (!job->out) {
        return output_file_failed(path);
    }
    errno = 0;
    bool done = export_write(format, job, &error) && !ferror(job->out);
    done &= fclose(job->out) == 0;
    cli_progress_done();
    return output_file_end(&file, done, &error);
}
