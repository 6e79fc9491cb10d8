/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "options.h"
#include "output_file.h"
#include "../decode/merge.h"
#include "../decode/recording_source.h"

#include <getopt.h>
#include <stdlib.h>

static const char *const examples[] = {"nvtxh snapshot live.nvtxh",
                                       "nvtxh snapshot --last 5s live.nvtxh",
                                       "nvtxh snapshot -o now.nvtxh live.nvtxh"};
static const char about[] =
    "Copies a recording, also while the program runs. The program does not wait for the copy, and "
    "recording continues.";

int cmd_snapshot(int argc, char **argv) {
    const char *output = NULL;
    bool force = false;
    struct snapshot s = {.reason = "nvtxh snapshot", .last = INT64_MAX};
    const struct cli_option all[] = {
        OPTIONS_FILE(
            output, force, "OUT",
            "the snapshot; if not given, REC's name with .snap1, .snap2, ... before .nvtxh"),
        {"last", 0, "TIME", "only the last TIME: 5s, 200ms; a number alone is seconds",
         .time = &s.last},
        {.name = NULL}};
    struct options o = {"snapshot", "[OPTION...] REC", about, NULL, all, ONE_RECORDING, examples};
    char path[PATH_MAX], next[PATH_MAX + RECORDING_COVERED + 64], buffer[RECORDING_COVERED];

    options_parse(&o, argc, argv);
    if (s.last <= 0) {
        return cli_usage("snapshot", "--last must be above 0");
    }
    if (output && !*output) {
        return cli_usage("snapshot", "-o requires a file name");
    }
    int status = snapshot_file_write(argv[optind], output, force, &s, path);
    if (!status) {
        char *file = shell_file(path);
        const char *covered = recording_covered(s.from, s.to, s.whole_from, buffer);
        snprintf(next, sizeof(next), "%s%snext: nvtxh stats %s", covered ? covered : "",
                 covered ? "; " : "", file);
        output_file_wrote(path, next);
        free(file);
    }
    return status;
}
