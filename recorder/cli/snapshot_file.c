/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "snapshot_file.h"
#include "cli.h"
#include "output_file.h"
#include "../format/create.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* False: the name is too long. */
static bool name_after(const char *rec, int number, char ret_path[PATH_MAX])
{
    size_t size = strlen(rec);
    bool ends = size > 6 && !strcmp(rec + size - 6, ".nvtxh");

    return snprintf(ret_path, PATH_MAX, "%.*s.snap%d.nvtxh", (int)(ends ? size - 6 : size), rec,
                    number) < PATH_MAX;
}

static int copy = -1; /* the snapshot's descriptor while it is written */

/* Writes the snapshot to `path`, if no file is there or `force` is given. Returns an exit status; errors have been
 * reported. */
static int write_file(const char *rec, bool force, struct snapshot *s, const char *path)
{
    struct error error = {""};
    uint8_t session[16];
    /* Static, because output_file_abandon uses it at exit. */
    static struct output_file file;
    struct stat st;
    mode_t mode = stat(rec, &st) == 0 ? (st.st_mode & 0777) | REC_MODE : REC_MODE;
    int status = output_file_apart(path, rec);

    if (!status) {
        status = output_file_begin(&file, path, force);
    }
    if (status) {
        return status;
    }
    copy = rec_create(file.temporary, false, mode, "", session);
    if (copy < 0) {
        return output_file_failed(path);
    }
    bool done = snapshot_write(s, rec, copy, &error);
    int why = done ? 0 : errno;
    /* Without fdatasync, the snapshot may be empty after a power cut. EINVAL: this file system has none. */
    if (done && fdatasync(copy) != 0 && errno != EINVAL) {
        done = false;
        why = errno;
    }
    done = close(copy) == 0 && done;
    copy = -1;
    if (!output_file_end(&file, done)) {
        return *error.text ? cli_fail("%s: %s", rec, error.text)
                           : cli_fail("cannot write %s: %s; the recording is not touched", path,
                                      strerror(why ? why : errno));
    }
    return EXIT_DONE;
}

void snapshot_file_abandon(void)
{
    snapshot_abandon();
    if (copy >= 0) {
        close(copy);
        copy = -1;
    }
    output_file_abandon();
}

int snapshot_file_take(const char *rec, const char *output, bool force, struct snapshot *s,
                       char ret_path[PATH_MAX])
{
    struct stat st;
    bool fits = true;

    if (output) {
        fits = snprintf(ret_path, PATH_MAX, "%s", output) < PATH_MAX;
    }
    for (int i = 1; !output && fits && (i == 1 || lstat(ret_path, &st) == 0); i++) {
        fits = name_after(rec, i, ret_path);
    }
    return fits ? write_file(rec, force, s, ret_path)
                : cli_fail("%s: %s", rec, strerror(ENAMETOOLONG));
}
