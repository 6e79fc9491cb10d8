/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "output_file.h"
#include "../decode/merge.h"
#include "../format/create.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the name of a snapshot from the recording's name. False: the result is too long. */
static bool name_after(const char *rec, int number, char ret_path[PATH_MAX]) {
    return snprintf(ret_path, PATH_MAX, "%.*s.snap%d.nvtxh", (int)path_stem(rec), rec, number) <
           PATH_MAX;
}

/* Writes the snapshot to the file descriptor `copy`, and closes `copy`. False with a message, or
 * with errno if the message is empty. */
static bool write_snapshot(const char *rec, struct snapshot *s, int copy, struct error *ret_error) {
    bool done = snapshot_write(s, rec, copy, ret_error);
    int error = errno;

    /* Without fdatasync, the snapshot may be empty after a power cut. EINVAL: the file system does
     * not support fdatasync. */
    if (done && fdatasync(copy) != 0 && errno != EINVAL) {
        done = false;
        error = errno;
    }
    bool closed = close(copy) == 0;
    errno = done && !closed ? errno : error;
    return done && closed;
}

void snapshot_file_abandon(void) {
    snapshot_abandon();
    output_file_abandon();
}

int snapshot_file_write(const char *rec, const char *output, bool force, struct snapshot *s,
                        char ret_path[PATH_MAX]) {
    static struct output_file file; /* static, because output_file_abandon uses it at exit */
    struct error error = {""};
    struct stat st;
    int number = 1;
    bool fits = output ? snprintf(ret_path, PATH_MAX, "%s", output) < PATH_MAX
                       : name_after(rec, number, ret_path);

    while (!output && fits && lstat(ret_path, &st) == 0) {
        fits = name_after(rec, ++number, ret_path);
    }
    int status = fits ? output_file_apart(ret_path, (char *[]){(char *)(uintptr_t)rec}, 1)
                      : cli_fail("%s: %s", rec, strerror(ENAMETOOLONG));
    if (!status) {
        status = output_file_begin(&file, ret_path, force || !output);
    }
    if (status) {
        return status;
    }
    file.force = force;
    mode_t mode = stat(rec, &st) == 0 ? (st.st_mode & 0777) | REC_MODE : REC_MODE;
    int copy = rec_create(file.temporary, false, mode, NULL, NULL);
    if (copy < 0) {
        return output_file_failed(ret_path);
    }
    bool written = write_snapshot(rec, s, copy, &error), moved = written && output_file_move(&file);
    while (written && !moved && errno == EEXIST && !output && name_after(rec, ++number, ret_path)) {
        moved = output_file_move(&file); /* another snapshot has taken that name: tries a new one */
    }
    int why = errno;
    output_file_abandon(); /* removes the temporary file, if it is still there */
    if (!moved) {
        return *error.text ? cli_fail("%s: %s", rec, error.text)
                           : cli_fail("cannot write %s: %s; the recording is not touched", ret_path,
                                      strerror(why));
    }
    return EXIT_DONE;
}
