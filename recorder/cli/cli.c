/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "progress.h"
#include "../read/recording_open.h"
#include "../report/damage.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

int cli_usage(const char *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("nvtxh: ", stderr);
    vfprintf(stderr, format, args); /* NOLINT(clang-analyzer-valist.Uninitialized) */
    fprintf(stderr, "; see: nvtxh%s%s --help\n", *command ? " " : "", command);
    va_end(args);
    return EXIT_USAGE;
}

int cli_fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("nvtxh: ", stderr);
    vfprintf(stderr, format, args); /* NOLINT(clang-analyzer-valist.Uninitialized) */
    fputc('\n', stderr);
    va_end(args);
    return EXIT_FAILED;
}

bool cli_open(struct recording *r, const char *path)
{
    char error[256];

    if (!recording_open(r, path, error, sizeof(error))) {
        cli_fail("%s: %s", path, error);
        return false;
    }
    r->progress = progress;
    return true;
}

bool cli_open_all(struct recording *all, char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!cli_open(&all[i], paths[i])) {
            while (i-- > 0) {
                cli_close(&all[i], paths[i]);
            }
            return false;
        }
    }
    return true;
}

void cli_close(struct recording *r, const char *path)
{
    char buffer[400];
    progress_done();
    const char *complaint = damage_text(r, buffer, sizeof(buffer));

    if (complaint && !r->header.end.ticks) { /* it is being written, or its writer was killed */
        usleep(50000);
        complaint = damage_text(r, buffer, sizeof(buffer));
    }
    if (complaint) {
        fflush(stdout);
        cli_fail("%s: %s", path, complaint);
    }
    recording_close(r);
}

int cli_finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return cli_fail("cannot write the output: %s", strerror(errno));
    }
    return status;
}
